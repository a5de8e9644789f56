"""What stands on the class of a request."""

from __future__ import annotations

import re

from protocol import codec
from tests.protocol.pages import ROOT, rows


def test_what_grants_a_request_is_a_message_of_the_server() -> None:
    assert {kind.answer for kind in codec.REQUESTS.values()} <= set(codec.REPLIES)


def test_a_request_that_may_be_asked_again_is_not_one_that_is_stored() -> None:
    stored = [kind for kind in codec.REQUESTS.values() if kind.repeatable and kind.answer == "ok"]
    assert [kind.__name__ for kind in stored] == ["Play"]  # which counts once, by its `turn`


PAGE = (ROOT / "docs" / "new-request.md").read_text("utf-8")
WORDS = re.compile(r"RoomRename|room_rename|_?[Rr]enamed\b")
# What a person or a library's user has beside it.
ASKING = {"client/terminal/dispatch.py", "client/web/table/chat.js"}


def test_the_request_of_the_page_stands_in_the_files_that_the_page_names_and_in_no_other() -> None:
    named = {
        row[0].strip("`") for row in rows(PAGE.partition("## The files")[2].partition("\n## ")[0])
    }
    assert len(named) <= 4
    product = [
        path
        for folder in ("games", "protocol", "server", "client", "bots", "lab")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".py", ".js") and WORDS.search(path.read_text("utf-8"))
    ]
    assert {path.relative_to(ROOT).as_posix() for path in product} - ASKING == named


def test_the_class_of_the_page_is_the_one_that_there_is() -> None:
    source = (ROOT / "protocol" / "messages.py").read_text("utf-8")
    block = PAGE.partition("```python\n")[2].partition("```")[0]
    assert block in source
