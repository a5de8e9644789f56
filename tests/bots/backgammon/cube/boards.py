"""Boards with the cube of which nobody doubts what is to be done, for every bot that plays them."""

from __future__ import annotations

from typing import Final

EVEN: Final = "------EEE--------eee------"  # a race
AHEAD: Final = "------EEE------b-eec------"  # X leads by eleven pips of a hundred
FAR: Final = "------EEE-------hg--------"
# X has closed its home, with two of O's checkers on the bar.
CLOSED: Final = "bbBBCCC-----e----c-c------"
MONEY, JACOBY, BEAVERS = "0:0:0:0:10", "0:0:1:0:10", "0:0:2:0:10"

# The dice, the board, the last fields of the XGID, and what X or O best does.
CLEAR: Final = (
    ("00", EVEN, MONEY, "roll"),
    ("00", AHEAD, MONEY, "double"),
    ("00", CLOSED, MONEY, "roll"),  # too good
    ("00", CLOSED, JACOBY, "double"),
    ("D", AHEAD, MONEY, "take"),
    ("D", FAR, MONEY, "drop"),
    ("B", AHEAD, BEAVERS, "raccoon"),
    ("R", AHEAD, BEAVERS, "take"),
    ("00", EVEN, "5:6:0:7:10", "double"),  # O needs one point anyhow
    ("D", FAR, "6:5:0:7:10", "take"),  # whoever drops has lost
)
