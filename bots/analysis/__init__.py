"""A finished match looked at again: what each play gave away, and what the dice gave."""
