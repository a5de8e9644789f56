"""`plyhouse doctor bot`: plays a bot through what a server may do to it, and notes what it did.

A scripted server speaks protocol/SPEC.md to the bot and to nobody else, so what happens depends on
the bot alone.
"""
