"""Who a person is at each server: names, their tokens, and coming in by them."""
