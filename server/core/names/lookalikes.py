"""Which letters look alike, so that a name can be compared by what people see of it.

`keys` are what two names that look alike have in common.  The table holds the letters of other
scripts that look like one of ours, as the Unicode Consortium lists them (confusables.txt of UTS
#39), without those that NFKC or a letter's own name leads back to ours already.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

# What "house", "guest-1234" and the like are: names that the server gives, or speaks by.
RESERVED_WORDS: Final = ("house", "guest", "server", "admin", "plyhouse", "system", "moderator")

# Each of ours, and what looks like it.
TABLE: Final = {
    "2": "\u01a7\u01bb\u03e8\u14bf\ua644\ua6ef\ua75a",
    "3": "\u01b7\u021c\u0417\u0498\u04e0\u2ccc\ua76a\ua7ab\U000118ca\U00016f3b",
    "4": "\u13ce\U000118af",
    "5": "\u01bc\U000118bb",
    "6": "\u0431\u13ee\u2cd2\U000118d5",
    "7": "\U000104d2\U000118c6",
    "8": "\u0222\u0223\u09ea\u0a6a\U0001031a",
    "9": "\u09ed\u0a67\u0b68\u0d6d\u2cca\ua76e\U000118ac\U000118cc\U000118d6",
    "a": ("\u0251\u0391\u03b1\u0410\u0430\u13aa\u15c5\u2376\u237a\ua4ee\uab7a\U000102a0\U00016f40"),
    "b": (
        "\u0184\u0392\u0411\u0412\u042c\u0432\u0462\u0463\u048c\u048d\u13cf\u13f4\u13fc\u1472"
        "\u1473\u15af\u15f7\ua4d0\ua7b4\U00010282\U000102a1\U00010301"
    ),
    "c": (
        "\u0421\u0441\u04aa\u04ab\u13df\u2ca4\u2ca5\ua4da\uabaf\U000102a2\U00010302\U00010415"
        "\U0001043d\U0001051c\U000118e9\U000118f2"
    ),
    "d": "\u00d0\u0189\u0501\u13a0\u13e7\u146f\u15de\u15ea\ua4d2\ua4d3\uab70",
    "e": (
        "\u0395\u0415\u0435\u04bd\u04bf\u13ac\u2d39\ua4f0\uab32\uab7c\U00010286\U000118a6\U000118ae"
    ),
    "f": ("\u03dc\u0584\u15b4\u1e9d\ua4dd\uab35\U00010287\U000102a5\U00010525\U000118a2\U000118c2"),
    "g": "\u018d\u0261\u050c\u050d\u0581\u13c0\u13f3\u13fb\ua4d6\uab90",
    "h": (
        "\u0397\u041d\u043d\u045b\u04a2\u04a3\u04bb\u04c7\u04c8\u04c9\u04ca\u0570\u13bb\u13c2"
        "\u13f2\u157c\u2c8e\ua4e7\ua695\uab8b\U000102cf"
    ),
    "i": "\u0131\u0269\u03b9\u0456\u04cf\u13a5\u1d7b\u1d7c\u2373\u2378\ua647\uab75\U000118c3",
    "j": "\u037f\u03f3\u0408\u0458\u13ab\u148d\ua4d9\uab7b",
    "k": "\u0138\u039a\u03ba\u041a\u043a\u049a\u049e\u13e6\u16d5\u2c94\ua4d7\U00010518",
    "l": (
        "\u0196\u01c0\u0399\u0406\u04c0\u06f1\u13de\u14aa\u16c1\u2c92\u2cd0\u2cd1\u2d4f\ua4e1"
        "\ua4f2\uabae\U0001028a\U00010309\U00010320\U0001041b\U00010443\U00010526\U000118a3"
        "\U000118b2\U00016f16\U00016f28"
    ),
    "m": (
        "\u028d\u039c\u03fa\u041c\u043c\u04cd\u13b7\u15f0\u16d6\u2c98\ua4df\uab51\U000102b0"
        "\U00010311\U00011700\U000118e3"
    ),
    "n": "\u039d\u03b7\u0578\u057c\u2c9a\ua4e0\U0001018e\U00010513",
    "o": (
        "\u0275\u0398\u039f\u03b8\u03bf\u03c3\u041e\u043e\u0472\u0473\u04e8\u04e9\u0555\u0585"
        "\u06f5\u0966\u09e6\u0a66\u0ae6\u0b20\u0b66\u0be6\u0c66\u0ce6\u0d20\u0d66\u0e50\u0ed0"
        "\u101d\u1040\u10ff\u12d0\u13be\u13eb\u1d11\u236c\u2c9e\u2c9f\u2d31\u2d41\u2d54\u3007"
        "\ua4f3\uab3d\uab3e\uab74\uab8e\uabbb\U00010292\U000102ab\U00010404\U0001042c"
        "\U000104c2\U000104ea\U00010516\U000114d0\U000118b5\U000118c8\U000118d7\U000118e0"
    ),
    "p": "\u03a1\u03c1\u0420\u0440\u13e2\u146d\u1d29\u2374\u2ca2\u2ca3\ua4d1\uabb2\U00010295",
    "q": "\u051b\u0563\u0566\u2d55",
    "r": (
        "\u01a6\u0433\u0493\u13a1\u13d2\u1587\u1d26\u2c85\ua4e3\uab47\uab48\uab71\uab81\uaba2"
        "\U000104b4\U00016f35"
    ),
    "s": (
        "\u01bd\u0405\u0455\u054f\u13d5\u13da\ua4e2\uabaa\U00010296\U00010420\U00010448"
        "\U000118c1\U00016f3a"
    ),
    "t": (
        "\u03a4\u03c4\u0422\u0442\u04ac\u04ad\u13a2\u2361\u2ca6\ua4d4\uab72\U00010297"
        "\U000102b1\U00010315\U000118bc\U00016f0a"
    ),
    "u": (
        "\u0244\u03c5\u054d\u057d\u1200\u13cc\u144c\u1d7e\ua4f4\ua79f\uab9c\U000104ce"
        "\U000104f6\U000118b8\U000118d8\U00016f42"
    ),
    "v": (
        "\u03bd\u0474\u0475\u06f7\u13d9\u142f\u2d38\ua4e6\ua6df\uaba9\U0001051d\U00011706"
        "\U000118a0\U000118c0\U00016f08"
    ),
    "w": (
        "\u026f\u0461\u051c\u051d\u0561\u13b3\u13d4\ua4ea\ua761\uab83\U000114c5\U0001170a"
        "\U0001170e\U0001170f\U000118e6\U000118ef"
    ),
    "x": (
        "\u03a7\u0425\u0445\u04b2\u1541\u157d\u166d\u16b7\u2cac\u2d5d\ua4eb\ua7b3\U00010290"
        "\U000102b4\U00010317\U00010322\U00010527\U000118ec"
    ),
    "y": (
        "\u0263\u03a5\u03b3\u0423\u0443\u04ae\u04af\u04b0\u04b1\u10e7\u13a9\u13bd\u2ca8\ua4ec"
        "\U000102b2\U000118a4\U000118dc\U00016f43"
    ),
    "z": "\u0396\u13c3\ua4dc\uab93\U000102f5\U000118a9\U000118c4\U000118e5",
}
_LOOKS: Final = {c: letter for letter, others in TABLE.items() for c in others}
_LOOKS.update({"0": "o", "1": "l", "I": "l", "|": "l"})  # ours that look like each other

_ASCII_LOOKS: Final = {ord(c): letter for c, letter in _LOOKS.items() if c.isascii()}

# Small capitals, letters with a stroke or a hook, white letters on black, the letters of flags.
_NAME: Final = re.compile(
    "(?:LATIN (?:SMALL|CAPITAL) LETTER|LATIN LETTER SMALL CAPITAL|REGIONAL INDICATOR SYMBOL LETTER"
    "|NEGATIVE (?:CIRCLED|SQUARED) LATIN CAPITAL LETTER) ([A-Z])(?: WITH .*)?"
)


def keys(name: str) -> frozenset[str]:
    """Return what this name has in common with all that look like it; it is in NFKC."""
    folded = fold(name)
    if folded is name:
        return frozenset((name, skeleton(name)))
    return frozenset((folded, skeleton(name), skeleton(folded)))


def fold(name: str) -> str:
    """Return a name without regard to case; itself, where that is no other, as of most names."""
    folded = name.casefold()
    return name if folded == name else folded


def skeleton(text: str) -> str:
    """Return a text with the same letter for all letters that look alike, and without accents."""
    if text.isascii():  # nearly all are, and a server that starts asks for each name that it has
        return text.translate(_ASCII_LOOKS).casefold().replace("rn", "m")
    parts = unicodedata.normalize("NFKD", text)
    return "".join([_skeleton(c) for c in parts]).casefold().replace("rn", "m")


def _skeleton(c: str) -> str:
    if "\u0300" <= c <= "\u036f":  # an accent; marks of other scripts tell syllables apart
        return ""
    letter = _LOOKS.get(c)
    if letter is None and not c.isascii():
        named = _NAME.fullmatch(unicodedata.name(c, ""))
        letter = named[1].lower() if named is not None else None
    return c if letter is None else letter


def is_reserved(name: str) -> bool:
    """Return whether a name looks like the server's own: numbers and signs around it, and signs
    inside, make no difference.
    """
    return any(_bare(text) in _RESERVED for text in (name, name.casefold()))


def _bare(text: str) -> str:
    """Return how a text looks without signs, and without numbers at its ends."""
    letters = "".join([c for c in text if unicodedata.category(c)[0] in "LN" or _skeleton(c) != c])
    while letters and unicodedata.category(letters[-1])[0] == "N":
        letters = letters[:-1]
    while letters and unicodedata.category(letters[0])[0] == "N":
        letters = letters[1:]
    return skeleton(letters).replace("l", "i")  # adm1n


_RESERVED: Final = frozenset(_bare(word) for word in RESERVED_WORDS)
