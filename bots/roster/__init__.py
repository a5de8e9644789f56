"""One file a bot; the registry lists this folder."""
