"""The trace of a choice: what the search did, step by step, as plain values for JSON.

The bot thinks once more, with the same seed, in plain Python, where a recorder can listen; plain
and compiled find the same.  It thinks as far as a trace may go (SIMULATIONS, POSITIONS_VISITED,
BYTES): of a longer search, that is its beginning.
"""

from __future__ import annotations

from typing import Any, Final

from bots import registry
from bots.analysis.interruptible import run_interruptibly
from bots.bot import Bot, Budget
from bots.engine.kernels import flat as flat_kernels
from bots.engine.kernels.negamax import WIN
from bots.online.entry import Entry
from bots.roster.flat import Flat
from bots.roster.hybrid import POSITIONS, Hybrid
from bots.roster.mcts import Mcts
from bots.roster.minimax import Minimax
from games.game import Game, Ints, Position
from lab.tracing.choice import AnalysedChoice
from lab.tracing.places import Places
from lab.tracing.tree_recorder import FlatRecorder, TreeRecorder
from lab.tracing.window_recorder import WindowRecorder

SIMULATIONS: Final = 2_000  # in a trace, at most: more than anybody steps through
POSITIONS_VISITED: Final = 6_000  # ... of an alpha-beta search
BYTES: Final = 4_000_000  # of the steps and positions; a page has a few ten thousand more


class NoTrace(ValueError):
    """The search of this bot cannot be watched; says which can."""


def watchable(entry: Entry, position: Position) -> Bot:
    """The bot, afresh, that decides in `position`, and whose search can be listened to.

    Raises:
        NoTrace: there is nothing to watch.
    """
    bot: Bot = registry.bot_class(entry.program)(seed=entry.seed, **entry.settings)
    if isinstance(bot, Hybrid):
        bot = bot.part(position)
    if isinstance(bot, Mcts) and bot.settings["threads"] != 1:
        raise NoTrace("a page shows one tree: threads must be 1")
    if isinstance(bot, Hybrid):
        raise NoTrace("hybrid's classic form compares samples, and its search cannot be watched")
    if not isinstance(bot, Mcts | Minimax | Flat):
        raise NoTrace(f"{entry.program}'s search cannot be watched: mcts, minimax and flat can be")
    return bot


def record(analysed: AnalysedChoice, *, drawn: bool) -> dict[str, Any]:
    """The trace of a choice; Ctrl-C ends it where it is.

    `drawn`: with each position as text, for a game that a page has no pictures of.

    Raises:
        NoTrace: see `watchable`.
    """
    position, game = analysed.position, analysed.position.game
    bot = watchable(analysed.entry, position)
    places, stop = Places(game, drawn), [0]
    places.number(position.state)
    nodes = analysed.choice.nodes
    if isinstance(bot, Minimax):
        nodes *= POSITIONS if analysed.entry.program == "hybrid" else 1
    budget = Budget(nodes=max(1, min(nodes, _most(bot))))
    head = _search(bot, game, places, stop)
    recorder = head.pop("recorder")
    choice = run_interruptibly(lambda: bot.choose(position, budget, stop), stop)
    is_cut = bool(stop[0]) or nodes > _most(bot)
    return {
        "game": game.name,
        "title": game.title,
        "seats": list(game.seats),
        "mover": position.to_move,
        "most": game.max_return,
        "bot": analysed.entry.program,
        "head": analysed.entry.title(analysed.budget),
        "seed": analysed.entry.seed,
        **head,
        "nodes": nodes if is_cut else choice.nodes,
        "recorded": choice.nodes,
        "cut": is_cut,
        "chosen": game.format_action(position, analysed.choice.action),
        "value": analysed.choice.value,
        "places": places.rows,
        "drawings": places.drawings,
        "rows": recorder.rows,
    }


def _most(bot: Bot) -> int:
    return POSITIONS_VISITED if isinstance(bot, Minimax) else SIMULATIONS


def _search(bot: Bot, game: Game, places: Places, stop: Ints) -> dict[str, Any]:
    """Have a recorder listen to the bot's search, and say what kind of search it is."""
    recorder: TreeRecorder | FlatRecorder | WindowRecorder
    if isinstance(bot, Mcts):
        recorder = TreeRecorder(places, stop, BYTES)
        bot.interpreted(game).trees[0].listen(recorder.attach)
        kept = {name: bot.settings[name] for name in ("exploration", "playouts", "proofs")}
        return {"kind": "tree", "unit": game.max_return, **kept, "recorder": recorder}
    if isinstance(bot, Flat):
        recorder = FlatRecorder(places, stop, BYTES)
        bot.interpreted(game).listen(recorder.attach)
        unit = flat_kernels.FULL / game.max_return
        kept = {"exploration": bot.settings["exploration"], "playouts": 1, "proofs": False}
        return {"kind": "flat", "unit": unit, **kept, "recorder": recorder}
    if not isinstance(bot, Minimax):
        raise NoTrace(f"{bot} has no search that can be watched")
    recorder = WindowRecorder(places, stop, BYTES)
    bot.interpreted(game).listen(recorder.attach)
    return {"kind": "window", "win": WIN, "pruning": bot.settings["pruning"], "recorder": recorder}
