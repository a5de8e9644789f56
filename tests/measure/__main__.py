"""What the tree counts: lines by package, lengths, and what there should be none of.

python -m tests.measure                      as it is now; `make measure`
python -m tests.measure --against COMMIT     beside another commit
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import statistics
import subprocess
import tarfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
PRODUCT = ("games", "protocol", "server", "client", "bots", "lab", "(roof)")
PAGE = (".js", ".ts", ".css", ".html")
SMALL, TRIVIAL = 90, 10  # lines of a file
SAYS_NOTHING = frozenset(
    re.findall(r"\w+", "a an and are as at be by has in is it its of on one that the to what with")
)
Function = ast.FunctionDef | ast.AsyncFunctionDef
Tree = Mapping[str, str]  # the text of each file, by its path


def tree(commit: str | None) -> Tree:
    """The files of a commit; None: those that are here, without what git ignores."""
    if commit is None:
        words = ["git", "ls-files", "-co", "--exclude-standard"]
        names = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        here = [name for name in names.splitlines() if (ROOT / name).is_file()]
        return {name: (ROOT / name).read_text("utf-8", "replace") for name in here}
    words = ["git", "archive", commit]
    packed = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as files:
        return {
            each.name: content.read().decode("utf-8", "replace")
            for each in files
            if (content := files.extractfile(each)) is not None
        }


def measure(files: Tree) -> dict[str, float]:
    """All figures, by what they are of."""
    figures: dict[str, float] = defaultdict(int)
    sources = {}
    for path, text in files.items():
        package, slash, _ = path.partition("/")
        package, lines = package if slash else "(roof)", text.count("\n")
        if path.endswith(".py"):
            figures[f"{package}: Python lines"] += lines
            figures[f"{package}: Python files"] += 1
            if package in PRODUCT:
                figures["product: Python lines"] += lines
                figures["product: Python files"] += 1
                sources[path] = text
        elif path.endswith(PAGE) and package in PRODUCT:
            figures["page: lines"] += lines
        elif package == "docs" and path.endswith((".md", ".html")):
            figures[f"docs: {path.rpartition('.')[2]} lines"] += lines
    trees = {path: ast.parse(text) for path, text in sources.items()}
    functions = [
        node for each in trees.values() for node in ast.walk(each) if isinstance(node, Function)
    ]
    lengths = [n for text in sources.values() if (n := text.count("\n")) >= TRIVIAL]
    for name, values in (
        ("file", lengths), ("function", [f.end_lineno - f.lineno + 1 for f in functions]),  # type: ignore[operator]
    ):  # fmt: skip
        figures[f"length of a {name}: median"] = statistics.median(values)
        figures[f"length of a {name}: p90"] = sorted(values)[len(values) * 9 // 10]
        figures[f"length of a {name}: longest"] = max(values)
    short = [f for f in functions if ast.get_docstring(f) and body_lines(f) <= 2]
    figures["docstrings on bodies of two lines or less"] = len(short)
    figures["of these, that say the name again"] = sum(map(restates, short))
    figures["callables that another object overwrites"] = len(overwritten(trees))
    figures[f"files below {SMALL} lines with one importer"] = sum(
        sources[path].count("\n") < SMALL for path in imported_once(trees)
    )
    return dict(figures)


def body_lines(function: Function) -> int:
    """Lines below the docstring."""
    last, doc = function.end_lineno, function.body[0].end_lineno
    return (last or 0) - (doc or 0)


def restates(function: Function) -> bool:
    """Whether what a docstring says stands in the names of the function and its two lines."""
    words = set(re.findall(r"[a-z]+", (ast.get_docstring(function) or "").lower())) - SAYS_NOTHING
    code = ast.unparse(ast.Module([*function.body[1:]], [])) + " " + function.name
    stems = {word[:4] for word in re.findall(r"[a-z]+", code.lower())}
    return 2 * sum(word[:4] in stems for word in words) >= len(words)


def overwritten(trees: Mapping[str, ast.Module]) -> set[str]:
    """Attributes that hold a callable, or None for one, and that another object assigns."""
    nodes = [node for each in trees.values() for node in ast.walk(each)]
    callables, assigned = set(), set()
    for node in nodes:
        targets = [node.target] if isinstance(node, ast.AnnAssign) else getattr(node, "targets", [])
        for target in targets:
            if not isinstance(target, ast.Attribute):
                continue
            if not (isinstance(target.value, ast.Name) and target.value.id in ("self", "cls")):
                assigned.add(target.attr)
            elif (
                "Callable[" in (kind := ast.unparse(node))
                or ": lambda" in kind
                or "= lambda" in kind
            ):
                callables.add(target.attr)
    return callables & assigned


def imported_once(trees: Mapping[str, ast.Module]) -> Iterator[str]:
    """Files that exactly one other file imports."""
    importers: dict[str, set[str]] = defaultdict(set)
    for path, each in trees.items():
        for node in ast.walk(each):
            names = [
                alias.name for alias in getattr(node, "names", ()) if isinstance(alias, ast.alias)
            ]
            if isinstance(node, ast.ImportFrom):
                names = [node.module or "", *(f"{node.module}.{name}" for name in names)]
            for name in names:
                importers[f"{name.replace('.', '/')}.py"].add(path)
    return (path for path in trees if len(importers[path] - {path}) == 1)


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(prog="python -m tests.measure", description=__doc__)
    parser.add_argument("--against", metavar="COMMIT", help="print before, now and the change")
    args = parser.parse_args()
    now = measure(tree(None))
    before = measure(tree(args.against)) if args.against else {}
    for name in sorted({*now, *before}):
        cells = [before.get(name, 0), now.get(name, 0)]
        cells.append(cells[1] - cells[0])
        shown = "".join(f"{cell:>12,.0f}" for cell in (cells if before else cells[1:2]))
        print(f"{name:<48}{shown}")


if __name__ == "__main__":
    main()
