"""Laws over the whole product: no import cycle, no class name twice, no long list of parameters,
no folder that is too full.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import PurePosixPath

from tests.test_house import PRODUCT, files, outline, read

MOST_PARAMETERS = 10  # `self` and `cls` not counted
MOST_FILES = 14  # of Python in one folder, besides __init__.py


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
        if each.parameters is not None and each.parameters > MOST_PARAMETERS:
            yield f"{path}:{each.line}: {each.name} has {each.parameters} parameters"


def test_no_folder_holds_more_files_than_one_sees_at_a_glance() -> None:
    counts: dict[str, int] = defaultdict(int)
    for path in files(*PRODUCT, "tests"):
        if not path.endswith("__init__.py"):
            counts[str(PurePosixPath(path).parent)] += 1
    assert {folder: n for folder, n in counts.items() if n > MOST_FILES} == {}
