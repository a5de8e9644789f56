"""The codec: what it writes it reads again, and what is no message it refuses in so many words."""

from __future__ import annotations

import json
import tracemalloc
from random import Random
from struct import pack
from typing import Any

import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from protocol import codec, messages
from protocol.errors import Code, PlyhouseError, ProtocolError, Refusal
from protocol.messages import (
    MAX_CLIENT_FRAME,
    MAX_SERVER_FRAME,
    Hello,
    Join,
    Kick,
    Link,
    MatchState,
    Request,
    Say,
)
from protocol.parts import MAX_INT
from tests.protocol.random_messages import maker
from tests.protocol.strategies import ASKED, CLASSES, TOLD, packed, plain

both = pytest.mark.parametrize("text", [False, True], ids=["msgpack", "json"])


def decode(data: bytes, cls: type[Any], text: bool) -> Any:
    read = codec.decode_request if issubclass(cls, Request) else codec.decode_reply
    return read(data, text)


def refused(data: bytes, text: bool = False) -> ProtocolError:
    with pytest.raises(ProtocolError) as caught:
        codec.decode_request(data, text)
    return caught.value


def fields(**fields: object) -> bytes:
    return bytes(msgpack.packb(fields))


def plain_lists(said: object) -> Any:
    return json.loads(json.dumps(plain(said)))  # tuples become lists


def test_what_is_encoded_decodes_to_itself_and_is_what_other_libraries_write() -> None:
    for cls, rng in ((cls, Random(f"{cls.__name__} {n}")) for cls in CLASSES for n in range(20)):
        sent = maker(cls)(rng)
        binary, text = codec.encode(sent), codec.encode(sent, text=True)
        assert decode(binary, cls, text=False) == decode(text, cls, text=True) == sent
        assert binary == packed(sent)
        assert msgpack.unpackb(binary) == json.loads(text) == plain_lists(sent)
        more = plain(sent) | {"x_new": [{"deep": [None, 1.5, "…"]}]}  # what nobody knows is ignored
        assert decode(msgpack.packb(more), cls, text=False) == sent
        assert decode(json.dumps(more).encode(), cls, text=True) == sent


@pytest.mark.parametrize("text", [False, True])
@pytest.mark.parametrize("re", [0, 127, 128, 300, MAX_INT])
def test_an_encoded_message_becomes_an_answer(text: bool, re: int) -> None:
    for said in (messages.LobbyList(rooms=(), bots=(), total=3), messages.Ok()):
        answer = codec.add_re(codec.encode(said, text), re, text)
        assert answer == codec.encode(structs.replace(said, re=re), text)


def test_a_field_at_its_default_is_not_written() -> None:
    assert plain(Join(code="QF7KDM")) == {"type": "join", "code": "QF7KDM"}


def test_every_type_word_stands_once_a_direction() -> None:
    for classes in (ASKED, TOLD):
        tags = [cls.__struct_config__.tag for cls in classes]
        assert len(set(tags)) == len(tags)


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        *(("room", n) for n in (True, False, None, 1.0, -1, 2**53, 2**63, 2**64 - 1, "1", [1], {})),
        *(("seat", n) for n in (True, None, 1.0, -1, 2, 2**64 - 1, "1", float("nan"))),
        *(("follow", flag) for flag in (0, 1, "true", None, [], 0.0)),
        *(("text", text) for text in (0, None, ["a"], {}, True)),
    ],
    ids=repr,
)
def test_a_number_is_an_integer_in_range_a_boolean_a_boolean_and_a_text_a_text(
    field: str, wrong: object
) -> None:
    right = {"type": "kick", "room": 1, "seat": 1}
    right |= {"follow": {"type": "lobby"}, "text": {"type": "say"}}.get(field, {})
    assert refused(fields(**right | {field: wrong})).code == Code.PROTOCOL_BAD_MESSAGE


@pytest.mark.parametrize("wrong", ["NaN", "Infinity", "-Infinity", "1e999", "01", "+1", "0x1"])
def test_json_has_only_the_numbers_of_json(wrong: str) -> None:
    frame = f'{{"type":"link","x":{wrong}}}'.encode()
    assert refused(frame, text=True).code == Code.PROTOCOL_BAD_FRAME


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), float("-inf")])
def test_points_are_finite(wrong: float) -> None:
    room = {"type": "room", "room": 1, "seq": 1, "game": "g", "state": "waiting", "owner": "a",
            "seats": [None, None], "ready": [False, False], "options": {}}  # fmt: skip
    assert codec.decode_reply(msgpack.packb(room | {"score": [0, 1]})).score == (0.0, 1.0)  # type: ignore[attr-defined]
    with pytest.raises(ProtocolError):
        codec.decode_reply(msgpack.packb(room | {"score": [wrong, 0.0]}))


def test_the_last_of_two_equal_keys_counts_in_both_encodings() -> None:
    text = b'{"type":"say","type":"kick","room":1,"room":2,"seat":0}'
    binary = b"\x85\xa4type\xa3say\xa4type\xa4kick\xa4room\x01\xa4room\x02\xa4seat\x00"
    assert (
        codec.decode_request(text, text=True)
        == codec.decode_request(binary)
        == Kick(room=2, seat=0)
    )


def test_text_may_hold_any_character_the_core_will_judge_it() -> None:
    sent = Say(room=1, text="\x00\x1b[31m\u202e🎲\uffff")
    for text in (False, True):
        assert codec.decode_request(codec.encode(sent, text), text) == sent


@both
def test_a_frame_may_be_full_but_not_fuller(text: bool) -> None:
    def frame(padding: int) -> bytes:
        sent = {"type": "link", "x": "x" * 1_000, "y": "y" * padding}
        return json.dumps(sent).encode() if text else bytes(msgpack.packb(sent))

    most = 60_000 + MAX_CLIENT_FRAME - len(frame(60_000))
    assert codec.decode_request(frame(most), text) == Link()
    assert refused(frame(most + 1), text).code == Code.PROTOCOL_TOO_LARGE


def test_a_server_s_frame_may_be_larger_but_not_for_ever() -> None:
    with pytest.raises(ProtocolError) as caught:
        codec.decode_reply(b" " * (MAX_SERVER_FRAME + 1), text=True)
    assert caught.value.code == Code.PROTOCOL_TOO_LARGE


def test_the_longest_list_of_legal_actions_passes() -> None:
    legal = tuple([f"24/{n} 13/{n}" for n in range(3_060)])
    state = MatchState(
        match="1.1", room=1, seq=1, turn=1, game="backgammon", ply=1, position="", to_move=0,
        seats=({"name": "a"}, {"name": "b"}), events=(), legal=legal,  # type: ignore[arg-type]
    )  # fmt: skip
    for text in (False, True):
        read = codec.decode_reply(codec.encode(state, text), text)
        assert isinstance(read, MatchState)
        assert read.legal == legal


def test_lists_that_declare_more_than_they_hold_take_no_memory() -> None:
    frame = (b"\xdd" + pack(">I", 65_000)) * 1_000 + b"\xc0" * 60_000
    tracemalloc.start()
    try:
        assert refused(frame[:MAX_CLIENT_FRAME]).code == Code.PROTOCOL_BAD_FRAME
        frame = (b"\xdd" + pack(">I", 1_000)) * 1_000 + b"\xc0" * 60_000
        assert refused(frame[:MAX_CLIENT_FRAME]).code == Code.PROTOCOL_BAD_FRAME
        assert tracemalloc.get_traced_memory()[1] < 16_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("many", "said"),
    [
        ("games", {"type": "hello", "version": 1, "bot": {"program": "a", "games": ["g"] * 65}}),
        ("set", {"type": "invite", "room": 1, "who": "a",
                 "strength": {"set": {str(n): "1" for n in range(65)}}}),
    ],
)  # fmt: skip
def test_no_list_of_a_request_is_longer_than_makes_sense(many: str, said: dict[str, Any]) -> None:
    error = refused(msgpack.packb(said))
    assert error.code == Code.PROTOCOL_BAD_MESSAGE
    assert many in error.text


def test_an_error_names_the_message_and_the_field() -> None:
    error = refused(fields(type="kick", id=5, room="1", seat=0))
    assert error.text == "`kick`: Expected `int`, got `str` - at `$.room`"
    assert (error.re, error.fatal) == (5, True)


def test_an_unknown_type_is_told_which_there_are_and_does_not_end_the_connection() -> None:
    error = refused(fields(type="dance", id=5))
    assert error.text.startswith("no message is called 'dance'; there are hello, lobby, create,")
    assert (error.code, error.re, error.fatal) == (Code.PROTOCOL_UNKNOWN_TYPE, 5, False)
    with pytest.raises(ProtocolError) as caught:
        codec.decode_reply(fields(type="fireworks", re=7))
    newer = caught.value
    assert (newer.code, newer.re, newer.fatal) == (Code.PROTOCOL_UNKNOWN_TYPE, 7, False)


@pytest.mark.parametrize("number", [-1, MAX_INT + 1, True, "5", 5.0, None, [5]], ids=repr)
def test_only_a_proper_id_comes_back(number: object) -> None:
    assert refused(fields(type="dance", id=number)).re is None


@pytest.mark.parametrize(
    ("why", "frame", "text"),
    [
        ("nested too deep", b"\x91" * 2_000, False),
        ("nested too deep", b"\x91" * 60_000, False),
        ("nested too deep", b"\x81\xa1a" * 20_000, False),
        ("nested too deep", b"\x82\xa4type\xa4link\xa1x" + b"\x91" * 60_000, False),
        ("nested too deep", b"[" * 60_000, True),
        ("nested too deep", b'{"a":' * 12_000, True),
        ("nested too deep", b'{"type":"link","x":' + b"[" * 60_000, True),
        ("a list of too many entries", b"\xdd\xff\xff\xff\xff", False),
        ("a map of too many entries", b"\xdf\xff\xff\xff\xff", False),
        ("a value of type bin, where text is sent as str", fields(type=b"link"), False),
        ("an extension type, which is not used", b"\xc7\x00\x05", False),
        ("an extension type, which is not used", b"\xd4\x05x", False),
        ("a key that is no text", b"\x81\x01\x01", False),
        ("a byte that starts no value", b"\xc1", False),
        ("incomplete input", b"", False),
        ("truncated", b"", True),
    ],
)
def test_a_bad_frame_is_told_why_in_words(why: str, frame: bytes, text: bool) -> None:
    error = refused(frame, text)
    assert why in error.text
    assert (error.code, error.re, error.fatal) == (Code.PROTOCOL_BAD_FRAME, None, True)


@pytest.mark.parametrize("nasty", ["\x1b[2J\r\n", "\u202e\u2066", "\x00", "\ue000", "\u2028"])
def test_an_error_repeats_nothing_that_does_not_print_and_little_at_all(nasty: str) -> None:
    flood = nasty * 9_000
    for sent in (
        {"type": flood},
        {"type": "offer", "match": "1", "kind": flood},
        {"type": "link", flood: flood, "id": flood},
        {"type": "invite", "room": 1, "who": "a", "strength": {"set": {flood: 1}}},
    ):
        for frame, text in ((msgpack.packb(sent), False), (json.dumps(sent).encode(), True)):
            error = refused(frame[:MAX_CLIENT_FRAME], text)
            assert error.text.isprintable()
            assert len(error.text) < 80 + len(", ".join(codec.REQUESTS))  # which it may list


def test_errors_carry_what_a_program_needs() -> None:
    refusal = Refusal(Code.MATCH_ILLEGAL_ACTION, "no", legal=["1", "2"], suggestion="1")
    assert (refusal.code, refusal.text, refusal.legal, refusal.suggestion) == (
        "match/illegal-action", "no", ("1", "2"), "1",
    )  # fmt: skip
    assert str(refusal) == "no [match/illegal-action]"
    assert isinstance(refusal, PlyhouseError)
    assert not isinstance(refusal, ProtocolError)


def test_messages_are_values() -> None:
    assert hash(Link(id=1)) == hash(Link(id=1))
    with pytest.raises(AttributeError):
        Hello(version=1).version = 2  # type: ignore[misc]


PLAY = {"type": "play", "match": "17.1", "turn": 4, "action": "13/8 6/5"}
READY = {"type": "ready", "room": 17}


def test_a_field_that_is_not_known_is_read_with_a_guard_in_what_is_usual_as_well() -> None:
    for fields_ in (PLAY, READY):
        known = codec.decode_request(packed(fields_))
        assert codec.decode_request(packed(fields_ | {"else": {"deep": [1]}})) == known
        for odd in (b"no text", [[1] * 2000], {1: 2}, msgpack.ExtType(5, b"x")):
            assert refused(packed(fields_ | {"else": odd}), False).code == Code.PROTOCOL_BAD_FRAME


@settings(derandomize=True, max_examples=100, deadline=None)
@given(data=st.data(), fields_=st.sampled_from([PLAY | {"id": 9}, READY | {"salt": "0"}, READY]))
def test_what_is_usual_and_broken_is_read_as_the_long_way_reads_it(
    data: st.DataObject, fields_: dict[str, Any]
) -> None:
    whole = bytearray(packed(fields_))
    for _ in range(data.draw(st.integers(0, 3))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    broken = bytes(whole[: data.draw(st.integers(0, len(whole)))])
    asked: list[object] = []
    for read in (codec.decode_request, lambda data: codec._decode(data, False, codec._CLIENT)):
        try:
            asked.append(read(broken))
        except ProtocolError as error:
            asked.append((error.code, error.text, error.re, error.fatal))
    assert asked[0] == asked[1]
