"""Ours beside boardgame.io and Colyseus: the same matches, in one sitting."""
