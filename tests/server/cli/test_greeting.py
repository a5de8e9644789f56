"""What `plyhouse up` prints: addresses that work, for whoever they are meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.cli import greeting
from server.cli.greeting import Reach


@pytest.fixture(autouse=True)
def network(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with an address of each kind, and one that nobody can type."""
    addresses = {
        greeting.socket.AF_INET: ["192.168.1.7", "127.0.1.1"],
        greeting.socket.AF_INET6: ["fd00::7", "fe80::7%eth0", "::1"],
    }
    monkeypatch.setattr(
        greeting, "_addresses",
        lambda family, _far: list(filter(greeting._is_reachable, addresses[family])),
    )  # fmt: skip


def addresses(url: str, *names: str) -> list[str]:
    """All addresses that are printed for a server at `url`."""
    words = greeting.text(url, ["mcts"], Path("data"), names).split()
    return [word for word in words if "://" in word and not word.endswith("/play.py")]


@pytest.mark.parametrize(
    ("url", "names", "printed"),
    [
        ("http://127.0.0.1:8765", (), ["http://127.0.0.1:8765"]),
        ("http://127.0.0.1:9", (), ["http://127.0.0.1:9"]),
        ("http://192.168.1.7:8765", (), ["http://192.168.1.7:8765"]),
        (
            "http://0.0.0.0:8765", (),
            ["http://127.0.0.1:8765", "http://192.168.1.7:8765", "http://192.168.1.7:8765"],
        ),
        (
            "http://[::]:9", (),
            ["http://127.0.0.1:9", "http://192.168.1.7:9", "http://[fd00::7]:9",
             "http://192.168.1.7:9"],
        ),
        (
            "https://0.0.0.0:443", ("play.example.org",),
            [*["https://play.example.org:443"] * 2, "https://192.168.1.7:443",
             "https://play.example.org:443"],
        ),
    ],
)  # fmt: skip
def test_addresses_that_work(url: str, names: tuple[str, ...], printed: list[str]) -> None:
    assert addresses(url, *names) == printed


def test_whoever_is_on_the_network_is_told_each_way_in() -> None:
    data, url = Path("data"), "http://0.0.0.0:9"
    found = greeting.text(url, [], data, (), Reach("plyhouse.local"), qr=True)
    assert "for others:            http://plyhouse.local:9" in found
    assert "and in their terminal: plyhouse play\n" in found  # it finds the server itself
    assert "with only Python:      curl http://192.168.1.7:9/play.py | python3 -" in found
    assert "\n".join(greeting.qr_lines("http://192.168.1.7:9")) in found
    hidden = greeting.text(url, [], data, (), Reach(why_not="No multicast here."))
    assert "plyhouse play --url http://192.168.1.7:9\n" in hidden
    assert "No multicast here." in hidden
    assert "█" not in hidden


def test_several_networks_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "several networks" not in greeting.text("http://0.0.0.0:9", [], Path("data"), ())
    monkeypatch.setattr(greeting, "_addresses", lambda *_: ["192.168.1.7", "10.0.0.7"])
    assert "several networks" in greeting.text("http://0.0.0.0:9", [], Path("data"), ())


def test_several_servers_of_this_machine_are_all_named() -> None:
    said = greeting.text("http://127.0.0.1:8765", [], Path("data"), (), others=2).split()
    assert [each for each in said if each.startswith("http")] == [
        f"http://127.0.0.1:{port}" for port in (8765, 8766, 8767)
    ]
