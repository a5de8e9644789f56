"""How a bot chooses: its trees, and its search step by step, written down and shown in a page."""
