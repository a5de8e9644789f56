"""Machines with a network of their own, on this one: Linux's network namespaces and a router.

Each machine is a namespace with one cable to a router, which is a namespace, too.  What goes from
one address to another can be dropped there without a word, in one direction or in both, as by a
network that fails.  Nothing of this machine's own network is touched, and nothing is left behind:
a namespace ends with the last program that has it open.  Only root may make them.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

CLONE_NEWNET: Final = 0x40000000  # of <sched.h>
THIS_THREAD: Final = "/proc/thread-self/ns/net"
SUBNET: Final = "10.77"  # seen by nobody outside
EVERYWHERE: Final = "all"


class NoNamespaces(Exception):
    """Networks of our own cannot be made here; the sentence says why."""


class Namespace:
    """A network of its own.  It ends when it is closed and no program is in it."""

    def __init__(self) -> None:
        """Make one.

        Raises:
            NoNamespaces: that is not possible here.
        """
        if shutil.which("ip") is None:
            raise NoNamespaces("`ip` is not installed: apt-get install iproute2")
        before = _open_own()
        _call("unshare", CLONE_NEWNET)
        try:
            self.handle = _open_own()
        finally:
            _call("setns", before, CLONE_NEWNET)
            os.close(before)
        self.ip("link set lo up")

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Have this thread, and the programs and threads that it starts, be in it meanwhile."""
        before = _open_own()
        _call("setns", self.handle, CLONE_NEWNET)
        try:
            yield
        finally:
            _call("setns", before, CLONE_NEWNET)
            os.close(before)

    @property
    def path(self) -> str:
        return f"/proc/{os.getpid()}/fd/{self.handle}"

    def ip(self, *commands: str) -> None:
        """Carry out commands of `ip`, one after the other.

        Raises:
            NoNamespaces: one fails.
        """
        text = "".join(f"{command}\n" for command in commands)
        with self.entered():
            words = ["ip", "-batch", "-"]
            done = subprocess.run(words, input=text, capture_output=True, text=True, check=False)
        if done.returncode:
            raise NoNamespaces(f"`ip` says: {done.stderr.strip()}")

    def close(self) -> None:
        os.close(self.handle)


class NetworkMachine(Namespace):
    """A namespace with a cable to a router.  `address`: the one that it has there."""

    def __init__(self, router: Router, number: int) -> None:
        super().__init__()
        self.address = f"{SUBNET}.{number}.2"
        gate = f"{SUBNET}.{number}.1"
        router.ip(
            f"link add cable{number} type veth peer name eth0 netns {self.path}",
            f"addr add {gate}/30 dev cable{number}",
            f"link set cable{number} up",
        )
        self.ip(
            f"addr add {self.address}/30 dev eth0",
            "link set eth0 up",
            f"route add default via {gate}",
        )


class Router(Namespace):
    """What all machines are connected to, and where cables are cut."""

    def __init__(self) -> None:
        super().__init__()
        with self.entered():
            Path("/proc/sys/net/ipv4/ip_forward").write_text("1")
        self._cuts: set[str] = set()

    def cut(self, source: str, target: str) -> None:
        """Drop what goes from one address to another, either of which may be EVERYWHERE."""
        rule = f"from {source} to {target}"
        if rule not in self._cuts:
            self.ip(f"rule add {rule} blackhole")
            self._cuts.add(rule)

    def heal(self) -> None:
        self.ip(*[f"rule del {rule} blackhole" for rule in sorted(self._cuts)])
        self._cuts.clear()


def _open_own() -> int:
    try:
        return os.open(THIS_THREAD, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise NoNamespaces(f"{THIS_THREAD}: {error.strerror}") from None


def _call(name: str, *values: int) -> None:
    library = ctypes.CDLL(None, use_errno=True)
    if getattr(library, name)(*values) != 0:
        why = os.strerror(ctypes.get_errno())
        raise NoNamespaces(f"no network of our own can be made here ({name}: {why})")
