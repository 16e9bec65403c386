"""Players (:mod:`.players`) and matches in lockstep (:mod:`.matches`)."""

from wslib.play.matches import Games, match
from wslib.play.players import METHODS, NetworkPlayer, PlayerSettings, RandomSettings, Seat, move, player, sit

__all__ = [
    "METHODS",
    "Games",
    "NetworkPlayer",
    "PlayerSettings",
    "RandomSettings",
    "Seat",
    "match",
    "move",
    "player",
    "sit",
]
