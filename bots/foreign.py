"""Code that is somebody else's: a bot, or the rules of a game.  It may raise anything, and that
must cost no more than what it was wanted for.
"""

from __future__ import annotations

from types import TracebackType


class Foreign:
    """Runs such code; what it raised is in `error` afterwards, and goes no further.

        with Foreign() as code:
            choice = bot.choose(position, budget)
        if code.error is not None: ...

    To be cancelled or interrupted is no error of the code, and does go further.
    """

    def __init__(self) -> None:
        self.error: Exception | None = None

    def __enter__(self) -> Foreign:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if isinstance(error, Exception):
            self.error = error
        return self.error is not None
