"""Makes the tests' own games known, also to the processes that a test starts."""

import os
from pathlib import Path

os.environ["PLYHOUSE_GAMES"] = str(Path(__file__).parent / "extra_games")
