"""A scene with a ladder and programs that play on it: what the tests of ladders share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from games import rng
from protocol import messages, parts
from protocol.ladder import (
    LadderCreate,
    LadderJoin,
    LadderPairs,
    LadderState,
    LadderStatus,
    LadderTold,
    PairPage,
)
from server.ladder.actor import LadderActor
from server.ladder.core.ladder import Ladder
from tests.server.memory_store import MemoryStore
from tests.server.scene import Player, Scene

NAME = "daily"
CLOCK = parts.ClockOptions(base_ms=60_000, increment_ms=100)
Choose: TypeAlias = Callable[[messages.MatchState], str | None]  # None: think on


def first(state: messages.MatchState) -> str:
    """Always the first of the legal actions."""
    return (state.legal or ("",))[0]


def at_random(seed: int) -> Choose:
    """Any of them; the same ones for the same seed."""
    stream = rng.seeded(seed)

    def choose(state: messages.MatchState) -> str:
        legal = state.legal or ("",)
        return legal[rng.below(stream, len(legal))]

    return choose


class Bot:
    """A program; `seen` is all that it has been sent, `states` the newest of each match."""

    def __init__(
        self, scene: Scene, name: str, choose: Choose = first, *, program: str = "bot",
        version: str = "1", slots: int = 1, games: Sequence[str] = (), token: str = "",
        address: str = "",
    ) -> None:  # fmt: skip
        self.name, self.choose = name, choose
        self.info = parts.BotInfo(program=program, version=version, slots=slots, games=list(games))
        self.token = token  # of an owner who has other bots here
        self.address = address
        self.player: Player
        self.seen: list[messages.Push] = []
        self.states: dict[str, messages.MatchState] = {}
        self.answered: dict[str, int] = {}
        self.silent = False
        self.connect(scene)

    @property
    def title(self) -> str:
        """What a ladder calls it."""
        return f"{self.name}/{self.info.program}@{self.info.version}"

    def connect(self, scene: Scene) -> None:
        """Come, or come back."""
        self.player = scene.connect(address=self.address)
        hello = messages.Hello(version=messages.VERSION, name=self.name, bot=self.info)
        if self.token:
            hello = messages.Hello(version=messages.VERSION, token=self.token, bot=self.info)
        self.player.say(hello)
        self.answered.clear()
        self.states.clear()
        self.hear()
        welcome = [m for m in self.seen if isinstance(m, messages.Welcome)][-1]
        self.token = welcome.token or self.token

    def join(self, ladder: str = NAME, **more: object) -> None:
        """Join a ladder; it has to be granted."""
        answer = self.ask_to_join(ladder, **more)
        assert isinstance(answer, messages.Ok), answer

    def ask_to_join(self, ladder: str = NAME, **more: object) -> messages.Push:
        """Join a ladder, whatever the answer is."""
        self.player.say(LadderJoin(id=901, ladder=ladder, **more))  # type: ignore[arg-type]
        return next(m for m in self.hear() if m.re == 901)

    def hear(self) -> list[messages.Push]:
        """What has come, which is noted."""
        heard = self.player.heard()
        self.seen += heard
        for message in heard:
            if isinstance(message, messages.MatchState):
                self.states[message.match] = message
            elif isinstance(message, messages.Error) and message.code == "server/not-stored":
                self.answered.clear()
        return heard

    def act(self) -> bool:
        """Answer all positions that are to be answered; whether there was one."""
        self.hear()
        done = False
        for state in list(self.states.values()):
            if state.legal is None or self.answered.get(state.match) == state.turn or self.silent:
                continue
            action = self.choose(state)
            if action is not None:
                done = True
                self.answered[state.match] = state.turn
                self.player.send(messages.Play(match=state.match, turn=state.turn, action=action))
        return done

    def live(self) -> list[str]:
        """The matches that it plays now."""
        return [s.match for s in self.states.values() if s.result is None]

    def resign(self, match: str, *, crashed: bool = False) -> None:
        """Give up."""
        self.player.say(messages.Resign(match=match, crashed=crashed))

    def told(self) -> list[str]:
        """Codes of what it was told, and refused."""
        kinds = (LadderTold, messages.Error, messages.Bye)
        return [m.code for m in self.seen if isinstance(m, kinds)]

    def go(self) -> None:
        """Lose the connection."""
        self.player.go()


class LadderScene:
    """A ladder of ann's in a scene."""

    def __init__(self, scene: Scene, game: str = "tic_tac_toe", **more: object) -> None:
        self.scene = scene
        self.ann = scene.enter("ann")
        create = LadderCreate(id=900, name=NAME, game=game, clock=CLOCK, seed=1, **more)  # type: ignore[arg-type]
        self.made = self.ann.ask(create, LadderState)

    @property
    def actor(self) -> LadderActor:
        """The owner of the ladder."""
        return self.scene.ladders.by_name[NAME]

    @property
    def ladder(self) -> Ladder:
        """The ladder itself."""
        return self.actor.ladder

    def bots(self, *chooses: Choose, **more: object) -> list[Bot]:
        """Bots of one owner each, called bob0, bob1 ..., that have joined."""
        bots = [Bot(self.scene, f"bob{i}", c, **more) for i, c in enumerate(chooses)]  # type: ignore[arg-type]
        for bot in bots:
            bot.join()
        return bots

    def run(self, bots: Sequence[Bot], until: Callable[[], bool], rounds: int = 4_000) -> None:
        """Let the bots play until something is so; 10 ms pass with each round of answers."""
        for _ in range(rounds):
            if until():
                return
            for bot in bots:
                bot.act()
            self.scene.store.settle()
            self.scene.wait(10)
        raise AssertionError(f"{rounds} rounds, and it has not come: {self.state()}")

    def pairs_over(self, count: int) -> Callable[[], bool]:
        """Whether so many pairs are over, void ones included."""
        return lambda: len(self.ladder.over) >= count

    def again(self, store: MemoryStore | None = None, bots: Sequence[Bot] = ()) -> None:
        """The same log, or another one, in a new process; ann and these bots come back."""
        self.scene = self.scene.again() if store is None else Scene(self.scene.config, store)
        self.ann = self.scene.enter(token=self.ann.token)
        self.ann.heard()
        for bot in bots:
            bot.connect(self.scene)

    def state(self) -> LadderState:
        """The standing, as ann is shown it."""
        self.ann.heard()
        return self.ann.ask(LadderStatus(id=902, ladder=NAME), LadderState)

    def page(self, since: int = 0) -> PairPage:
        """Pairs that are over, as ann is shown them."""
        self.ann.heard()
        return self.ann.ask(LadderPairs(id=903, ladder=NAME, since=since), PairPage)

    def kinds(self) -> list[str]:
        """What has happened on the ladder."""
        return self.scene.store.kinds(self.ladder.number)


def resigning(_: messages.MatchState) -> None:
    """No answer: such a bot resigns; see resign_all."""


def resign_all(bot: Bot, *, crashed: bool = False) -> None:
    """Give up all that it plays."""
    bot.hear()
    for match in bot.live():
        bot.resign(match, crashed=crashed)
    bot.hear()
