"""What a ladder decides, by functions of values: who meets whom, and how strong each player is."""
