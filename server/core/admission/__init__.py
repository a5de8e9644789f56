"""How many of something each address may have, and the networks that it is of."""
