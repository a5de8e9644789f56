"""What a loss of power can leave: all that was synced, and anything of the rest."""

from __future__ import annotations

import random
from collections.abc import Sequence

from bench.plug.disk import (
    NameMade,
    NameMoved,
    NameRemoved,
    Operation,
    Resized,
    Synced,
    VolatileDisk,
    Written,
)

FILE, OTHER, FOLDER = "/d/a", "/d/b", "/d"


def images(*operations: Operation) -> set[tuple[tuple[str, bytes | None], ...]]:
    """All disks that many losses of power leave behind these operations."""
    disk = VolatileDisk()
    for number, each in enumerate(operations):
        disk.carry_out(number, each)
    left = [disk.image(random.Random(seed)) for seed in range(400)]
    return {tuple((name, each and each[0]) for name, each in one.items()) for one in left}


def synced(*operations: Operation) -> Sequence[Operation]:
    """The same, with a file that was there before, all of it."""
    before = (NameMade(FILE), Written(FILE, 0, b"old"), Synced(FILE, 2), Synced(FOLDER, 3))
    return (*before, *operations)


def contents(*operations: Operation) -> set[bytes | None]:
    return {dict(one).get(FILE) for one in images(*synced(*operations))}


def test_what_was_synced_is_there() -> None:
    assert images(*synced()) == {((FILE, b"old"),)}
    assert contents(Written(FILE, 0, b"new"), Synced(FILE, 5)) == {b"new"}


def test_what_was_not_may_be_missing_and_so_may_a_later_or_an_earlier_write() -> None:
    writes = Written(FILE, 0, b"1"), Written(FILE, 1, b"2")
    assert contents(*writes) == {b"old", b"1ld", b"o2d", b"12d"}
    assert contents(Resized(FILE, 0), Written(FILE, 0, b"n")) == {b"old", b"", b"n", b"nld"}


def test_a_write_that_began_after_a_sync_had_begun_is_not_synced_by_it() -> None:
    assert contents(Written(FILE, 0, b"new"), Synced(FILE, 4)) == {b"old", b"new"}


def test_a_write_is_torn_where_sectors_begin() -> None:
    new = contents(Written(FILE, 500, b"n" * 24))
    assert b"old" + bytes(497) + b"n" * 12 in new
    assert b"old" + bytes(509) + b"n" * 12 in new


def test_a_file_may_be_longer_than_what_is_left_of_it() -> None:
    left = {each for each in contents(Written(FILE, 0, b"newer")) if each and len(each) == 5}
    assert b"old\0\0" in left
    assert any(each[:3] == b"old" and each != b"old\0\0" for each in left), "of something else"


def test_a_new_file_has_no_name_until_its_folder_is_synced() -> None:
    made = NameMade(OTHER), Written(OTHER, 0, b"x"), Synced(OTHER, 6)
    assert images(*synced(*made)) == {
        ((FILE, b"old"),), ((FILE, b"old"), (OTHER, b"x")),
    }  # fmt: skip
    assert images(*synced(*made, Synced(FOLDER, 7))) == {((FILE, b"old"), (OTHER, b"x"))}


def test_a_rename_is_done_as_a_whole_and_lost_until_the_folders_of_both_names_are_synced() -> None:
    away = "/d/sub/a"
    moved = NameMade("/d/sub", is_folder=True), Synced(FOLDER, 5), NameMoved(FILE, away)
    either = {((FILE, b"old"), ("/d/sub", None)), (("/d/sub", None), (away, b"old"))}
    assert images(*synced(*moved)) == either
    assert images(*synced(*moved, Synced("/d/sub", 7))) == either
    both = Synced("/d/sub", 7), Synced(FOLDER, 8)
    assert images(*synced(*moved, *both)) == {(("/d/sub", None), (away, b"old"))}


def test_a_file_that_was_removed_may_be_back_and_all_is_lost_with_its_folder() -> None:
    assert images(*synced(NameRemoved(FILE))) == {(), ((FILE, b"old"),)}
    inside = NameMade("/d/sub", is_folder=True), NameMade("/d/sub/c"), Synced("/d/sub", 6)
    assert images(*synced(*inside)) == {
        ((FILE, b"old"),), ((FILE, b"old"), ("/d/sub", None), ("/d/sub/c", b"")),
    }  # fmt: skip
