"""The set-up of a fresh machine: setup_env.py and the lock files.  Nothing reaches the network."""

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import setup_env

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")

Lock = dict[str, list[Requirement]]  # name -> one requirement a marker


def blocks(kind: str) -> list[str]:
    """A lock's entries, each with its hashes, as one line each."""
    text = (ROOT / setup_env.LOCKS[kind]).read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return "\n".join(lines).replace("\\\n", " ").splitlines()


def read_lock(kind: str) -> Lock:
    lock: Lock = {}
    for block in blocks(kind):
        requirement = Requirement(HASH.sub("", block))
        lock.setdefault(canonicalize_name(requirement.name), []).append(requirement)
    return lock


def applies(requirement: Requirement) -> bool:
    return requirement.marker is None or requirement.marker.evaluate({"extra": ""})


# --- locks


@pytest.mark.parametrize("kind", ["run", "dev"])
def test_every_entry_of_a_lock_is_pinned_and_hashed_and_names_no_address(kind: str) -> None:
    for block in blocks(kind):
        assert re.match(r"[\w.-]+==[\w.]+ ", block), block
        assert HASH.search(block), block
    text = (ROOT / setup_env.LOCKS[kind]).read_text(encoding="utf-8")
    assert not re.search(r"/|@|^-|file:", text, re.MULTILINE), "nor a path or an option"


def test_the_dev_lock_holds_all_of_the_run_lock_and_that_the_build_backend() -> None:
    assert set(blocks("run")) < set(blocks("dev"))
    assert "hatchling" in read_lock("run")


@pytest.mark.parametrize(("kind", "extras"), [("run", {"fast"}), ("dev", {"fast", "dev", "docs"})])
def test_a_lock_holds_what_the_project_asks_for(kind: str, extras: set[str]) -> None:
    lock = read_lock(kind)
    asked = [Requirement(text) for text in PROJECT["dependencies"]]
    for extra in extras:
        asked += [Requirement(text) for text in PROJECT["optional-dependencies"][extra]]
    for requirement in asked:
        for pin in lock[canonicalize_name(requirement.name)]:
            (version,) = pin.specifier
            assert requirement.specifier.contains(version.version), requirement


@pytest.mark.parametrize("kind", ["run", "dev"])
def test_a_lock_is_complete(kind: str) -> None:
    # Set-up installs with --no-deps, so a dependency that the lock forgot would be missing.
    lock = read_lock(kind)
    for name, pins in lock.items():
        if any(applies(pin) for pin in pins):
            for text in metadata.distribution(name).requires or []:
                needed = Requirement(text)
                if applies(needed):
                    version = metadata.version(needed.name)
                    assert canonicalize_name(needed.name) in lock, f"{name} needs {text}"
                    assert needed.specifier.contains(version), f"{name} needs {text}"


# --- the environment


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of what set-up reads, in a folder of its own."""
    for name in ("pyproject.toml", "setup_env.py", *setup_env.LOCKS.values()):
        shutil.copy(ROOT / name, tmp_path)
    monkeypatch.setattr(setup_env, "ROOT", tmp_path)
    return tmp_path


@pytest.fixture
def commands(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that set-up would run; `-m venv` makes a Python that is only a file."""
    ran: list[list[str]] = []

    def run(command: list[str], failure: str) -> None:
        ran.append(command)
        if command[1:3] == ["-m", "venv"]:
            python = Path(command[-1]) / "bin" / "python"
            python.parent.mkdir(parents=True, exist_ok=True)
            python.touch()

    monkeypatch.setattr(setup_env, "run", run)
    monkeypatch.setattr(setup_env.os, "name", "posix")
    return ran


def made(commands: list[list[str]], kind: str) -> list[str]:
    """The last words of the commands that one set-up runs."""
    commands.clear()
    assert setup_env.main([kind]) == 0
    return [command[-1] for command in commands]


def test_the_first_set_up_makes_the_environment_and_a_changed_lock_is_installed_into_it(
    checkout: Path, commands: list[list[str]]
) -> None:
    assert made(commands, "run") == [str(checkout / ".venv"), "requirements.lock", "."]
    venv, lock, project = commands
    assert "--clear" not in venv
    assert {"--require-hashes", "--no-deps"} < set(lock)
    assert {"--no-build-isolation", "--no-deps", "-e"} < set(project)
    with (checkout / "requirements.lock").open("a") as lock:
        lock.write("# changed\n")
    assert "requirements.lock" in made(commands, "run")
    assert "--clear" not in commands[0]


def test_the_second_set_up_does_and_says_nothing(
    commands: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert "requirements.lock" in made(commands, "run")
    assert "requirements-dev.lock" in made(commands, "dev")
    capsys.readouterr()
    assert made(commands, "dev") == made(commands, "run") == []  # dev has all of run
    assert capsys.readouterr() == ("", "")


def test_an_unfinished_or_moved_environment_is_made_anew(
    checkout: Path, commands: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(command: list[str], failure: str) -> None:
        run(command, failure)
        if "pip" in command:
            raise KeyboardInterrupt

    run = setup_env.run
    with monkeypatch.context() as patch:
        patch.setattr(setup_env, "run", fail)
        assert setup_env.main(["run"]) == 130
    assert len(made(commands, "run")) == 3
    assert "--clear" in commands[0]
    moved = checkout.with_name(checkout.name + "-moved")
    checkout.rename(moved)
    monkeypatch.setattr(setup_env, "ROOT", moved)
    assert len(made(commands, "run")) == 3
    assert "--clear" in commands[0]


# --- sentences


def test_without_pythons_venv_package_one_sentence_names_it(checkout: Path) -> None:
    # sitecustomize stands for a Debian without the package.
    (checkout / "sitecustomize.py").write_text("import sys; sys.modules['ensurepip'] = None")
    done = subprocess.run(
        [sys.executable, "setup_env.py", "run"],
        cwd=checkout,
        env={"PYTHONPATH": str(checkout), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert f"apt install python{sys.version_info[0]}.{sys.version_info[1]}-venv" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (checkout / ".venv").exists()


def test_an_old_python_says_which_is_needed(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 9, 2, "final", 0))
    assert setup_env.main(["run"]) == 2
    assert capsys.readouterr().err == "Set-up: Plyhouse needs Python 3.11 or newer; this is 3.9.\n"


def test_setup_env_parses_on_python_3_8() -> None:
    ast.parse((ROOT / "setup_env.py").read_text(encoding="utf-8"), feature_version=(3, 8))


def test_a_failed_command_ends_in_a_sentence(capfd: pytest.CaptureFixture[str]) -> None:
    command = [sys.executable, "-c", "import sys; sys.exit('no matching distribution')"]
    with pytest.raises(SystemExit, match="Set-up: pip could not install it"):
        setup_env.run(command, "pip could not install it.")
    assert "no matching distribution" in capfd.readouterr().err


def test_an_unknown_kind_gets_the_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert setup_env.main(["all"]) == 2
    assert "setup_env.py run" in capsys.readouterr().out
