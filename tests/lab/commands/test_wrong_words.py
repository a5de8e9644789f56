"""`plyhouse solve`, `think`, `match`, `sweep`, `results`: nonsense is one sentence and code 2."""

from __future__ import annotations

import pytest

from tests.support.command import Run

WRONG = [
    ("solve connect_four 4444444", "4 is not legal in connect_four"),
    ("solve connect_four 48", "'8' is no column"),
    ("solve chess", "no game is called 'chess'; there are"),
    ("solve backgammon", "is too large to be solved; connect_four and tic_tac_toe can be"),
    ("solve connect_four 1212121", "the game is over in connect_four"),
    ("solve connect_four 12121212", "before 2"),
    ("solve connect_four 4453 --nodes 0", "nodes must be 1 or more, not 0"),
    (f"solve connect_four 4453 --nodes {2**63}", "nodes must be 1,000,000,000,000,000,00"),
    ("solve connect_four --position 7/7", "7/7"),
    ("think chess", "no game is called 'chess'"),
    ("think tic_tac_toe 5 5", "5 is not legal in tic_tac_toe '3/1x1/3 o'"),
    ("think tic_tac_toe z", "'z' is no cell"),
    ("think tic_tac_toe --position 3/3", "is no tic-tac-toe position"),
    ("think tic_tac_toe 1 4 2 5 3", "the game is over in"),
    ("think backgammon", "dice are to be rolled in"),
    ("think tic_tac_toe --bot deep", "no bot is called 'deep'"),
    ("think tic_tac_toe --bot gammon", "gammon does not play tic_tac_toe"),
    ("think tic_tac_toe --set speed=3", "there is no setting 'speed'"),
    ("think tic_tac_toe --set speed", "is not a setting; write one as"),
    ("think tic_tac_toe --nodes -3", "nodes must be 1 or more, not -3"),
    ("think tic_tac_toe --level 9", "mcts has levels 1 to 8, not 9"),
    ("think tic_tac_toe --tree tree.png", "its name must end in .json or .dot"),
    ("think tic_tac_toe --tree t.dot --least 0", "--least must be 1 or more, not 0"),
    ("think tic_tac_toe --tree t.dot --depth 101", "--depth must be 0 to 100, not 101"),
    *(
        (f"think tic_tac_toe --bot {bot} --tree t.dot", f"{bot} never grows a tree; mcts does")
        for bot in ("flat", "minimax", "random", "solver")
    ),
    ("think backgammon 31 --bot gammon --tree t.dot", "gammon never grows a tree"),
    ("match deep mcts", "no bot is called 'deep'; there are"),
    ("match mcts random deep", "no bot is called 'deep'; there are"),
    ("match mcts mcts --game chess", "no game is called 'chess'; there are"),
    ("match mcts mcts --nodes -1", "nodes must be 1 or more, not -1"),
    ("match mcts mcts --games 0", "--games must be 1 or more, not 0"),
    ("match mcts random --b-set depth=1", "random: there is no setting 'depth'"),
    ("match mcts minimax --set exploration=x", "exploration=x is not possible: it takes 0.0"),
    ("match mcts minimax --set colour=red", "there is no setting 'colour'"),
    ("match mcts random --pairs 0", "--pairs must be 1 or more, not 0"),
    ("match mcts random flat --sprt", "--sprt is for two bots"),
    ("match mcts random flat --games 4", "--games counts single matches"),
    ("match mcts random --pairs 2 --show", "--show draws single matches"),
    ("match mcts random --pairs 2 --clock none", "pairs are played with a clock"),
    ("match mcts random --clock 5x", "'5x' is no clock: write 5+3 (minutes + seconds)"),
    ("match mcts:x random", "'mcts:x' is not a bot with a level; write one as mcts:4"),
    ("match mcts:9 random --pairs 2", "mcts has levels 1 to 8, not 9"),
    ("match mcts:2 random --a-level 3", "mcts:2 names its level already; leave out --a-level"),
    (
        "match mcts random --farm nowhere",
        "'nowhere' is no place to work; there are threads:N",
    ),
    ("match mcts random --farm threads:0", "threads are 1 to 256, not 0"),
    (
        "match mcts random --pairs 2 --farm threads",
        "--farm plays single matches of two bots; pairs",
    ),
    ("match mcts random --show --farm threads", "--show draws matches that are played here"),
    ("sweep mcts --farm dask://host", "'dask://host' is no place to work; there are threads:N"),
    ("sweep mcts --jobs 2 --farm threads", "--jobs 2 is --farm processes:2; give one of them"),
    ("sweep deep", "no bot is called 'deep'; there are"),
    ("sweep mcts --against deep", "no bot is called 'deep'; there are"),
    ("sweep mcts --game chess", "no game is called 'chess'; there are"),
    ("sweep gammon", "gammon does not play tic_tac_toe"),
    ("sweep mcts --set speed=1,2", "mcts: there is no setting 'speed'; this bot has: exploration"),
    ("sweep minimax --playouts 1,5", "minimax: there is no setting 'playouts'; this bot has: dep"),
    ("sweep mcts --playouts 1,101", "playouts=101 is not possible: it takes a whole number from 1"),
    ("sweep mcts --playouts 1,,2", "playouts takes values such as 1,2,5, not '1,,2'"),
    ("sweep mcts --playouts 1,2 --set playouts=3", "playouts is given twice"),
    ("sweep mcts --nodes 10,abc", "nodes takes whole numbers such as 100,200, not 'abc'"),
    ("sweep mcts --iterations 0", "nodes must be 1 or more, not 0"),
    ("sweep mcts --nodes 5 --level 3", "give levels or nodes, not both"),
    ("sweep mcts --level 8,9", "mcts has levels 1 to 8, not 9"),
    ("sweep mcts:2 --nodes 5", "mcts:2 names its level; leave out --nodes"),
    ("sweep random --level 2", "random has no levels; leave the level out"),
    ("sweep mcts --set playouts", "'playouts' is not a setting; write one as"),
    ("sweep flat --plies 3,4", "flat: plies end in an evaluation, and tic_tac_toe has none"),
    ("sweep mcts --against mcts:2 --against-level 3", "mcts:2 names its level; leave out --aga"),
    ("sweep mcts --games 7", "--games must be even, as seats are swapped, from 2 on, not 7"),
    ("sweep mcts --jobs 0", "--jobs must be 1 to 256, not 0"),
    ("sweep mcts --plot sweep.gif", "a plot's name must end in .png, .svg, .pdf, not 'sweep.gif'"),
    ("sweep mcts --csv nowhere/x.csv", "nowhere/x.csv cannot be written: there is no folder"),
    ("sweep mcts --csv --json", "--csv and --json cannot both go to stdout"),
    (
        "sweep mcts --playouts "
        + ",".join(map(str, range(1, 101)))
        + " --nodes "
        + ",".join(map(str, range(1, 102))),
        "a grid has at most 10,000 settings, not 10,100",
    ),
    ("results --minutes -1", "--minutes must be 0 to 100,000, not -1"),
    ("results --jobs 999", "--jobs must be 1 to 256, not 999"),
    ("match" + 27 * " random", "at most 26 bots can play, not 27"),
]


@pytest.mark.parametrize(("words", "sentence"), WRONG)
def test_nonsense_is_one_sentence_and_exit_code_2(run: Run, words: str, sentence: str) -> None:
    run(words).refuses("plyhouse: ", sentence)
