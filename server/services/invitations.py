"""Invitations: handing them to the connections of the player they mean."""

from __future__ import annotations

from server.core.effects import Summon
from server.core.lobby import LobbyState
from server.rooms.peers import connections_of
from server.rooms.wall_clock import WallClock
from server.services.lobby_list import LobbyFeed


class Invitations:
    """Finds the players whom rooms invite."""

    def __init__(self, lobby: LobbyState, clock: WallClock, lobby_feed: LobbyFeed) -> None:
        self.lobby = lobby
        self.clock = clock
        self.lobby_feed = lobby_feed

    def summon(self, room: int, effect: Summon) -> None:
        """Hand an invitation to the player it means.

        Raises:
            Refusal: invite/no-such-player, invite/private or invite/busy.
        """
        presence = self.lobby.find(effect, room, self.clock.now())
        for peer in connections_of(self.lobby, presence.who):
            peer.send(effect.invited)
        self.lobby_feed.send_soon()  # it holds a slot of a bot
