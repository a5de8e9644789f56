"""Makes the tests' own games known, also to the processes that a test starts; and has searches run
as plain Python, which is the same search: to compile them all would take half a minute.
tests/bots/test_compiled.py holds the two against each other.
"""

import os
from pathlib import Path

os.environ["PLYHOUSE_GAMES"] = str(Path(__file__).parent / "extra_games")
os.environ["PLYHOUSE_PLAIN"] = "1"
