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
def test_every_entry_of_a_lock_is_pinned_and_hashed(kind: str) -> None:
    for block in blocks(kind):
        assert re.match(r"[\w.-]+==[\w.]+ ", block), block
        assert HASH.search(block), block


@pytest.mark.parametrize("kind", ["run", "dev"])
def test_a_lock_names_no_address_no_path_and_no_option(kind: str) -> None:
    text = (ROOT / setup_env.LOCKS[kind]).read_text(encoding="utf-8")
    assert not re.search(r"/|@|^-|file:", text, re.MULTILINE)


def test_the_dev_lock_holds_all_of_the_run_lock_in_the_same_versions() -> None:
    run, dev = blocks("run"), blocks("dev")
    assert set(run) < set(dev)


@pytest.mark.parametrize(
    ("kind", "extras"),
    [("run", {"fast", "lan"}), ("dev", {"fast", "lan", "postgres", "plot", "dev"})],
)
def test_a_lock_holds_what_the_project_asks_for(kind: str, extras: set[str]) -> None:
    lock = read_lock(kind)
    asked = [Requirement(text) for text in PROJECT["dependencies"]]
    for extra in extras:
        asked += [Requirement(text) for text in PROJECT["optional-dependencies"][extra]]
    for requirement in asked:
        if requirement.name != "plyhouse":
            pins = lock[canonicalize_name(requirement.name)]
            for pin in pins:
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


def test_the_build_backend_is_in_the_lock() -> None:
    assert "hatchling" in read_lock("run")


# --- the stamp


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of what set-up reads, in a folder of its own."""
    for name in ("pyproject.toml", "setup_env.py", *setup_env.LOCKS.values()):
        shutil.copy(ROOT / name, tmp_path)
    monkeypatch.setattr(setup_env, "ROOT", tmp_path)
    return tmp_path


@pytest.fixture
def commands(house: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What set-up would run; an environment works once `-m venv` was run for it."""
    ran: list[list[str]] = []

    def note(command: list[str], failure: str) -> None:
        ran.append(command)
        if command[1:3] == ["-m", "venv"]:
            (Path(command[3]) / "made").touch()

    monkeypatch.setattr(setup_env, "run_quietly", note)
    monkeypatch.setattr(setup_env, "works", lambda venv: (venv / "made").exists())
    return ran


def test_the_first_set_up_makes_the_environment_and_installs_the_lock_then_the_project(
    house: Path, commands: list[list[str]]
) -> None:
    assert setup_env.main(["run"]) == 0
    venv, lock, project = commands
    assert venv[1:] == ["-m", "venv", str(house / ".venv")]
    assert lock[-3:] == ["--require-hashes", "-r", "requirements.lock"]
    assert project[-3:] == ["--no-build-isolation", "-e", "."]


def test_the_second_set_up_does_and_says_nothing(
    commands: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    setup_env.main(["dev"])
    commands.clear()
    capsys.readouterr()
    assert setup_env.main(["dev"]) == 0
    assert setup_env.main(["run"]) == 0  # dev has all of run
    assert commands == []
    assert capsys.readouterr() == ("", "")


def test_dev_after_run_adds_to_the_same_environment(commands: list[list[str]]) -> None:
    setup_env.main(["run"])
    commands.clear()
    setup_env.main(["dev"])
    assert [command[-1] for command in commands] == ["requirements-dev.lock", "."]


def test_a_changed_lock_is_installed_into_the_same_environment(
    house: Path, commands: list[list[str]]
) -> None:
    setup_env.main(["run"])
    commands.clear()
    with (house / "requirements.lock").open("a") as lock:
        lock.write("# changed\n")
    setup_env.main(["run"])
    assert [command[-1] for command in commands] == ["requirements.lock", "."]


def test_an_interrupted_set_up_is_made_anew(
    house: Path, commands: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut_short(kind: str, venv: Path) -> None:
        (venv / "half").touch()
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(setup_env, "install", cut_short)
        assert setup_env.main(["run"]) == 130
    commands.clear()
    assert setup_env.main(["run"]) == 0
    assert commands[0][1:3] == ["-m", "venv"]
    assert not (house / ".venv" / "half").exists()


def test_a_moved_house_makes_its_environment_anew(
    house: Path, commands: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    setup_env.main(["run"])
    moved = house.with_name(house.name + "-moved")
    house.rename(moved)
    monkeypatch.setattr(setup_env, "ROOT", moved)
    commands.clear()
    setup_env.main(["run"])
    assert commands[0][1:3] == ["-m", "venv"]


def test_an_environment_made_by_hand_is_used(house: Path, commands: list[list[str]]) -> None:
    (house / ".venv").mkdir()
    (house / ".venv" / "made").touch()
    setup_env.main(["run"])
    assert [command[-1] for command in commands] == ["requirements.lock", "."]


# --- what a person is told


def test_without_pythons_venv_package_one_sentence_names_it(house: Path) -> None:
    # sitecustomize goes for every Python that set-up tries, as on a Debian without the package.
    (house / "sitecustomize.py").write_text("import sys; sys.modules['ensurepip'] = None")
    done = subprocess.run(
        [sys.executable, "setup_env.py", "run"],
        cwd=house,
        env={"PYTHONPATH": str(house), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert f"apt install python{sys.version_info[0]}.{sys.version_info[1]}-venv" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (house / ".venv").exists()


def test_an_old_python_is_told_which_it_needs(
    house: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(setup_env, "newer_python", lambda: None)
    monkeypatch.setattr(sys, "version_info", (3, 9, 2, "final", 0))
    assert setup_env.main(["run"]) == 2
    assert capsys.readouterr().err == "Set-up: Plyhouse needs Python 3.11 or newer; this is 3.9.\n"


def test_an_old_python_hands_over_to_a_newer_one(
    house: Path, commands: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(setup_env, "newer_python", lambda: "/opt/python3.12")
    monkeypatch.setattr(sys, "version_info", (3, 9, 2, "final", 0))
    assert setup_env.main(["run"]) == 0
    assert commands[0][0] == "/opt/python3.12"


def test_setup_env_parses_on_python_3_8() -> None:
    ast.parse((ROOT / "setup_env.py").read_text(encoding="utf-8"), feature_version=(3, 8))


def test_a_failed_command_shows_its_own_words_and_a_sentence(
    house: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [sys.executable, "-c", "import sys; sys.exit('no matching distribution')"]
    with pytest.raises(setup_env.SetupError, match="could not install"):
        setup_env.run_quietly(command, "pip could not install it.")
    assert "no matching distribution" in capsys.readouterr().err


def test_an_unknown_kind_gets_the_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert setup_env.main(["all"]) == 2
    assert "setup_env.py run" in capsys.readouterr().out
