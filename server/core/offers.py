"""Offers of a match: at most one of a kind is open, by one seat, and it is gone with the next
action.  One that was declined or withdrawn is not made again in the same position; to resign may be
offered again for more points, which takes the place of an offer of fewer.
"""

from __future__ import annotations

from typing import TypeAlias

from protocol.errors import Code, Refusal
from protocol.parts import Offer_, OfferKind

Offers: TypeAlias = tuple[Offer_, ...]


def find(offers: Offers, kind: OfferKind) -> Offer_ | None:
    """Return the open offer of this kind, or None."""
    for offer in offers:
        if offer.kind == kind:
            return offer
    return None


def make(offers: Offers, kind: OfferKind, seat: int, points: int | None = None) -> Offers:
    """Add an offer, in place of one of its kind."""
    return (*drop(offers, kind), Offer_(kind, 1 if seat else 0, points))


def drop(offers: Offers, kind: OfferKind) -> Offers:
    """Remove the offer of this kind."""
    return tuple(offer for offer in offers if offer.kind != kind)


def check_new(
    offers: Offers, declined: Offers, kind: OfferKind, seat: int, points: int | None = None
) -> None:
    """Refuse an offer that already stands, or was declined here, unless it is for more points."""
    noun = "resignation" if kind == "resign" else kind
    standing = find(offers, kind)
    if standing is not None and standing.seat != seat:
        raise Refusal(Code.MATCH_OFFER_AGAIN, f"the other side offers a {noun}: answer that")
    if standing is not None and _is_no_more(points, standing):
        raise Refusal(Code.MATCH_OFFER_AGAIN, f"your {noun} offer still stands")
    own = [offer for offer in declined if (offer.kind, offer.seat) == (kind, seat)]
    if any(_is_no_more(points, offer) for offer in own):
        raise Refusal(
            Code.MATCH_OFFER_AGAIN,
            f"your {noun} offer was declined or withdrawn here; make it after the next action",
        )


def _is_no_more(points: int | None, offer: Offer_) -> bool:
    return (points or 0) <= (offer.points or 0)


def check_answer(offers: Offers, kind: OfferKind, seat: int, accept: bool) -> Offer_:
    """Return the open offer that is answered.

    Raises:
        Refusal: neither made one, or it is one's own that is accepted.
    """
    noun = "resignation" if kind == "resign" else kind
    offer = find(offers, kind)
    if offer is None:
        raise Refusal(Code.MATCH_NO_OFFER, f"nobody offers a {noun}")
    if offer.seat == seat and accept:
        raise Refusal(
            Code.MATCH_NO_OFFER, f"that {noun} offer is yours; only the other side accepts"
        )
    return offer
