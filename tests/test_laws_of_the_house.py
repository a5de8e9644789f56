"""Laws over the whole product: no import cycle, folders in layers, no class name twice, no long
list of parameters, no folder that is too full.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import PurePosixPath

from tests.test_house import PRODUCT, files, outline, read

MAX_PARAMETERS = 10  # `self` and `cls` not counted
MAX_FILES = 14  # of Python in one folder, besides __init__.py

# The folders of each package, from the ground up: one imports those before it, and none of its own
# line or behind it.  A file may stand by itself where the rest of its folder lies lower.
LAYERS = {
    "games": (
        "games",
        "games/laws games/backgammon games/ultimate_tic_tac_toe",
        "games/backgammon_cube games/registry.py",
    ),
    "protocol": ("protocol protocol/files protocol/shell", "protocol/records", "protocol/reading"),
    "server": (
        "server/core server/store server/cluster/core server/net/http",
        "server/config.py server/collector.py server/threads.py",
        "server/core/admission server/ladder/core server/figures server/downloads server/imports",
        "server/store/sqlite server/admin/core",
        "server/store/postgres server/rooms",
        "server/store/__init__.py server/store/copying.py server/ladder server/past",
        "server/services",
        "server/sessions.py",
        "server/own_devices.py",
        "server/hub.py",
        "server/net",
        "server/admin server/cluster/line",
        "server/cluster server/cli",
        "server",
    ),
    "client": (
        "client",
        "client/names client/terminal/typed",
        "client/records client/terminal/shown",
        "client/ladder client/terminal",
        "client/commands",
    ),
    "bots": (
        "bots bots/engine/kernels",
        "bots/engine bots/outside bots/reading bots/backgammon/kernels",
        "bots/backgammon",
        "bots/backgammon/cube",
        "bots/analysis bots/roster",
        "bots/online",
        "bots/commands",
    ),
    "lab": (
        "lab/farm lab/doctor lab/tracing lab/training/kernels",
        "lab lab/arena lab/training",
        "lab/experiments",
        "lab/commands",
    ),
    "bench": (
        "bench/support",
        "bench/server bench/backgammon bench/search",
        "bench/attacks bench/cluster bench/ladder bench/peers bench/plug",
        "bench",
    ),
}
# Folders that still import one another: each line counts as the first of them.
RINGS = ("server/core server/core/names server/core/past",)


def module(path: str) -> str:
    """The dotted name by which a file is imported."""
    parts = PurePosixPath(path).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(source: str, modules: frozenset[str]) -> set[str]:
    """The modules of the product that a file imports, for types and lazily too."""
    targets = set()
    for item in outline(source).imports:
        name = item.name  # package.module.Class, package.module, or package.CONSTANT
        while name and name not in modules:
            name = name.rpartition(".")[0]
        targets.add(name)
    return targets - {""}


def imports_of_the_product() -> dict[str, set[str]]:
    """Module -> the modules it imports, itself left out."""
    paths = {module(path): path for path in files(*PRODUCT)}
    modules = frozenset(paths)
    return {name: imported(read(path), modules) - {name} for name, path in paths.items()}


def cycle(graph: dict[str, set[str]]) -> list[str]:
    """Modules that all import one another, over others or not, if there are some."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return sorted(set(error.args[1]))
    return []


def test_no_module_imports_itself_over_others() -> None:
    assert cycle(imports_of_the_product()) == []


def place_of(path: str) -> str:
    """The place in LAYERS that a file is of: itself, its folder, or the first of its ring."""
    folder = str(PurePosixPath(path).parent)
    ring = next((names.split() for names in RINGS if folder in names.split()), [folder])
    return path if any(path in line.split() for line in all_layers()) else ring[0]


def all_layers() -> list[str]:
    return [line for lines in LAYERS.values() for line in lines]


def upward(path: str, imports: set[str], paths: dict[str, str]) -> list[str]:
    """The modules that a file imports from its own layer, or from one above, of its package."""
    here, lines = place_of(path), LAYERS.get(path.split("/", maxsplit=1)[0], ())
    level = {place: number for number, line in enumerate(lines) for place in line.split()}
    there = {name: place_of(paths[name]) for name in imports if name in paths}
    return [
        f"{path}: {name}"
        for name, place in there.items()
        if place != here and place in level and level[place] >= level[here]
    ]


def test_a_folder_imports_only_those_below_it() -> None:
    paths = {module(path): path for path in files(*PRODUCT)}
    left = [
        found
        for name, imports in imports_of_the_product().items()
        for found in upward(paths[name], imports, paths)
    ]
    assert sorted(left) == []


def test_each_folder_has_its_layer() -> None:
    declared = [place for line in all_layers() for place in line.split()]
    assert len(declared) == len(set(declared))
    assert {place_of(path) for path in files(*LAYERS)} == set(declared)


def test_an_import_of_a_folder_above_is_found() -> None:
    paths = {name: f"{name.replace('.', '/')}.py" for name in ("bots.bot", "bots.engine.tree")}
    assert upward("bots/bot.py", {"bots.engine.tree"}, paths) == ["bots/bot.py: bots.engine.tree"]
    assert upward("bots/engine/tree.py", {"bots.bot"}, paths) == []


def test_a_cycle_is_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set[str]()}
    assert cycle(graph) == ["a", "b", "c"]


def test_imports_for_types_and_inside_functions_count() -> None:
    modules = frozenset({"server", "server.hub", "server.app"})
    for_types = "if TYPE_CHECKING:\n    from server.hub import Hub"
    assert imported(for_types, modules) == {"server.hub"}
    assert imported("def f():\n    from server import app", modules) == {"server.app"}
    assert imported("import asyncio\nfrom server import NAME", modules) == {"server"}


def test_no_class_name_is_taken_twice() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path in files(*PRODUCT):
        for each in outline(read(path)).definitions:
            if each.parameters is None:
                places[each.name].append(f"{path}:{each.line}")
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def test_no_function_has_more_parameters_than_can_be_remembered() -> None:
    assert [found for path in files(*PRODUCT) for found in crowded(path)] == []


def crowded(path: str) -> Iterator[str]:
    """The functions of a file with too many parameters."""
    for each in outline(read(path)).definitions:
        if each.parameters is not None and each.parameters > MAX_PARAMETERS:
            yield f"{path}:{each.line}: {each.name} has {each.parameters} parameters"


def test_no_folder_holds_more_files_than_one_sees_at_a_glance() -> None:
    counts: dict[str, int] = defaultdict(int)
    for path in files(*PRODUCT, "tests"):
        if not path.endswith("__init__.py"):
            counts[str(PurePosixPath(path).parent)] += 1
    assert {folder: n for folder, n in counts.items() if n > MAX_FILES} == {}
