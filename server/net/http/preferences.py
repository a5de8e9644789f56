"""What a browser prefers: lists of names with weights, such as `gzip;q=0.8, *;q=0.1`."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

WEIGHT = re.compile(r"[qQ]\s*=\s*(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)")
MAX_NAMES = 32  # of one list; who sends more is no browser
REMEMBERED = 64  # lists: browsers of a kind send the same


def read_weights(fields: Collection[str]) -> dict[str, float]:
    """Return name -> weight, 0 (never) to 1; a weight that cannot be read counts as 0."""
    return _read_weights(",".join(fields))


@lru_cache(REMEMBERED)
def _read_weights(field: str) -> dict[str, float]:
    weights: dict[str, float] = {}
    for item in field.split(",")[:MAX_NAMES]:
        name, *parameters = (part.strip() for part in item.split(";"))
        if name:
            weights[name.casefold()] = _weight(parameters)
    return weights


def _weight(parameters: Collection[str]) -> float:
    for parameter in parameters:
        if parameter[:1] in ("q", "Q"):
            weight = WEIGHT.fullmatch(parameter)
            return float(weight[1]) if weight is not None else 0.0
    return 1.0


def takes_gzip(fields: Collection[str]) -> bool:
    """Return whether Accept-Encoding wants gzip at least as much as bytes as they are."""
    weights = read_weights(fields)
    others = weights.get("*", 0.0)
    packed = weights.get("gzip", weights.get("x-gzip", others))
    return packed > 0 and packed >= weights.get("identity", 0.0)


def takes_html(fields: Collection[str]) -> bool:
    """Return whether Accept names HTML, as browsers do; programs take anything, or say nothing."""
    weights = read_weights(fields)
    return weights.get("text/html", 0.0) > 0


def best_language(fields: Collection[str], texts: Collection[str]) -> str:
    """Return that of the languages here which Accept-Language likes best; else English.

    `de-CH` likes `de`, as the page itself has it (client/web/texts/words.js).
    """
    weights = read_weights(fields)
    for tag in sorted(weights, key=lambda tag: -weights[tag]):
        language = tag.partition("-")[0]
        if weights[tag] > 0 and language in texts:
            return language
    return "en"
