"""Units of the study that learn: a training run that survives interruption, and measurements of its networks.

What only names units and reads their results does without torch, which takes longer to import than a page takes to show
them; so what computes is imported where something is computed.
"""

from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import pandas as pd
from pydantic import Field, ValidationInfo, field_validator, model_validator

from wslib._compiled import stream
from wslib.games import game
from wslib.games.position import GameName
from wslib.network.settings import NetworkSettings
from wslib.play import Games, NetworkPlayer, PlayerSettings, match
from wslib.play.matches import play_block
from wslib.search import GUIDED, GuidedSettings
from wslib.search.settings import known_method
from wslib.study.engine.progress import Estimate
from wslib.study.engine.run_files import RunFiles, Told, notes_of
from wslib.study.engine.store import LocalStore
from wslib.study.engine.units import Computed, Unit, check_writable, compute_unit, origins
from wslib.training.settings import RunSettings


def watch(unit: "RunUnit", experiment: str, told: Told) -> None:
    """Compute a run that is neither published nor stored, here and now; ``told`` hears of every iteration."""
    store = LocalStore()
    if origins([unit], experiment, store)[unit.id] is None:
        check_writable(store.root)
        Estimate([unit], store.root).announce(workers=1)
        compute_unit(unit, store.root, told=told)


class RunUnit(Unit):
    """A training run: what its iterations tell."""

    kind: ClassVar[str] = "run"
    learns: ClassVar[bool] = True
    stage: ClassVar[int] = 0

    run: RunSettings
    iterations: int = Field(100, ge=1, le=10_000, description="I: iterations")

    def needs_no_training(self, root: Path) -> bool:
        return self.iterations in RunFiles(self.run, root).iterations()

    def compute_in(self, root: Path, told: Told | None = None) -> Computed:
        # A longer run tells the same, but may have left this one's last network behind.
        log, notes = None, notes_of(self.iterations, {})
        if self.needs_no_training(root):
            log = RunFiles(self.run, root).log(self.iterations)
        if log is None:
            from wslib.study.engine.states import train

            _, log, notes = train(self.run, self.iterations, root, told)
        table = pd.DataFrame(log)
        switched = table.loc[table["switch"], "iteration"]
        summary = {
            "iterations": self.iterations,
            "accepted": int(table["accepted"].sum()),
            "switch_iteration": int(switched.iloc[0]) if len(switched) else None,
        }
        return Computed(summary, {"iterations": table}, notes)


class SwitchUnit(Unit):
    """An adaptive run up to its switch: the first iteration whose balance is above 0, and the balances until then."""

    kind: ClassVar[str] = "switch"
    learns: ClassVar[bool] = True
    stage: ClassVar[int] = 0

    run: RunSettings
    most: int = Field(100, ge=1, le=10_000, description="I: iterations after which it is given up")

    @model_validator(mode="after")
    def _switches(self) -> Self:
        if self.run.switch != "adaptive":
            raise ValueError(
                f"switch = {self.run.switch!r} is not allowed: only an 'adaptive' run has a switch to find"
            )
        return self

    def compute_in(self, root: Path) -> Computed:
        log, notes = RunFiles(self.run, root).log(self.most), notes_of(self.most, {})
        if log is None or not any(news["switch"] for news in log):
            from wslib.study.engine.states import train

            _, log, notes = train(self.run, self.most, root, to_switch=True)
        at = next((news["iteration"] for news in log if news["switch"]), None)
        columns = ["iteration", "balance", "first_wins", "draws", "first_losses", "distinct", "accepted"]
        table = pd.DataFrame(log[: at or self.most])[columns]
        summary = {"switch_iteration": at, "iterations": len(table)}
        return Computed(summary, {"balances": table}, notes)


class StrengthUnit(Unit):
    """A match of a run's network, with a guided search, against a player without a network."""

    kind: ClassVar[str] = "strength"
    learns: ClassVar[bool] = True

    run: RunSettings
    iteration: int = Field(100, ge=1, description="which network")
    search: GuidedSettings = Field(default_factory=GuidedSettings)
    opponent: PlayerSettings = Field(discriminator="method")
    games: int = Field(200, ge=2, multiple_of=2)
    opening_plies: int = Field(4, ge=0, description="random plies before the players take over")
    seed: int = Field(0, ge=0)

    def plays_with(self) -> list[tuple[RunSettings, int]]:
        return [(self.run, self.iteration)]

    def needs_no_training(self, root: Path) -> bool:
        return self.iteration in RunFiles(self.run, root).iterations()

    def compute_in(self, root: Path) -> Computed:
        from wslib.study.engine.states import player_of

        board = game(self.run.game)
        player = NetworkPlayer(player_of(self.run, self.iteration, root), self.search)
        played = match(board, player, self.opponent, self.games, self.seed, self.opening_plies)
        return Computed(played.summary(), {"games": played.frame()}, {})


class UntrainedUnit(Unit):
    """A match of two guided searches whose networks have learned nothing (Table 6.1: w = 1/2, best moves only).

    Each game has a random network of its own, shared by both players; or one network serves all games.
    """

    kind: ClassVar[str] = "untrained"
    learns: ClassVar[bool] = True
    later: ClassVar[dict[str, Any]] = {
        "amaf_players": "own", "equivalence": None, "ties": "random", "sampled_plies": 0, "runtime": "compiled",
        "device": "cpu", "precision": "float32",
    }  # fmt: skip

    game: GameName
    a: str
    b: str
    policy: Literal["visits", "q_rave"] = Field("visits", description="what A's final move goes by")
    networks: Literal["per game", "one"] = "per game"
    games: int = Field(100, ge=2, multiple_of=2)
    simulations: int = Field(100, ge=2)
    channels: int = Field(32, ge=1, le=1024)
    seed: int = Field(0, ge=0)
    amaf_players: Literal["own", "both", "first"] = Field("own", description="RAVE of either player: whose moves count")
    equivalence: float | None = Field(None, gt=0, description="RAVE of either player: equivalence, m unless given")
    ties: Literal["random", "first"] = Field("random", description="which of equally good actions: any, or the first")
    sampled_plies: int = Field(0, ge=0, description="T': plies in which both draw their moves from their policies")
    runtime: Literal["compiled", "torch"] = Field("compiled", description="who evaluates positions")
    device: Literal["cpu", "cuda"] = Field("cpu", description="what torch computes on")
    precision: Literal["float32", "bfloat16", "float16"] = Field("float32", description="in which torch multiplies")

    @field_validator("a", "b")
    @classmethod
    def _known(cls, method: str, about: ValidationInfo) -> str:
        return known_method(method, GUIDED, about.field_name or "")

    @model_validator(mode="after")
    def _rave_plays(self) -> Self:
        NetworkSettings(game=self.game, channels=self.channels)  # has rules of its own
        if not (GUIDED[self.a].rave or GUIDED[self.b].rave):
            for name in ("amaf_players", "equivalence"):
                if getattr(self, name) != self.later[name]:
                    raise ValueError(f"{name} belongs to methods with RAVE: neither {self.a!r} nor {self.b!r} is one")
        return self

    def canonical(self) -> dict[str, Any]:
        """An equivalence of m is the usual one."""
        usual = ["equivalence"] if self.equivalence == self.simulations else []
        return {name: value for name, value in super().canonical().items() if name not in usual}

    def _player(self, network: Any, method: str, policy: str) -> NetworkPlayer:
        rave = {"amaf_players": self.amaf_players, "equivalence": self.equivalence} if GUIDED[method].rave else {}
        search = GuidedSettings(method=method, simulations=self.simulations, policy=policy, ties=self.ties, **rave)
        return NetworkPlayer(network, search, self.sampled_plies)

    def compute_in(self, root: Path) -> Computed:
        from wslib.network.model import Network
        from wslib.training.loop import evaluator_of

        board = game(self.game)
        shape = NetworkSettings(game=self.game, channels=self.channels)
        rows = []
        for number in range(self.games if self.networks == "per game" else 1):
            # The same network for the same number in every match: what differs between matches is the methods.
            network = evaluator_of(self, Network(shape, seed=int(stream(self.seed, "untrained", number)) >> 1))
            a, b = self._player(network, self.a, self.policy), self._player(network, self.b, "visits")
            if self.networks == "one":
                rows.append(match(board, a, b, self.games, self.seed))
            else:
                rows.append(play_block(board, a, b, self.seed, 0, number, number + 1))
        played = Games.joined(rows)
        return Computed(played.summary(), {"games": played.frame()}, {})
