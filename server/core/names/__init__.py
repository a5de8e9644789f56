"""Names: what one may be, whose each is, and how long it stays so."""
