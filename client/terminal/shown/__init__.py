"""What a person sees in a session: boards, lists, the log, and what draws them."""
