"""Laws of what is read and written: actions, positions, drawings, symmetries."""

from __future__ import annotations

from games.game import END, Game, NotationError, Position
from games.laws.sample import Place, Sample, require, some
from games.rng import below, seeded

COLUMNS = 79  # of a drawing, at most
ROWS = 40
MAX_LENGTH = 64  # characters of an action
ALL = 300  # of more actions some are looked at
NONSENSE = ("", " ", "nonsense", "-1", "0x1", "²", "1 ", "\n", "9" * 5000)


def actions(sample: Sample) -> None:
    """An action is read as it is written, and no two are written alike."""
    game = sample.game
    for place in sample.places():
        p = place.position
        texts: dict[str, int] = {}
        for action in some(p.legal_actions(), ALL):
            text = game.format_action(p, action)
            _check_text(text, f"action {action}", MAX_LENGTH)
            if text in texts:
                require(False, f"actions {texts[text]} and {action} are both written {text!r}")
            texts[text] = action
        for text, action in list(texts.items())[:: max(1, len(texts) // 40)]:
            read = game.parse_action(p, text)
            require(read == action, f"{text!r} is action {action}, and read as {read}")


def _check_text(text: str, what: str, most: int) -> None:
    require(isinstance(text, str), f"{what} is written as {text!r}, which is no text")
    good = 0 < len(text) <= most and text.isprintable() and text == text.strip()
    require(good, f"{what} is written {text!r}: 1 to {most} characters, no blank around them")


def nonsense_as_action(sample: Sample) -> None:
    """Nonsense is no action: NotationError, and nothing else."""
    first = [*list(sample.places(most=1)), *list(sample.decisions())[:1]]
    sample.tried = len(first)
    for place in first:
        sample.here = place
        for text in NONSENSE:
            problem = _not_refused(sample.game, place, text)
            require(problem is None, f"{text[:20]!r} as an action {problem}")


def _not_refused(game: Game, place: Place, text: str) -> str | None:
    """What became of nonsense, if it was not refused as it should be."""
    try:
        read = game.parse_action(place.position, text)
    except NotationError:
        return None
    except Exception as error:  # noqa: BLE001 - any other one is what is looked for
        return f"raises {type(error).__name__}: {error}; a NotationError is expected"
    return f"is read as action {read}; a NotationError is expected"


def positions(sample: Sample) -> None:
    """A position is read as it is written."""
    game = sample.game
    for place in sample.places():
        p = place.position
        text = game.format_position(p)
        _check_text(text, "a position", 1_000)
        require(text.isascii(), f"{text!r} has letters beyond ASCII")
        again = game.parse_position(text)
        require(again == p, f"{text!r} is read as another position: state {list(again.state)}")
        require(game.format_position(again) == text, f"{text!r}, read, is written otherwise")
        require(text in str(p), f"{text!r} is not in {p}")


def nonsense_as_position(sample: Sample) -> None:
    """Nonsense is no position: NotationError, and nothing else."""
    game = sample.game
    for place in sample.places(most=1):
        start = game.format_position(place.position)
        texts = ["", " ", "nonsense", start + " ", " " + start, start + "x", start[:-1], "²" * 9]
        for text in texts:
            read = _read(game, text)
            same = read is None or game.format_position(read) == text  # it may be another position
            require(same, f"{text!r} is read as a position")


def changed_positions(sample: Sample) -> None:
    """A position with one character changed is read as it is written, or refused."""
    game = sample.game
    for place in sample.places(step=25, most=40):
        text = game.format_position(place.position)
        for i in range(min(len(text), 200)):
            for other in "019xo-/ ":
                wrong = text[:i] + other + text[i + 1 :]
                if (read := _read(game, wrong)) is not None:
                    written = game.format_position(read)
                    require(written == wrong, f"{wrong!r} is read, and written {written!r}")
                    read.legal_actions()


def _read(game: Game, text: str) -> Position | None:
    try:
        return game.parse_position(text)
    except NotationError:
        return None
    except Exception as error:  # any other one is what is looked for
        what = f"{text[:60]!r} as a position raises {type(error).__name__}: {error}"
        require(False, f"{what}; a NotationError is expected")
        raise AssertionError from error


def drawings(sample: Sample) -> None:
    """The board is drawn for either seat, in 40 lines of 79 columns at most."""
    game = sample.game
    for place in sample.places(step=3):
        p = place.position
        for seat in (0, 1):
            picture = game.draw(p, seat)
            require(picture == game.draw(p, seat=seat), "two drawings of it differ")
            lines = picture.split("\n")
            require(1 < len(lines) <= ROWS, f"it is drawn in {len(lines)} lines; 2 to {ROWS} fit")
            wide = max(map(len, lines))
            require(wide <= COLUMNS, f"its drawing is {wide} columns wide; {COLUMNS} fit")
            odd = [line for line in lines if not line.isprintable()]
            require(not odd, f"a line of its drawing cannot be printed: {odd[:1]}")
            require(bool(lines[-1].strip()), "the last line of its drawing is empty")
        require(game.draw(p) == game.draw(p, 0), "unasked it is not drawn for seat 0")
        require(bool(game.drawing(p, 0, over=True)), "nothing is drawn once it is over")


def different_drawings(sample: Sample) -> None:
    """After an action the drawing is another one."""
    game = sample.game
    for walk in sample.walks[:2]:
        for place in list(sample.along(walk))[: len(walk.actions)]:
            sample.here = place
            before, action = place.position, walk.actions[place.ply]
            if before.to_move >= 0 and (text := game.format_action(before, action)) != "pass":
                after = walk.positions[place.ply + 1]
                require(game.draw(before) != game.draw(after), f"after {text} it looks the same")


def symmetries(sample: Sample) -> None:
    """Symmetries rename actions one to one, and the rules do not notice them."""
    game, rng = sample.game, seeded(4)
    digits = game.symmetries
    require(len(set(digits)) == len(digits), "two symmetries are the same")
    for image in digits:
        require(sorted(image) == sorted(set(digits[0])), f"{image!r} is not one to one")
    boards = [game.initial() for _ in game.images(())]
    while digits and boards[0].to_move != END:
        sample.tried += 1
        images = game.images(boards[0].legal_notation())
        for board, names in zip(boards, images, strict=True):
            same = set(board.legal_notation()) == set(names)
            require(same, f"{game.format_position(board)}: not the actions of its image")
        i = below(rng, len(images[0]))
        boards = [
            board.apply(game.parse_action(board, names[i]))
            for board, names in zip(boards, images, strict=True)
        ]
    require(len({board.outcome() for board in boards}) == 1, "images of a game end differently")


def size_of_drawing(sample: Sample) -> tuple[int, int]:
    """Return how many lines and columns the largest drawing has; Breach if none can be drawn."""
    lines = [
        sample.game.draw(place.position, seat).split("\n")
        for place in sample.places(step=3)
        for seat in (0, 1)
    ]
    return max(map(len, lines)), max(len(line) for picture in lines for line in picture)
