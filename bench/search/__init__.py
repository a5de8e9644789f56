"""Rules and searches: speed, growth and strength, beside other engines."""
