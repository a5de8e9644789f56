"""SPEC.md and docs/reference tell the truth: their tables are the classes and constants, their
examples are messages, their bot plays, their numbers come out.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from games import clock, registry
from games.backgammon import GAME as BACKGAMMON
from games.dice import Deal, commitment
from protocol import analysis, codec, messages, parts, past
from protocol.errors import Code, ProtocolError
from protocol.history import MAX_EVENTS
from protocol.messages import MatchState, Request
from protocol.reading import files
from protocol.reading.written import MAX_TURNS
from protocol.request import ALWAYS, refusals_of
from server import hub
from server.config import BYTES_PER_MICRO, PAGE, REFUSED, WRONG_CODE, Config
from server.core import absence, events, lobby, match, playing, room, seating, session
from server.core.names import devices, register
from server.imports import imports, worker
from server.ladder import directory
from server.rooms import admission
from server.services import analyses, hints, invitations
from tests.games.laws.walks import after
from tests.protocol.pages import (
    PAGES,
    REFERENCE,
    ROOT,
    SPEC,
    TRANSCRIPTS,
    WHOLE,
    chapter,
    fenced,
    page,
    rows,
    sections,
    transcript,
)  # fmt: skip
from tests.protocol.write_tables import CHAPTERS, title_of, written

VECTORS = ROOT / "tests" / "vectors"
WORDS_IN_TEN_MINUTES = 2_500


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_the_tables_of_messages_are_those_of_their_classes(path: Path) -> None:
    """`python -m tests.protocol.write_tables` writes them, but for what a field means."""
    assert PAGES[path] == written(path, PAGES[path])


@pytest.mark.parametrize("title", CHAPTERS)
def test_every_message_has_a_section_and_every_field_a_meaning(title: str) -> None:
    classes, _ = CHAPTERS[title]
    there = sections(chapter(title))
    assert list(there) == [title_of(cls) for cls in classes]
    assert all(row[3] for text in there.values() for row in rows(text))


def test_any_request_may_hear_the_codes_that_the_page_says_so_of() -> None:
    (sentence,) = re.findall(
        r"^Any request may hear (.*?)\.$", chapter("Codes"), re.MULTILINE | re.DOTALL
    )
    assert re.findall(r"`(\S+)`", sentence) == [code for code in Code if code in ALWAYS]


def test_every_code_is_heard_by_a_request_or_comes_by_itself() -> None:
    """Those of `bye`, and one that only an owner is told."""
    by_themselves = {
        Code.SESSION_KICKED, Code.SESSION_MOVED, Code.SESSION_RELEASED, Code.SESSION_REPLACED,
        Code.SERVER_CLOSING, Code.LADDER_SIBLINGS,
    }  # fmt: skip
    answers = ALWAYS.union(*[refusals_of(kind) for kind in codec.REQUESTS.values()])
    assert set(Code) - answers == by_themselves


def test_every_code_stands_in_the_table_and_nothing_else() -> None:
    written = rows(chapter("Codes"))
    assert [row[0].strip("`") for row in written] == [str(code) for code in Code]
    assert all(row[1] and row[2] for row in written)


def test_codes_are_named_nowhere_that_do_not_exist() -> None:
    areas = "|".join(sorted({code.partition("/")[0] for code in Code}))
    assert set(re.findall(rf"`((?:{areas})/[a-z-]+)`", WHOLE)) <= set(Code)


def test_every_kind_of_event_stands_in_the_table_with_fields_that_exist() -> None:
    written = {row[0].strip("`"): re.findall(r"`(\w+)`", row[2]) for row in rows(chapter("Events"))}
    assert list(written) == [event.kind for event in events.EVENTS]
    for fields in written.values():
        assert set(fields) <= set(parts.Event.__struct_fields__)


def number(text: str) -> list[int]:
    return [int(n.replace(",", "")) for n in re.findall(r"\d[\d,]*", text)]


def test_limits_are_those_of_the_code() -> None:
    config = Config()
    expected = {
        "a frame from a client": [messages.MAX_CLIENT_FRAME],
        "a frame from the server": [messages.MAX_SERVER_FRAME],
        "entries of one list or map in msgpack, from a client": [messages.MAX_CLIENT_LIST],
        "entries of one list or map in msgpack, from the server": [messages.MAX_SERVER_LIST],
        "a whole number": [parts.MAX_INT],
        "a number of an analysis": [analysis.MAX_FIGURE],
        "time for `hello`": [config.hello_ms // 1000],
        "connections of a session": [config.connections_per_session],
        "new names from one address": [config.names_per_address],
        "names that a house keeps": [config.names],
        "connections from one address": [config.connections_per_address],
        "connections, in all": [config.connections],
        "cost of a connection's requests": [config.connection_micros // 1000, 4],
        "cost of a session's requests": [config.session_micros // 1000, 4],
        "cost of an address's requests": [config.address_micros // 1000, config.saved_ms // 1000],
        "plays from one address that cost nothing": [config.free_plays],
        "invitations that one player sends, or one person gets": [config.invitations, 2],
        "frames of a connection, pings and fragments included": [config.frames_per_second],
        "requests waiting in one room": [config.inbox, config.inbox_per_session],
        "requests waiting on one ladder": [config.inbox],
        "requests waiting for the log (`history`, `analyse`, `matches`, `person`, `settings`)": [
            config.reads_waiting,
            config.reads_per_session,
        ],
        "open rooms": [config.rooms],
        "line and headers of a request over HTTP": [config.max_head],
        "a file of a match that somebody brings, packed by gzip or not": [
            imports.MAX_UPLOAD >> 20,
            files.MAX_BYTES >> 20,
            MAX_TURNS,
        ],
        "files that are being read or wait for that": [imports.MAX_WAITING, 1],
        "time and memory that one file takes": [worker.CPU_SECONDS, worker.MEMORY_BYTES >> 20],
        "what one address has not sent to its end, or does not read": [
            config.held_per_address >> 10
        ],
        "the same of all addresses": [config.held_in_all >> 10],
        "an idle connection over HTTP, between two requests": [config.idle_ms // 1000],
        "rooms in which one player sits": [config.rooms_per_session],
        "open rooms that all programs of one owner have opened": [config.rooms_per_session],
        "open rooms that were opened from one address": [config.rooms_per_address],
        "stored from one address": [config.stored_bytes_per_address],
        "free on the disk of the log": [config.disk_reserve_bytes],
        "rooms to which one player has called others' bots": [config.bots_per_session],
        "slots of others' bots that the invitations of one address hold, beside a first one of each"
        " player": [config.bots_per_address],
        "slots of a bot that are for addresses whose invitations hold none of it": [
            1,
            config.kept_slots,
        ],
        "a name, a program's name": [1, session.MAX_NAME],
        "a chat message": [1, seating.MAX_CHAT],
        "a room's name": [1, seating.MAX_ROOM_NAME],
        "a note": [match.MAX_NOTE],
        "a salt": [seating.MAX_SALT],
        "takebacks in a match": [match.MAX_TAKEBACKS],
        "events of a match, chat aside": [MAX_EVENTS],
        "events of a room": [room.FULL],
        "an invitation": [seating.INVITATION_MS // 1000, invitations.ANSWERED_MS // 60_000],
        "a code from `link`": [register.LINK_MS // 60_000],
        "devices of a name": [devices.MAX_DEVICES],
        "absence before `claim`": [room.CLAIM_MS // absence.DAY_MS, room.CLAIM_BOT_MS // 60_000],
        "a hint": [config.advice_ms // 1000, config.analysis_delay_ms // 1000],
        "hints that one session waits for": [1],
        "hints that one bot is asked for at once": [hints.MAX_QUESTIONS],
        "an analysis": [config.analysis_ms // 1000, config.analysis_delay_ms // 1000],
        "analyses that are being made for one session": [1],
        "analyses that one bot is asked for at once": [1],
        "analyses that are being made, in all": [config.analyses],
        "a position that a bot considers": [config.analysis_ms // 1000],
        "positions that are considered for one session": [1],
        "positions that one bot is asked about at once": [analyses.MAX_POSITIONS],
        "ladders that are running": [config.ladders, config.ladders_per_session, 1],
        "ladders that are running and were opened from one address": [config.ladders_per_address],
        "of these, by guests and under names that are younger than an hour": [
            config.new_ladders_per_address
        ],
        "rooms of ladders": [1, admission.LADDER_SHARE],
        "pairs that begin beside those that follow others": [directory.GROWTH, directory.SPARED],
        "rooms of ladders that one owner, or one address, has to do with: as the ladder's owner, or"
        " that of a bot": [config.rooms_per_address],
        "the clock of a ladder that the host has not opened": [
            config.ladder_base_ms // 60_000,
            config.ladder_move_ms // 60_000,
        ],
        "players that a ladder has had, versions included": [
            config.ladder_players,
            config.ladder_players_per_owner,
        ],
        "a ladder on which no one is, neither a bot nor who follows it": [
            config.ladder_idle_ms // 3_600_000
        ],
        "ladders that are over and still shown, the newest": [config.finished_ladders],
        "rooms in a `lobby` message": [lobby.MAX_LINES],
        "people, and positions of matches, in a `lobby` message": [
            lobby.MAX_PEOPLE,
            lobby.MAX_POSITIONS,
        ],
        "matches in a `matches` message": [past.MAX_MATCHES, 20],
        "matches that `person` adds up": [config.tallied_matches],
        "events in a `history` message": [config.history_page],
        "`lobby` or `lobby_changed` messages to a follower": [config.lobby_every_ms],
    }
    written = {row[0]: number(row[1]) for row in rows(chapter("Limits"))}
    # "one in 250 ms", "512 bytes in UTF-8": only the first number counts there
    written["a note"] = written["a note"][:1]
    assert written == expected


def test_prices_are_those_of_the_code() -> None:
    written = {row[0]: row[1] for row in rows(chapter("What requests cost"))}
    named = {name for row in written for name in re.findall(r"`(\w+)`", row)}
    others = {kind.price for name, kind in codec.REQUESTS.items() if name not in named | {"play"}}
    assert others == {Request.price}, "a request with a price of its own has a row"
    for row, amount in written.items():
        for name in re.findall(r"`(\w+)`", row):
            if name in codec.REQUESTS:
                price = round(float(amount.partition(",")[0]) * 1000)
                assert codec.REQUESTS[name].price == price, name
    assert written["a refusal of any request, beside its own price"] == f"{REFUSED / 1000}"
    assert written["a request over HTTP, beside what it is answered"] == f"{PAGE / 1000}"
    assert (
        written["a wrong code of a room, of a ladder, or of a moved name"]
        == f"{WRONG_CODE // 1000}"
    )
    assert (
        written[next(row for row in written if "bytes" in row)] == f"{100 / BYTES_PER_MICRO / 10}"
    )


@pytest.mark.parametrize(
    ("sentence", "value"),
    [
        ("this is version {}", messages.VERSION),
        ("every {} seconds", Config().ping_ms // 1000),
        ("silent for {} seconds", Config().silent_ms // 1000),
        ("after {} seconds the connection is dropped", Config().stuck_ms // 1000),
        ("kept up to {} messages", Config().held_messages),
        ("at most {} ms, and", clock.LAG_PER_MOVE),
        ("at most {} seconds a match", clock.LAG_PER_MATCH // 1000),
        ("at most {} seconds), `store`", playing.RESUME_MS // 1000),
        ("for {} minutes nothing happened", playing.IDLE_MS // 60_000),
        ("has been away for {} minute and is not ready", playing.VACANT_MS // 60_000),
        ("closes when for {} minute no player who sits", playing.VACANT_MS // 60_000),
        ("{} minutes, counted from the last event", playing.REMATCH_MS // 60_000),
        ("have all been away for {} days", absence.ABANDONED_MS // absence.DAY_MS),
        ("or for {} hours where not both have moved twice", absence.LEFT_EARLY_MS // 3_600_000),
        ("has been to move against a bot for {} minutes *rests*", absence.REST_MS // 60_000),
        ("its own to at most {} rooms", Config().bots_per_session),
        ("One address may hold {} of their slots", Config().bots_per_address),
        ("one in {} of its slots is for others", Config().kept_slots),
        ("1 to {} visible characters", session.MAX_NAME),
        ("**{} new names** an hour", Config().names_per_address),
        ("{} at most, those that", Config().rooms_per_session),
        ("{} times in a row, is not read", hub.MAX_UNREAD),
        ("left unread like that {} times", hub.MAX_RESTS + 1),
        ("A frame from you is at most {} bytes", messages.MAX_CLIENT_FRAME),
        ("one from the server {}.", messages.MAX_SERVER_FRAME),
        ("sent more than about {} bytes a second over", Config().lobby_follower_bytes),
        ("nothing for {} seconds while", Config().stuck_ms // 1000),
        ("your slot is held for {} seconds", seating.INVITATION_MS // 1000),
        ("your opponent may `claim` it after {} days", room.CLAIM_MS // absence.DAY_MS),
        ("or after {} minutes where you are a bot", room.CLAIM_BOT_MS // 60_000),
        ("on a ladder after {} seconds", playing.AWAY_MS // 1000),
        ("connection is gone for {} seconds loses", playing.AWAY_MS // 1000),
        ("is the first {} characters of it", playing.MAX_STRUCK),
        ("where it is shorter than {} characters", playing.MAX_STRUCK),
    ],
)
def test_numbers_in_the_text_are_those_of_the_code(sentence: str, value: int) -> None:
    whole = sentence.replace("{}", f"{value:,}")
    pattern = re.escape(whole).replace(r"\ ", r"\s+")
    assert re.search(pattern, WHOLE), whole


def slugs(text: str) -> list[str]:
    """What the headings of a page are called in links."""
    titles = [t.lower() for t in re.findall(r"^#+ (.+)$", text, re.MULTILINE)]
    return [re.sub(r"[^\w -]", "", title).replace(" ", "-") for title in titles]


@pytest.mark.parametrize(
    "path", [*PAGES, ROOT / "README.md", ROOT / "docs" / "hosting.md"], ids=lambda path: path.stem
)
def test_links_lead_to_a_file_and_to_one_heading_of_it(path: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text("utf-8")):
        if not target.startswith("http"):
            name, _, heading = target.partition("#")
            file = (path.parent / name).resolve() if name else path
            assert file.exists(), target
            assert not heading or slugs(file.read_text("utf-8")).count(heading) == 1, target


def test_what_a_bot_author_reads_takes_ten_minutes_and_names_every_other_page() -> None:
    prose = re.sub(r"^```.*?^```$", "", PAGES[SPEC], flags=re.MULTILINE | re.DOTALL)
    assert len(prose.split()) <= WORDS_IN_TEN_MINUTES
    named = set(re.findall(r"^\| \[(\w+\.md)\]", chapter("The reference"), re.MULTILINE))
    assert named == {path.name for path in REFERENCE.glob("*.md")}


def read(example: dict[str, Any]) -> Any:
    """The message that an example is, a reply if it can be one."""
    data = json.dumps(example).encode()
    try:
        return codec.decode_reply(data, text=True)
    except ProtocolError:
        return codec.decode_request(data, text=True)


def says(example: Any, message: Any) -> bool:
    """Whether `message` has every field of `example`, with its value: no word is misspelt."""
    if isinstance(example, dict) and isinstance(message, msgspec.Struct):
        fields = {"type": message.__struct_config__.tag}
        return all(
            fields.get(k) == v
            if k in fields
            else hasattr(message, k) and says(v, getattr(message, k))
            for k, v in example.items()
        )
    if isinstance(example, list):
        return len(example) == len(message) and all(map(says, example, message))
    return bool(example == message)


def singles() -> list[dict[str, Any]]:
    return [json.loads(text) for text in fenced("json", WHOLE)]


TOLD = [said for title in TRANSCRIPTS for said in transcript(title)]


def test_there_are_examples() -> None:
    assert len(singles()) >= 6
    assert len(TOLD) >= 30


def test_an_example_is_a_message() -> None:
    for example in singles():
        assert says(example, read(example)), example


def test_a_transcript_is_made_of_messages() -> None:
    for arrow, example in TOLD:
        decode = codec.decode_request if arrow == "→" else codec.decode_reply
        assert says(example, decode(json.dumps(example).encode(), text=True)), example


def test_every_position_is_what_the_events_before_it_make() -> None:
    messages = [read(e) for e in [*singles(), *(e for _, e in TOLD)] if e["type"] == "match"]
    assert len(messages) > 8
    for state in messages:
        assert isinstance(state, MatchState)
        game = registry.game(state.game)
        position = game.initial()
        assert state.ply == len(state.events)  # no example is longer than the eight that are shown
        for event in state.events:
            assert (event.ply, event.seat) == (event.ply, position.to_move)
            position = position.apply(game.parse_action(position, event.action or ""))
        assert game.format_position(position) == state.position
        over = state.result is not None
        assert state.to_move == (-2 if over else position.to_move)
        assert state.legal in (None, position.legal_notation())
        assert state.turn == (state.events[-1].seq if state.events else state.seq)


def test_the_worked_dice_come_out() -> None:
    text = page("dice")
    facts = {row[0]: row[1] for row in rows(text) if len(row) == 2}
    secret = bytes.fromhex(facts["secret"].strip("`"))
    assert facts["commitment"].strip("`") == commitment(secret)
    message = bytes.fromhex(facts["message(0) of ply 7, in hex"].strip("`"))
    assert message == b"plyhouse-deal-1\n17.1\n00ff\n\n7\n0"
    digest = hmac.new(secret, message, hashlib.sha256).digest()
    assert facts["its HMAC-SHA256"].strip("`") == digest.hex()
    assert number(facts["number(0)"]) == [int.from_bytes(digest[:8], "big")]

    deal = Deal("17.1", secret, ("00ff", ""))
    for ply, drawn, die, letter in [row for row in rows(text) if len(row) == 4]:
        message = f"plyhouse-deal-1\n17.1\n00ff\n\n{ply}\n0".encode("ascii")
        first = int.from_bytes(hmac.new(secret, message, hashlib.sha256).digest()[:8], "big")
        assert number(drawn) == [first]
        face = deal.roll(int(ply), [(n, 1) for n in range(1, 7)])
        assert die == f"{first % 6}, so it shows {face}"
        coin = deal.roll(int(ply), [(ord("A"), 3), (ord("B"), 2)])
        assert letter == f"{first % 5}, so {chr(coin)}"


@pytest.mark.parametrize(
    ("game", "actions", "position"),
    [
        ("tic_tac_toe", "", "3/3/3 x"),
        ("tic_tac_toe", "5", "3/1x1/3 o"),
        ("tic_tac_toe", "53", "2o/1x1/3 x"),
        ("connect_four", "", "7/7/7/7/7/7 x"),
        ("connect_four", "443", "7/7/7/7/3o3/2xx3 o"),
        ("ultimate_tic_tac_toe", "", "9/9/9/9/9/9/9/9/9 x -"),
        ("ultimate_tic_tac_toe", "51 12 25 58 85 55 59 95",
         "1o7/4x4/9/3x5/4o4/4ox3/9/4x2o1/9 x 5"),
    ],
)  # fmt: skip
def test_positions_are_written_as_the_spec_says(game: str, actions: str, position: str) -> None:
    assert registry.game(game).format_position(after(registry.game(game), actions)) == position
    assert position in sections(page("games"), "##")[game]


REASONS = {
    "tic_tac_toe": ("line", "full"),
    "connect_four": ("line", "full"),
    "ultimate_tic_tac_toe": ("line", "full"),
    "backgammon": ("single", "gammon", "backgammon"),
    "backgammon_cube": ("single", "gammon", "backgammon", "drop"),
}


def test_backgammon_s_match_is_the_one_that_the_spec_shows() -> None:
    text = sections(page("games"), "##")["backgammon"]
    rows = re.findall(r"^\| (.+) \| `(XGID=\S+)` \|$", text, re.MULTILINE)
    assert len(rows) > 6
    at = BACKGAMMON.initial()
    for action, position in rows:
        if action != "the start":
            at = at.apply(BACKGAMMON.parse_action(at, action.strip("`")))
        assert BACKGAMMON.format_position(at) == position
    assert f"\n{BACKGAMMON.format_position(at)}\n" in text
    drawn = BACKGAMMON.draw(BACKGAMMON.initial()).split("\n")
    picture = re.search(r"```text\n(┌.*?)```", text, re.DOTALL)
    assert picture is not None
    for row, line in zip(picture[1].splitlines(), drawn, strict=True):
        assert line.strip().startswith(row)


def test_the_order_and_weights_of_backgammon_s_dice_are_as_the_spec_says() -> None:
    opening = BACKGAMMON.initial()
    rolls = [BACKGAMMON.format_action(opening, a) for a, weight in opening.chance() if weight == 1]
    assert rolls == [f"{a}{b}" for a in range(1, 7) for b in range(1, 7) if a != b]
    assert rolls[4_621_617_744_064_153_195 % 30] == "61"
    first = opening.apply(BACKGAMMON.parse_action(opening, "31"))
    later = first.apply(first.legal_actions()[0])
    spread = [
        BACKGAMMON.format_action(later, a) for a, weight in later.chance() for _ in range(weight)
    ]
    assert list(dict.fromkeys(spread)) == [f"{a}{b}" for a in range(1, 7) for b in range(1, a + 1)]
    assert (len(spread), spread[12_148_741_679_615_760_183 % 36]) == (36, "44")


def test_each_game_has_a_section_with_its_own_words() -> None:
    games = sections(page("games"), "##")
    assert set(games) == set(REASONS)
    for name, text in games.items():
        assert name in registry.names()
        assert all(f"`{reason}`" in text or f'"{reason}"' in text for reason in REASONS[name])


def test_the_record_in_the_spec_is_the_one_of_the_vectors() -> None:
    text = page("records")
    record = (VECTORS / "records" / "tic_tac_toe.json").read_text("utf-8")
    hashes = re.findall(r'\{"hash":"([0-9a-f]{16})"', text)
    assert [line[9:25] for line in record.splitlines()[1:-1] if line[9:25] in hashes] == hashes
    head = hashlib.sha256(record.splitlines()[0].encode()).hexdigest()[:16]
    assert f"link(0) is `{head}`" in text
