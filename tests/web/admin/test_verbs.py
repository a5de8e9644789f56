"""What `plyhouse admin` can do the host's page can, too."""

from __future__ import annotations

import re
from pathlib import Path

from server.admin.core.requests import VERBS

PAGE = Path(__file__).parents[3] / "client" / "web" / "admin"


def test_each_verb_of_the_host_is_on_the_page() -> None:
    source = "\n".join(path.read_text("utf-8") for path in sorted(PAGE.glob("*.js")))
    verbs = set(re.findall(r'\b(?:act|see)\("(\w+)"|^  \["(\w+)", "', source, re.MULTILINE))
    named = {name for pair in verbs for name in pair if name}
    if "act(`un${restraint}`" in source:
        named |= {"unban", "unmute"}
    assert sorted(VERBS.keys() - named) == []
