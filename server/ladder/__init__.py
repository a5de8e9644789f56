"""What a ladder decides, as functions of values: who meets whom, how strong each of them is, and
who is better.
"""
