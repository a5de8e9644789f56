"""Lookahead with the cube against a recursion over the game's own positions."""

from __future__ import annotations

from pathlib import Path

import pytest

from bots.backgammon import weights
from bots.backgammon.cube.cube_judge import CubeJudge
from bots.backgammon.cube.stakes import Stakes
from bots.backgammon.judge import Judge
from bots.backgammon.kernels import net
from bots.backgammon.kernels.cube import efficiency
from games.backgammon.rules import TURN
from games.game import END, Position
from tests.bots.backgammon import tiny
from tests.bots.backgammon.cube.tables import Slow as SlowCube
from tests.bots.backgammon.cube.tables import plain_table, won
from tests.bots.backgammon.kernels.test_lookahead import ONE, TWO
from tests.bots.backgammon.kernels.test_lookahead import Slow as SlowNets
from tests.bots.backgammon.tiny import RACING, position

LIVE = (0.7, 0.0, 0.6, 0.0, 0.55, 0.001, 0.5, 0.0, 0.62)
DEEP = position({1: 1}, {1: 2})  # over within two rolls
# Scores at which the best play is that of money: nobody has use for gammons, or all the same.
CASES = (Stakes(), Stakes(cube=2, owner=0), Stakes(cube=2, owner=1), Stakes(away=(1, 1)))


class Recursion:
    """Values with the cube, roll by roll; `owner` None: both may turn it."""

    def __init__(self, stakes: Stakes) -> None:
        self.stakes, self.nets = stakes, SlowNets(tiny.plain())
        self.start = stakes.single

    def stays(self, here: Position, cube: int, owner: int | None, plies: int) -> float:
        """What it is worth to who is to roll, and does not double before."""
        if plies == 0 or here.to_move == END:
            return self.judged(here, cube, owner)
        total = 0.0
        for roll, weight in here.chance():
            after = self.nets.best(here.apply(roll))
            total -= weight * self.best(after, cube, owner, plies - 1) / 36
        return total

    def best(self, here: Position, cube: int, owner: int | None, plies: int) -> float:
        """The same if that side may double."""
        seat = here.state[TURN]
        stays = self.stays(here, cube, owner, plies)
        if owner not in (None, seat) or self.stakes.crawford:
            return stays
        taken = self.stays(here, 2 * cube, 1 - seat, plies)
        return max(stays, min(taken, won(self.stakes, seat, cube)))

    def judged(self, here: Position, cube: int, owner: int | None) -> float:
        """As it stands."""
        seat = here.state[TURN]
        chances = self.nets.static(here)
        live = efficiency(here.state, net.kind(here.state, 4), LIVE)
        holders = {None: "we they", seat: "we", 1 - seat: "they"}[owner]
        return SlowCube(self.stakes, seat, chances, live).value(
            cube, holders, 7 - (cube // self.start).bit_length() + 1
        )


@pytest.fixture(scope="module")
def cubes(tmp_path_factory: pytest.TempPathFactory) -> CubeJudge:
    file = tmp_path_factory.mktemp("nets") / "tiny.nets"
    weights.save(file, tiny.weights())
    return CubeJudge(Judge(weights=file, plain=True), table=plain_table(), live=LIVE)


@pytest.mark.parametrize(
    ("here", "plies"),
    [
        *((here, 0) for here in (ONE, TWO, RACING, DEEP)),
        (DEEP, 1),
        *(pytest.param(here, 1, marks=pytest.mark.slow) for here in (ONE, TWO, RACING)),
        pytest.param(TWO, 2, marks=pytest.mark.slow),
        pytest.param(DEEP, 2, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_values_are_those_of_a_recursion(cubes: CubeJudge, here: Position, plies: int) -> None:
    seat = here.state[TURN]
    for stakes in CASES:
        slow = Recursion(stakes)
        told = cubes.judge(here, stakes, plies)
        assert told is not None
        scale = stakes.away is not None
        stays = slow.stays(here, slow.start, stakes.owner, plies)
        assert told.stays == pytest.approx((1 + stays) / 2 if scale else stays, abs=1e-6)
        if stakes.may_double(seat):
            taken = slow.stays(here, 2 * slow.start, 1 - seat, plies)
            assert told.taken == pytest.approx((1 + taken) / 2 if scale else taken, abs=1e-6)
        else:
            assert told.taken is None


@pytest.mark.slow
@pytest.mark.usefixtures("with_numba")
def test_compiled_and_plain_judge_alike(cubes: CubeJudge, tmp_path: Path) -> None:
    file = tmp_path / "tiny.nets"
    weights.save(file, tiny.weights())
    quick = CubeJudge(Judge(weights=file), table=plain_table(), live=LIVE)
    for here in (ONE, TWO, RACING):
        for stakes in CASES:
            one, two = cubes.judge(here, stakes, 1), quick.judge(here, stakes, 1)
            assert one is not None
            assert two is not None
            assert one.stays == pytest.approx(two.stays, abs=1e-4)
