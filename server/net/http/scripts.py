"""Modules that a page needs together, as one script: fewer requests, and fewer bytes when packed.

Each module becomes a block of that script, after those that it imports, and keeps its own names.
What it exports stands in a constant, from which the blocks after it take what they import.  The
script exports all of it, so that an import map can lead the address of each module to it, also for
modules that come later.  Only the forms that our modules have are known: `export` before a
declaration, and `import { a, b as c } from "./x.js"`.  Where a module has another form, or two
export the same name, there is no such script, and the page takes its modules one by one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Final

from server.net.http.modules import Needs, absolute

IMPORT: Final = re.compile(
    r"""^import(?:\{([^}]*)\}from|\*as ([\w$]+) from)?["'](\.[^"'\n]+)["'];?""", re.MULTILINE
)
EXPORT: Final = re.compile(
    r"^export (?=(?:async )?(?:function\b\*?|class|const) ?([\w$]+))", re.MULTILINE
)
OTHER_FORM: Final = re.compile(r"^(?:import|export)\b(?![(.])", re.MULTILINE)
LATER: Final = re.compile(r"""(\bimport\(["'])(\.[^"'\n]+)""")


def unite(paths: Sequence[str], texts: Mapping[str, str], needs: Mapping[str, Needs]) -> str | None:
    """Return modules as one script, from texts as `minify` leaves them; None if they cannot be."""
    inside = {path: [need for need in needs[path].at_once if need in paths] for path in paths}
    try:
        order = list(TopologicalSorter(inside).static_order())
    except CycleError:
        return None
    places = {path: f"$m{at}" for at, path in enumerate(order)}
    outside = _outside(order, needs)
    places |= {path: f"$o{at}" for at, path in enumerate(outside)}
    blocks, names = list[str](), list[str]()
    for path in order:
        block, exported = _block(path, texts[path], places)
        if OTHER_FORM.search(block):
            return None
        blocks.append(f"let {places[path]};{{{block}\n{places[path]}={{{','.join(exported)}}}}}")
        blocks += [f"export const{{{','.join(exported)}}}={places[path]};"] if exported else []
        names += exported
    if len(names) > len(set(names)):
        return None
    imports = [f'import*as {places[path]} from"{path}";' for path in outside]
    return "\n".join([*imports, *blocks])


def _outside(order: Sequence[str], needs: Mapping[str, Needs]) -> list[str]:
    needed: Iterable[str] = (need for path in order for need in needs[path].at_once)
    return list(dict.fromkeys(need for need in needed if need not in order))


def _block(path: str, text: str, places: Mapping[str, str]) -> tuple[str, list[str]]:
    """Return a module's statements without imports and exports, and the names that it exports."""

    def taken(match: re.Match[str]) -> str:
        names, whole, address = match.groups()
        place = places[absolute(path, address)]
        if whole:
            return f"const {whole}={place};"
        return f"const{{{re.sub(r' as ', ':', names)}}}={place};" if names else ""

    block = LATER.sub(lambda match: match[1] + absolute(path, match[2]), IMPORT.sub(taken, text))
    return re.sub(r"\n+", "\n", EXPORT.sub("", block)).strip("\n"), EXPORT.findall(block)
