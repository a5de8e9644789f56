"""The README and the pages for who plays, hosts and lets bots play tell the truth: every command in
them is run here, every program too.

`sh` fences hold commands, one a line.  Each is run as the first pattern of HOW that fits says; one
that no pattern knows fails the test, so that none is added unseen.  `make run` is run without its
set-up, and `make test` is left out: it would run this test again.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import ClientConnection, connect

from games import registry
from plyhouse import HOUSE_BOTS
from tests.support.absent.environment import having
from tests.support.warm import Warm

ROOT = Path(__file__).parent.parent
PAGES = ("README.md", "docs/play.md", "docs/bots.md", "docs/ladder.md", "docs/speed.md")
README, *OTHERS = [(ROOT / page).read_text("utf-8") for page in PAGES]
HOSTING = (ROOT / "docs" / "hosting.md").read_text("utf-8").split("## At home")[1].split("\n## ")[0]
PATIENCE = 120.0  # seconds until a command that hangs is given up

pytestmark = pytest.mark.socket


@dataclass(frozen=True)
class How:
    """How a command is run: with what on standard input, until which line, with what more words.

    `until` None: to its end, which must be `code`.  Else it is interrupted after that line, and
    must end with 0.
    """

    pattern: str
    stdin: str = ""
    until: str | None = None
    more: str = ""
    code: int = 0
    before: Callable[[str], None] | None = None  # is called first, with the server's address

    def run(self, warm: Warm, words: list[str], env: dict[str, str], home: Path) -> tuple[int, str]:
        """Run it; its exit code, and all that it wrote."""
        if self.until is None:
            return warm.run(words, env, home, PATIENCE, self.stdin)
        with warm.running(words, env, home, PATIENCE) as process:
            process.stdin.close()
            seen = []
            for text in process.stdout:
                seen.append(text)
                if self.until in text:
                    break
            else:
                pytest.fail(f"{self.until!r} never came; there was {''.join(seen)}")
            process.send_signal(signal.SIGINT)
            seen += process.stdout
            return process.wait(), "".join(seen)


def ask(socket: ClientConnection, **request: object) -> dict[str, Any]:
    """Send a request; its answer, which is no error."""
    socket.send(json.dumps({**request, "id": 1}))
    while (answer := json.loads(socket.recv(PATIENCE))).get("re") != 1:
        pass
    assert answer["type"] != "error", answer
    return answer


def a_pair_is_over(url: str) -> None:
    """Two bots join the ladder of the example and play until it has a pair to report."""
    address = f"ws://{url}/ws"
    with connect(address, proxy=None) as one, connect(address, proxy=None) as two:
        for socket, program in ((one, "left"), (two, "right")):
            ask(socket, type="hello", version=1, bot={"program": program})
            ask(socket, type="ladder_join", ladder="friday")
            socket.send('{"type": "ladder_status", "ladder": "friday", "follow": true}')
        playing = [threading.Thread(target=_play_along, args=(each,)) for each in (one, two)]
        for thread in playing:
            thread.start()
        for thread in playing:
            thread.join(PATIENCE)
            assert not thread.is_alive(), "the ladder never had a pair"


def _play_along(socket: ClientConnection) -> None:
    """Play the first legal action until the standing has a pair."""
    for text in socket:
        said = json.loads(text)
        if "legal" in said:
            answer = {"type": "play", "match": said["match"], "turn": said["turn"]}
            socket.send(json.dumps({**answer, "action": said["legal"][0]}))
        if said["type"] == "ladder" and said["ladder"].get("pairs"):
            return


HOW = (
    How(r"make test", until="not run"),
    How(r"make run", until="Ctrl-C stops it", more="--port 0"),
    How(r"plyhouse up .*--database", code=2),  # no PostgreSQL is there; docs/cluster.md has tests
    How(r"plyhouse up\b", until="Ctrl-C stops it", more="--port 0"),
    How(r"plyhouse serve\b", until="listening on", more="--port 0"),
    How(r"plyhouse admin\b", more="--data house-data"),
    How(r"plyhouse bot\b", until=" is at "),
    How(r"plyhouse ladder report\b", before=a_pair_is_over),
    How(r"plyhouse ladder (create|status)\b"),
    How(r"plyhouse play --join QF7KDM", code=2),  # no room has the code of the example
    How(r"plyhouse play\b", stdin="/help\n", code=6),  # at the end of the input nobody has won
    How(r"plyhouse watch\b", stdin="/quit\n"),
    How(r"plyhouse bench kill\b.*--times", more="--matches 4 --times 2"),
    How(r"plyhouse bench chaos\b", more="--matches 3 --rooms 3"),
    How(r"plyhouse bench attack\b",
        more="lobby --seconds 0.3 --quiet 0.3 --rounds 1 --rest 0.1"),
    How(r"plyhouse bench plug\b", more="--images 0", code=2),
    How(r"plyhouse bench kill\b", more="--matches 4 --kills 1"),
    How(r"plyhouse bench server\b", more="--matches 4 --seconds 0.3 --rounds 1 --idle 20"),
    How(r"plyhouse bench peers\b",
        more="--alone --matches 2 --rounds 1 --seconds 0.3 --warm-up 0.1"),
    How(r"plyhouse bench search\b", more="--alone --rounds 1 --simulations 20"),
    How(r"plyhouse bench ladder\b",
        more="--bots 4 --seconds 0.3 --warm-up 0.1 --rounds 1"),
    How(r"plyhouse train\b",
        more="--games 1 --hidden 2,2,2 --threads 1 --pairs 0 "
             "--lessons 0 --refinements 0 --wide-rounds 0"),
    How(r"plyhouse bench backgammon\b", more="--plies 0 --pairs 0"),
    How(r"plyhouse think backgammon\b", more="--level 2"),  # plain Python takes long over more,
    How(r"plyhouse analyse\b", more="--plies 0"),  # and over this
    How(r"plyhouse sweep\b", more="--games 2 --iterations 5,10 --jobs 1"),
    How(r"plyhouse results\b", more="--minutes 0"),
    How(r"plyhouse match .*--(pairs|sprt)\b"),
    How(r"plyhouse match\b", more="--games 2"),
    How(r"plyhouse board\b", more="--effort 0"),
    How(r"plyhouse (rooms|doctor|matches|verify|export|replay|think|solve|completion|man)\b"),
    How(r"python3 setup_env.py run", until="not run"),
)  # fmt: skip

# Commands that make a file, or a ladder, which others name.
MAKES = r"plyhouse (?:(?:export|train) .*--out|ladder create) (\S+)"


def commands() -> list[str]:
    """The commands of all `sh` fences, each once, without comments."""
    pages = "".join([README, *OTHERS, HOSTING])
    fences = re.findall(r"^```sh\n(.*?)^```", pages, re.MULTILINE | re.DOTALL)
    lines = "".join(fences).splitlines()
    found = [line.split("  #")[0].split(" # ")[0].strip() for line in lines]
    return list(dict.fromkeys(command for command in found if command))


def how(command: str) -> How:
    """The way to run a command."""
    bare = re.sub(r"^(\w+=\S+ )*(\.venv/bin/)?", "", command)
    return next(h for h in HOW if re.match(h.pattern, bare))


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def env(home: Path) -> dict[str, str]:
    """An empty home, nothing of this machine's Plyhouse, and of packages what `make run` installs
    and what the README says besides.
    """
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PLYHOUSE_", "XDG_"))}
    kept["PLYHOUSE_PLAIN"] = "1"  # to compile is not what is looked at here
    kept["MPLCONFIGDIR"] = str(Path.home() / ".cache" / "matplotlib")  # it looks at fonts for long
    (home / "my_bots").mkdir(exist_ok=True)
    fence = r"^```python\n(# my_bots/timid\.py\n.*?)^```"
    code = re.search(fence, README, re.MULTILINE | re.DOTALL)
    assert code is not None
    (home / "my_bots" / "timid.py").write_text(code[1], encoding="utf-8")
    return {**kept, "HOME": str(home), "PYTHONUNBUFFERED": "1", **having("lan", "fast", "plots")}


@pytest.fixture(scope="module")
def warm(env: dict[str, str]) -> Iterator[Warm]:
    made = Warm(env)
    yield made
    made.close()


@pytest.fixture(scope="module")
def house(home: Path, env: dict[str, str], warm: Warm) -> Iterator[str]:
    """`plyhouse up` as the README says, on a free port; its address."""
    words = ["up", "--port", "0", "--data", str(home / "house-data")]
    with warm.running(words, env, home, 9 * PATIENCE) as process:
        url = process.stdout.readline().rpartition("http://")[2].strip()
        with waiting_in_room_1(url):
            played_in_room_2(url)
            yield url
        process.send_signal(signal.SIGINT)
        assert process.wait() == 0


@contextmanager
def waiting_in_room_1(url: str) -> Iterator[None]:
    """Somebody sits in the first room while the commands run, so that there is one to watch."""
    with connect(f"ws://{url}/ws", proxy=None) as socket:
        ask(socket, type="hello", version=1, name="ann")
        until = time.monotonic() + PATIENCE
        while len(ask(socket, type="lobby", follow=False)["bots"]) < len(HOUSE_BOTS.split(",")):
            assert time.monotonic() < until, "the house's bots do not come"
            time.sleep(0.05)  # as nobody tells
        assert ask(socket, type="create", game="connect_four")["room"] == 1
        yield


def played_in_room_2(url: str) -> None:
    """A match of backgammon is over there, so that there is one to look into."""
    address = f"ws://{url}/ws"
    with connect(address, proxy=None) as one, connect(address, proxy=None) as two:
        for socket in (one, two):
            ask(socket, type="hello", version=1)
        assert ask(one, type="create", game="backgammon")["room"] == 2
        ask(two, type="join", room=2)
        for socket, salt in ((one, "00ff"), (two, "c0ffee")):
            ask(socket, type="ready", room=2, salt=salt)
        while (said := json.loads(one.recv(PATIENCE)))["type"] != "match":
            pass
        position = registry.game("backgammon").parse_position(said["position"])
        play = {"match": "2.1", "turn": said["turn"], "action": position.legal_notation()[0]}
        ask((one, two)[said["to_move"]], type="play", **play)
        ask(two, type="resign", match="2.1")


def words(command: str) -> tuple[dict[str, str], list[str]]:
    """A command as (variables, words of `plyhouse`); `make run` as what it runs."""
    parts = shlex.split(command)
    variables = {}
    while "=" in parts[0]:
        name, _, value = parts.pop(0).partition("=")
        variables[name] = value
    if parts[:2] == ["make", "run"]:
        return variables, ["up"]
    assert Path(parts[0]).name == "plyhouse"
    return variables, parts[1:]


def test_no_placeholder_is_left_in_what_people_read() -> None:
    pages = [ROOT / "protocol/SPEC.md", *ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    left = re.compile(r"\b(?:FIGURES|TODO|FIXME|TBD|XXX)\b")
    assert [page for page in pages if left.search(page.read_text(encoding="utf-8"))] == []


def test_there_are_commands_and_each_is_known() -> None:
    found = commands()
    assert len(found) > 12
    assert all(how(command) for command in found)


def runs() -> Iterator[object]:
    """The commands to run; whole matches and all measurements are left to the long run."""
    for command in commands():
        long = re.search(r"plyhouse (bench|match|sweep|analyse)\b|--tree", command)
        slow = [pytest.mark.slow] if long else []
        if how(command).until != "not run":
            yield pytest.param(command, marks=slow)


@pytest.fixture(scope="module")
def ran() -> set[str]:
    """The commands that have worked, each in its own test or before another that needs it."""
    return set()


@pytest.mark.parametrize("command", list(runs()))
def test_a_command_of_the_readme_works(
    command: str, house: str, home: Path, env: dict[str, str], ran: set[str], warm: Warm
) -> None:
    def run(command: str) -> None:
        """Run a command once, behind those that make what it reads."""
        if command in ran:
            return
        way = how(command)
        variables, argv = words(command)
        for other in commands():
            made = re.match(MAKES, other)
            if made and other != command and made[1] in (*argv, *variables.values()):
                run(other)
        if way.until and argv[0] in ("up", "serve") and "--data" not in argv:
            argv += ["--data", str(home / "another-house")]
        if way.before is not None:
            way.before(house)
        everything = {**env, "PLYHOUSE_URL": house, **variables}
        code, said = way.run(warm, [*argv, *way.more.split()], everything, home)
        assert (code, "Traceback" in said) == (way.code, False), said
        assert said
        ran.add(command)

    run(command)
