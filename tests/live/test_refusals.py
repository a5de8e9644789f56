"""Strangers who know only the protocol's pages: a provocation for every code of their table."""

from __future__ import annotations

import re

import pytest

from lab.arena.local_server import ServerProcess
from tests.live.matches import REFERENCE, Come, read
from tests.live.provoking import PROVOCATIONS, Deed, Setting, Situation
from tests.live.stranger import Refused, Stranger

pytestmark = pytest.mark.socket

SHOW_LEGAL = {"match/bad-notation", "match/illegal-action"}
SUGGEST = {"session/name-taken", "invite/private"}
CLOSING = {"protocol/bad-frame", "protocol/bad-message", "protocol/too-large"}

EXCUSED = {
    "ladder/no-ratings": "only a server without numpy says it",
    "ladder/siblings": "only told, to an owner whose bots join, and never an answer",
    "ladder/suspended": "seen where a bot fails six times",
    "ladder/too-many": "only a server full of ladders says it",
    "chat/muted": "only a host brings it about",
    "room/purged": "only a host brings it about",
    "server/disk-full": "only a disk without room, or a day full of chat, makes it",
    "server/draining": "only a host brings it about",
    "session/banned": "only a host brings it about",
    "session/kicked": "only a host brings it about",
    "session/released": "only a host brings it about",
    "match/no-drawing": "only rules that a host has added, and that are wrong, bring it about",
    "room/failed": "only a mistake in the server makes it",
    "room/moving": "only where there are several servers",
    "server/moving": "only where there are several servers",
    "server/unanswered": "only where there are several servers",
    "server/not-stored": "only a failing disk makes it",
    "server/closing": "seen where a server is stopped",
    "session/moved": "seen where a name is moved",
    "session/replaced": "seen where a bot connects twice",
    "session/too-many-names": "only after hundreds of names within an hour",
}


def told(request: str) -> set[str]:
    """The codes that the pages tell of a request; `any`: those that they tell of all."""
    start = "Any request may hear " if request == "any" else f"### {request}\n"
    codes: set[str] = set()
    for page in REFERENCE.glob("*.md"):
        for text in page.read_text("utf-8").split(start)[1:]:
            section = text.partition("\n##")[0] if request != "any" else text.partition(".")[0]
            codes.update(re.findall(r"`(\w+/[a-z-]+)`", section.rpartition("*Refusals:*")[2]))
    return codes


@pytest.mark.parametrize(
    ("code", "setting", "name", "deed"),
    [pytest.param(*row, id=f"{number}-{row[0]}") for number, row in enumerate(PROVOCATIONS)],
)
async def test_a_provocation_gets_its_code_and_changes_nothing(
    come: Come, server: ServerProcess, code: str, setting: Setting, name: str, deed: Deed
) -> None:
    nobody = await Stranger(server.socket_url).dial()
    at = Situation(await come("ann"), await come("bob"), await come("cyd"), nobody)
    await setting(at)
    who: Stranger = getattr(at, name)
    before = await read(at.ann, at.room) if at.room else []

    with pytest.raises(Refused) as refused:
        await deed(who, at)
    error = refused.value.error
    assert (error["code"], bool(error["text"])) == (code, True)
    assert code in told(refused.value.request) | told("any")
    legal = at.ann.matches[at.match].get("legal") if code in SHOW_LEGAL else None
    assert error.get("legal") == legal
    assert ("suggestion" in error) == (code in SUGGEST)

    if code in CLOSING:
        await who.until(lambda: who.farewell)
        assert who.farewell is not None
        assert who.farewell[0] in ({1009} if code == "protocol/too-large" else {1002, 1007})
    elif who is nobody:
        await nobody.ask("hello", version=1, name=error.get("suggestion"))
    elif code != "session/flood":
        await who.ask("lobby", follow=False)
    if code not in {"room/busy", "session/flood"} and at.room:
        assert await read(at.ann, at.room) == before
    await nobody.close()


def test_every_code_of_the_page_is_provoked_or_excused() -> None:
    page = (REFERENCE / "limits.md").read_text(encoding="utf-8")
    codes = re.findall(r"^\| `(\w+/[a-z-]+)` \|", page, flags=re.MULTILINE)
    assert sorted({row[0] for row in PROVOCATIONS} | set(EXCUSED)) == sorted(codes)
