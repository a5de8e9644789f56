"""Offers of a match: at most one of a kind is open, by one seat, and it is gone with the next
action.  One that was declined or withdrawn is not made again in the same position.
"""

from __future__ import annotations

from typing import TypeAlias

from protocol.errors import Code, Refusal
from protocol.parts import Offer_, OfferKind

Offers: TypeAlias = tuple[Offer_, ...]


def by(offers: Offers, kind: OfferKind) -> int | None:
    """Return the seat whose offer of this kind is open, or None."""
    for offer in offers:
        if offer.kind == kind:
            return offer.seat
    return None


def make(offers: Offers, kind: OfferKind, seat: int) -> Offers:
    """Add an offer."""
    return (*offers, Offer_(kind, 1 if seat else 0))


def drop(offers: Offers, kind: OfferKind) -> Offers:
    """Remove the offer of this kind."""
    return tuple(offer for offer in offers if offer.kind != kind)


def check_new(offers: Offers, declined: Offers, kind: OfferKind, seat: int) -> None:
    """Refuse an offer that already stands, or was declined here."""
    owner = by(offers, kind)
    if owner == seat:
        raise Refusal(Code.MATCH_OFFER_AGAIN, f"your {kind} offer still stands")
    if owner is not None:
        raise Refusal(Code.MATCH_OFFER_AGAIN, f"the other side offers a {kind}: answer that")
    if any((offer.kind, offer.seat) == (kind, seat) for offer in declined):
        raise Refusal(
            Code.MATCH_OFFER_AGAIN,
            f"your {kind} offer was declined or withdrawn here; make it after the next action",
        )


def check_answer(offers: Offers, kind: OfferKind, seat: int, accept: bool) -> None:
    """Refuse an answer to an offer that nobody made, or one's own acceptance of it."""
    owner = by(offers, kind)
    if owner is None:
        raise Refusal(Code.MATCH_NO_OFFER, f"nobody offers a {kind}")
    if owner == seat and accept:
        raise Refusal(
            Code.MATCH_NO_OFFER, f"that {kind} offer is yours; only the other side accepts"
        )
