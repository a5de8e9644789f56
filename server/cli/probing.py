"""Whether the servers that run on this machine are alive and ready, asked over HTTP."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Final, Literal, NamedTuple, TypeAlias

from protocol.files import running
from protocol.messages import DEFAULT_PORT

Kind: TypeAlias = Literal["alive", "ready"]
PATIENCE_S: Final = 4.0  # for one answer: a disk that fails may take a while
AGAIN_S: Final = 0.2
DIRECT: Final = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # it is this machine


class HealthAnswer(NamedTuple):
    """What a server says of itself.  `ok`: None if what answers, if anything, is none of ours."""

    url: str
    ok: bool | None
    why: str = ""


def addresses(port: int | None) -> list[str]:
    """Return where servers are: at the port that was named, else those of this user's that run,
    else at the usual port.
    """
    if port is not None:
        return [f"http://127.0.0.1:{port}"]
    return running.urls() or [f"http://127.0.0.1:{DEFAULT_PORT}"]


def ask(url: str, kind: Kind) -> HealthAnswer:
    """Ask one server, which is on this machine."""
    try:
        with DIRECT.open(f"{url}/healthz/{kind}", timeout=PATIENCE_S) as page:
            text = page.read()
    except urllib.error.HTTPError as error:
        with error:
            text = error.read()
    except OSError as error:
        return HealthAnswer(url, None, f"nobody answers: {getattr(error, 'reason', error)}")
    try:
        told = json.loads(text)
        why = "; ".join(map(str, told.get("obstacles", ())))
        return HealthAnswer(url, bool(told["ok"]), why)
    except (ValueError, KeyError, TypeError, AttributeError):
        return HealthAnswer(url, None, "what answers there is no server of ours")


def wait_for(urls: Callable[[], list[str]], kind: Kind, wait_s: float) -> list[HealthAnswer]:
    """Ask the servers until all of them say yes, for so many seconds at most; the last answers.

    `urls` is called each time: one that starts is known only once it listens.
    """
    deadline = time.monotonic() + wait_s
    while True:
        answers = [ask(url, kind) for url in urls()]
        if all(answer.ok for answer in answers) or time.monotonic() >= deadline:
            return answers
        time.sleep(AGAIN_S)  # a server tells nobody when it is ready
