"""Machine code for rules and searches: the only importer of numba.

`search(uct, game)` is a second copy of bots/engine/kernels/uct.py in which the stubs of
bots/engine/kernels/rules.py are the game's kernels, and every function marked @kernel is compiled
by numba; without numba, or with PLYHOUSE_PLAIN in the environment, it is the same copy in plain
Python, some fifty times slower.  The sources are the same: nothing is written twice.

Compiled code is kept in the user's cache, one folder a copy.  Two traps lie there, both silent.
numba looks at a function's own file only, so it would go on with a function whose callee in another
file has changed; and it names an entry by file and function, so two games compiled into one search
would share it.  Therefore a folder's name is a hash of all the sources that a copy depends on:
kernels, and the named tuples (records.py) that they take.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from bots.engine import code_cache
from bots.engine.kernels import hints, rules
from bots.engine.kernels.rules import Floats, Ints
from games.game import Game
from games.kernel import is_kernel

OPTIONS = {
    "nogil": True,
    "cache": True,
    "error_model": "numpy",  # no check for a division by zero in every division
    "_nrt": False,  # arrays come from outside: counting references to them costs a quarter
}
LOOSE: dict[str, Any] = {"fastmath": {"reassoc", "contract", "arcp"}}  # where LOOSE = True

SEARCHES = ("bots.", "lab.")  # the packages whose kernels are filled in for a game

at_once = False  # bots of this process join before all is compiled: see bots/online/readiness.py

_lock = threading.RLock()
_copies: dict[str, ModuleType] = {}
_refused: set[str] = set()  # games whose rules numba does not take


@cache
def available() -> bool:
    """Whether there is numba, and it is not turned off (PLYHOUSE_PLAIN)."""
    return not os.environ.get("PLYHOUSE_PLAIN") and not missing()


@cache
def missing() -> bool:
    return importlib.util.find_spec("numba") is None


def processor() -> tuple[str, str]:
    """What machine code is compiled for here: a name, and a digest of what it can; "" without.

    Where these differ, sums of nets may differ in their last bit.  NUMBA_CPU_NAME and
    NUMBA_CPU_FEATURES change them.
    """
    if not available():
        return "", ""
    codegen: Any = importlib.import_module("numba.core.codegen")
    config: Any = importlib.import_module("numba").config
    host: Any = importlib.import_module("llvmlite.binding")
    features = config.CPU_FEATURES
    if features is None:
        features = codegen.get_host_cpu_features()
    name = config.CPU_NAME or host.get_host_cpu_name()
    return str(name), hashlib.sha256(str(features).encode()).hexdigest()[:8]


def ints(n: int, plain: bool = False) -> Ints:
    """`n` zeros, for a compiled search (int64), or as a list for a plain one."""
    return [0] * n if plain or not available() else _numpy().zeros(n, dtype="int64")


def floats(n: int, plain: bool = False) -> Floats:
    """`n` zeros, for a compiled search (float64), or as a list for a plain one."""
    return [0.0] * n if plain or not available() else _numpy().zeros(n, dtype="float64")


def singles(n: int, plain: bool = False) -> Floats:
    """`n` zeros in single precision (float32), or as a list for a plain search."""
    return [0.0] * n if plain or not available() else _numpy().zeros(n, dtype="float32")


def search(
    module: ModuleType, game: Game, *, plain: bool = False, **instead: Callable[..., Any]
) -> ModuleType:
    """The copy of a file of kernels for `game`; made once a process.

    Args:
        module: a file of a folder `kernels`, such as bots.engine.kernels.uct.
        plain: not compiled, even where it could be.
        instead: other kernels than the game's own, such as `evaluate=evaluate_boards`.
    """
    plain = plain or not available()
    with _lock:
        return _Maker(game, _kernels(game) | instead, plain).copy(module)


class CompiledSearch:
    """A search over one game: its kernels, as machine code or `plain`, and arrays for them."""

    def __init__(
        self, module: ModuleType, game: Game, plain: bool, **instead: Callable[..., Any]
    ) -> None:
        self.plain = plain or not available()
        self._kernels = search(module, game, plain=self.plain, **instead)

    def _ints(self, n: int) -> Ints:
        return ints(n, self.plain)

    def listen(self, attach: Callable[[ModuleType], None]) -> None:
        """Search by kernels of its own from now on, into which `attach` puts listeners; plain."""
        self._kernels = unshared(self._kernels)
        attach(self._kernels)


def unshared(copy: ModuleType) -> ModuleType:
    """A plain copy once more, for one search alone: what replaces a function in it is called by the
    others in it, and by no other process.
    """
    own = ModuleType(copy.__name__)
    own.__dict__.update(copy.__dict__)
    for name, value in vars(copy).items():
        if isinstance(value, FunctionType) and value.__globals__ is vars(copy):
            own.__dict__[name] = FunctionType(value.__code__, own.__dict__, name)
    return own


def _kernels(game: Game) -> dict[str, Callable[..., Any]]:
    return {k: f for k in rules.KERNELS if (f := getattr(game, k, None)) is not None}


def direct(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that has run, without numba's look at what kind its arguments are.

    That look takes 2 us where records of many arrays are handed over.  From now on the kernel must
    get the kinds of its first call: nothing checks it.  Plain Python is returned as it is.
    """
    overloads = list(getattr(kernel, "overloads", {}).values())
    if len(overloads) != 1:  # plain Python, or compiled for several kinds
        return kernel
    entry: Callable[..., Any] = overloads[0].entry_point
    return entry


def ready(module: ModuleType, game: Game) -> bool:
    """Whether a search can go on without compiling: it was compiled before, or never will be."""
    if not available() or is_refused(game):
        return True
    mark = _mark(module, game)
    return mark is not None and mark.exists()


def mark_ready(module: ModuleType, game: Game) -> None:
    """Remember that all of a search has been compiled, so that `ready` says so from now on."""
    mark = _mark(module, game) if available() else None
    if mark is not None:
        with suppress(OSError):  # then the next process compiles in vain, and finds all there
            mark.touch()


def _mark(module: ModuleType, game: Game) -> Path | None:
    folder = code_cache.folder_of(_Maker(game, _kernels(game), plain=False).name(module))
    return None if folder is None else folder / "whole"


def refusals() -> tuple[type[Exception], ...]:
    """The errors by which numba refuses to compile a function; none without numba."""
    if not available():
        return ()
    return (importlib.import_module("numba.core.errors").NumbaError,)


def refuse(game: Game, error: Exception) -> str:
    """Play a game as plain Python from now on in this process: numba has refused its rules.

    Returns:
        Where and why, in a sentence.
    """
    _refused.add(game.name)
    file = str(sys.modules[game.setup.__module__].__file__)
    place = re.search(rf"at {re.escape(file)} \((\d+)\)", str(error))
    if place is None:
        return f"numba cannot compile the rules in {file}"
    line = Path(file).read_text("utf-8").splitlines()[int(place[1]) - 1].strip()
    return f"{file}, line {place[1]}: numba cannot compile `{line}`"


def is_refused(game: Game) -> bool:
    return game.name in _refused


class _Maker:
    """Makes the copies for one game, each after those that it takes kernels from."""

    def __init__(self, game: Game, kernels: dict[str, Callable[..., Any]], plain: bool) -> None:
        self.plain = plain
        self.kernels = kernels
        self.constants = {
            "STATE": game.state_size,
            "MAX_LEGAL": game.max_legal,
            "SCRATCH": game.scratch,
            "MAX_PLIES": game.max_plies,
            "MAX_RETURN": game.max_return,
            "HAS_CHANCE": "weight" in kernels,
            "HAS_EVALUATE": "evaluate" in kernels,
            "HAS_FEATURES": "features" in kernels,
            "HAS_TACTIC": "tactic" in kernels,
            "HAS_PLAYOUT": "playout" in kernels,
        }

    def copy(self, module: ModuleType) -> ModuleType:
        """The copy of `module`, from memory or made now."""
        name = self.name(module)
        if name not in _copies:
            _copies[name] = self._make(module, name)
        return _copies[name]

    def name(self, module: ModuleType) -> str:
        """What a copy is called: no two that differ in anything share it."""
        kernels, constants = tuple(sorted(self.kernels.items())), tuple(self.constants.items())
        name = f"{module.__name__.replace('.', '_')}_{_digest(module, kernels, constants)}"
        return f"{name}_plain" if self.plain else name

    def _make(self, module: ModuleType, name: str) -> ModuleType:
        copy = ModuleType(name)
        copy.__file__ = module.__file__
        sys.modules[name] = copy  # numba looks a compiled function's module up by its name
        exec(compile(_source(module), str(module.__file__), "exec"), copy.__dict__)
        for k, kernel in _taken(module):
            copy.__dict__[k] = self._copied(kernel)
        self._fill_in(copy)
        if not self.plain:
            self._compile(copy)
        return copy

    def _copied(self, function: Callable[..., Any]) -> Any:
        return getattr(self.copy(sys.modules[function.__module__]), function.__name__)

    def _fill_in(self, copy: ModuleType) -> None:
        """Put kernels, sizes and hints where the stubs are."""
        own = copy.__dict__
        for k, stub in list(own.items()):
            if k in rules.CONSTANTS and stub == getattr(rules, k):
                own[k] = self.constants[k]
            elif stub is getattr(rules, k, None) and k in self.kernels:
                own[k] = self._copied(self.kernels[k])
            elif stub is hints.prefetch and not self.plain:
                own[k] = _prefetch()
            elif stub is hints.single and not self.plain:
                own[k] = _numpy().float32
            elif stub is hints.place and not self.plain:
                own[k] = _numpy().uint64

    def _compile(self, copy: ModuleType) -> None:
        numba: Any = importlib.import_module("numba")
        folder = code_cache.folder_of(copy.__name__)
        numba.config.CACHE_DIR = str(folder or "")
        options = OPTIONS | (LOOSE if copy.__dict__.get("LOOSE") is True else {})
        options["cache"] = folder is not None
        for k, value in list(copy.__dict__.items()):
            if is_kernel(value) and value.__module__ == copy.__name__:
                copy.__dict__[k] = kernel = numba.njit(**options)(value)
                kernel._cache = code_cache.SafeCache(kernel._cache)


@cache
def _digest(
    module: ModuleType,
    kernels: tuple[tuple[str, Callable[..., Any]], ...],
    constants: tuple[tuple[str, int], ...],
) -> str:
    """A name for all that a copy of `module` depends on; sources are read once a process."""
    digests: dict[str, str] = {}
    _gather(module, [kernel for _, kernel in kernels], digests)
    parts = [f"{name} {digest}" for name, digest in sorted(digests.items())]
    if any(name.startswith(SEARCHES) for name in digests):
        parts += [f"{k} {f.__module__}.{f.__name__}" for k, f in kernels]
        parts += [f"{k} {value}" for k, value in constants]
    whole = "\n".join([repr(OPTIONS), code_cache.FORM, *parts])
    return hashlib.sha256(whole.encode()).hexdigest()[:20]


def _gather(module: ModuleType, kernels: list[Callable[..., Any]], digests: dict[str, str]) -> None:
    """Write the digests of a module and of all that it takes something from, by their names."""
    if module.__name__ in digests:
        return
    others = [sys.modules[function.__module__] for _, function in _taken(module)]
    if module.__name__.startswith(SEARCHES):
        others += [sys.modules[kernel.__module__] for kernel in kernels]
    for source in (module, *_records(module)):
        digests[source.__name__] = hashlib.sha256(_source(source).encode()).hexdigest()
    for other in others:
        _gather(other, kernels, digests)


def _records(module: ModuleType) -> list[ModuleType]:
    """The files of the named tuples that a module's kernels take.

    Copies share these classes: a copied one would be another type, and compiled once more.
    """
    classes = [c for c in vars(module).values() if isinstance(c, type) and hasattr(c, "_fields")]
    return [sys.modules[c.__module__] for c in classes if c.__module__ != module.__name__]


def _taken(module: ModuleType) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The kernels that a module has imported, by the names that it has for them."""
    for k, value in vars(module).items():
        if is_kernel(value) and value.__module__ != module.__name__:
            yield k, value


@cache
def _source(module: ModuleType) -> str:
    return Path(str(module.__file__)).read_text("utf-8")


def _numpy() -> Any:
    return importlib.import_module("numpy")


@cache
def _prefetch() -> Any:
    """hints.prefetch as an instruction of the machine: for reading, to be kept in all caches."""
    ir: Any = importlib.import_module("llvmlite.ir")
    types: Any = importlib.import_module("numba").types
    cgutils: Any = importlib.import_module("numba.core.cgutils")
    intrinsic: Any = importlib.import_module("numba.extending").intrinsic

    @intrinsic  # type: ignore[untyped-decorator]
    def prefetch(typing: Any, table: Any, slot: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
            array = context.make_array(signature.args[0])(context, builder, given[0])
            index = context.cast(builder, given[1], signature.args[1], types.intp)
            place = builder.bitcast(builder.gep(array.data, [index]), ir.IntType(8).as_pointer())
            four = [ir.IntType(8).as_pointer(), *[ir.IntType(32)] * 3]
            kind = ir.FunctionType(ir.VoidType(), four)
            call = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
            builder.call(call, [place, *(ir.IntType(32)(n) for n in (0, 3, 1))])
            return context.get_dummy_value()

        return types.void(table, slot), generate

    return prefetch
