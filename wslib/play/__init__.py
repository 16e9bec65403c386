"""Players (:mod:`.players`), matches in lockstep (:mod:`.matches`), a game at a prompt (:mod:`.prompt`)."""

from wslib.play.matches import Games, match
from wslib.play.players import METHODS, NetworkPlayer, PlayerSettings, RandomSettings, Seat, move, player, sit
from wslib.play.prompt import play

__all__ = [
    "METHODS",
    "Games",
    "NetworkPlayer",
    "PlayerSettings",
    "RandomSettings",
    "Seat",
    "match",
    "move",
    "play",
    "player",
    "sit",
]
