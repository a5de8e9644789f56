"""What bans, mutes, notices and a drain mean: events and times in, verdicts out."""

from __future__ import annotations

import pytest

from protocol.errors import Refusal
from server.admin.core.events import Drained, Lifted, Noticed, Restraint, Restricted, Target
from server.admin.core.requests import Fields
from server.admin.core.rules import HouseRules, words_of

EVE = Target("name", "Eve")
HERE = Target("address", "2001:db8::/64")


def rules(*events: Restricted | Lifted | Noticed | Drained) -> HouseRules:
    folded = HouseRules()
    for seq, event in enumerate(events, 1):
        folded.fold(event, seq=seq)
    return folded


def restricted(
    target: Target, restraint: Restraint = "ban", until: int | None = None, why: str = ""
) -> Restricted:
    return Restricted(1_000, "127.0.0.1", restraint, target, until, why)


def test_a_ban_of_a_name_holds_for_all_its_spellings_and_for_nobody_else() -> None:
    house = rules(restricted(EVE, why="cheating"))
    ban = house.restriction("ban", "eVE", "192.0.2.1", 2_000)
    assert ban is not None
    assert ban.sentence(2_000) == "you are banned from this server: cheating"
    assert house.restriction("ban", "eva", "192.0.2.1", 2_000) is None
    assert house.restriction("mute", "eve", "192.0.2.1", 2_000) is None


def test_a_ban_of_an_address_holds_for_every_name_there_until_it_runs_out() -> None:
    house = rules(restricted(HERE, until=7_266_000))
    ban = house.restriction("ban", "anybody", HERE.text, 1_000)
    assert ban is not None
    assert ban.sentence(1_000) == "your address is banned from this server for 2 h 1 min"
    assert house.restriction("ban", "anybody", HERE.text, 7_265_999) is not None
    assert house.restriction("ban", "anybody", HERE.text, 7_266_000) is None
    house.forget_expired(7_266_000)
    assert house.restrictions(0) == []


def test_the_newest_word_about_a_target_counts() -> None:
    house = rules(
        restricted(EVE, "mute"), restricted(EVE, "mute", until=5_000), restricted(EVE),
        Lifted(3_000, "", "ban", Target("name", "EVE")),
    )  # fmt: skip
    with pytest.raises(Refusal, match="muted on this server for 2 s") as no:
        house.check_speech("eve", "", 3_000)
    assert no.value.code == "chat/muted"
    house.check_speech("eve", "", 5_000)
    assert house.restriction("ban", "eve", "", 3_000) is None
    assert house.seq == 4


def test_only_a_notice_with_an_end_is_shown_to_those_who_come_later() -> None:
    assert rules(Noticed(1_000, "", "tea", None)).notices(1_001) == []
    house = rules(Noticed(1_000, "", "tea at five", 9_000), Drained(1_001, "", at_once=False))
    assert [notice.text for notice in house.notices(8_999)] == ["tea at five"]
    assert house.notices(9_000) == []
    house.check_open()  # a drain is over when the server was started again
    house.draining = True
    assert len(house.notices(9_000)) == 1
    with pytest.raises(Refusal, match="about to stop"):
        house.check_open()


def value(verb: str, field: str, given: dict[str, str]) -> object:
    """What a field of a request means."""
    fields = Fields(verb, given)
    return fields.until(0) if field == "for" else getattr(fields, field)()


@pytest.mark.parametrize(
    ("verb", "field", "given", "sentence"),
    [
        ("burn", "why", {}, "there is no 'burn'; there are who, rooms"),
        ("kick", "name", {}, "`kick` needs `name`"),
        ("kick", "name", {"name": "eve", "how": "hard"}, "`kick` has no `how`"),
        ("close", "room", {"room": "x"}, "`room` is a number"),
        ("close", "room", {"room": "0"}, "`room` is a number"),
        ("ban", "for", {"target": "eve", "for": "soon"}, "'soon' is no time"),
        ("ban", "for", {"target": "eve", "for": "0s"}, "'0s' is no time"),
        ("ban", "for", {"target": "eve", "for": "999999999d"}, "is no time"),
        ("notice", "text", {"text": "\x1b\x07"}, "nothing of this text can be shown"),
        ("notice", "text", {"text": "x" * 501}, "it may have 500"),
    ],
)
def test_a_request_that_makes_no_sense_is_refused_with_a_sentence(
    verb: str, field: str, given: dict[str, str], sentence: str
) -> None:
    with pytest.raises(Refusal) as no:
        value(verb, field, given)
    assert sentence in no.value.text


def test_times_are_read_and_written_as_people_say_them() -> None:
    fields = Fields("ban", {"target": "eve", "for": "90min"})
    assert fields.until(1_000) == 5_401_000
    assert words_of(5_400_000) == "1 h 30 min"
    assert words_of(1) == "1 s"
    assert words_of(8 * 86_400_000 + 1_000) == "8 d 1 s"
