"""The rules of ultimate tic-tac-toe once more: slowly, from the list of moves alone.

A move is (Y, X, y, x): row and column of the board, row and column of the cell, each 0 to 2.  Who
has won what is looked up anew for every question; no bit, mask or cache is anywhere.
"""

from __future__ import annotations

from itertools import product

Place = tuple[int, int]
Move = tuple[int, int, int, int]

PLACES: list[Place] = list(product(range(3), repeat=2))
STRAIGHT = [[(i, j) for j in range(3)] for i in range(3)]
LINES = [
    *STRAIGHT,
    *[[(j, i) for i, j in line] for line in STRAIGHT],
    [(i, i) for i in range(3)],
    [(i, 2 - i) for i in range(3)],
]


def winner(marks: dict[Place, str]) -> str:
    """Who has three in a row on a board of 3x3, or ""."""
    for line in LINES:
        sides = {marks.get(place, "") for place in line}
        if len(sides) == 1 and sides != {""}:
            return sides.pop()
    return ""


def small(moves: list[Move], board: Place) -> dict[Place, str]:
    """The marks on one board, by cell."""
    return {m[2:]: "XO"[ply % 2] for ply, m in enumerate(moves) if m[:2] == board}


def closed(moves: list[Move], board: Place) -> bool:
    """Whether it is won or full."""
    marks = small(moves, board)
    return winner(marks) != "" or len(marks) == 9


def large(moves: list[Move]) -> dict[Place, str]:
    """Who has won which board."""
    return {board: winner(small(moves, board)) for board in PLACES}


def result(moves: list[Move]) -> str:
    """ "X", "O", "draw", or "" while the game goes on."""
    if side := winner(large(moves)):
        return side
    return "draw" if all(closed(moves, board) for board in PLACES) else ""


def legal(moves: list[Move]) -> list[Move]:
    """Every move that is allowed, by board and then by cell, left to right and top to bottom."""
    if result(moves):
        return []
    boards = [board for board in PLACES if not closed(moves, board)]
    if moves and moves[-1][2:] in boards:
        boards = [moves[-1][2:]]
    free = [(board, cell) for board in boards for cell in PLACES if cell not in small(moves, board)]
    return [(*board, *cell) for board, cell in free]


def written(move: Move) -> str:
    """A move as the game writes it, such as "51"."""
    return f"{3 * move[0] + move[1] + 1}{3 * move[2] + move[3] + 1}"
