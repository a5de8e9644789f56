"""The networks that an address is of."""

from __future__ import annotations

import ipaddress

import pytest

from server.core.admission.networks import WIDER, customer, network_of, networks

ADDRESSES = [
    "203.0.113.9", "0.0.0.0", "2001:db8:1:2::/64", "2001:db8::/64", "::/64", "fe80::/64",
    "2001:0:0:1::/64", "2001:db8:0:ff7::/64", "0:0:1:2::/64", "ffff:ffff:ffff:ffff::/64",
]  # fmt: skip


@pytest.mark.parametrize("address", ADDRESSES)
def test_networks_are_those_that_the_standard_library_finds(address: str) -> None:
    own = ipaddress.ip_network(address)
    wider = [(str(own.supernet(new_prefix=bits)), times) for bits, times in WIDER[own.version]]
    assert networks(str(own) if own.version == 6 else address) == ((address, 1), *wider)
    assert [network_of(name) for name, _ in wider] == [name for name, _ in wider]


def test_what_is_no_address_is_of_no_network() -> None:
    assert (networks(""), customer("")) == ((), "")
    assert networks("elsewhere") == (("elsewhere", 1),)
    for text in ("ann", "203.0.113.9", "2001:db8::/32", "2001:db8::1/56", "203.0.113.0/23"):
        assert network_of(text) == ""


def test_a_customer_has_an_address_of_ipv4_and_a_56_of_ipv6() -> None:
    assert customer("203.0.113.9") == "203.0.113.9"
    assert customer("2001:db8:0:1ff::/64") == "2001:db8:0:100::/56"
