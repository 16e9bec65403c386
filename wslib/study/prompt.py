"""The study at a prompt: train a run, take a trained network, list what there is, let players meet and rate them.

Everything here asks for units of work, as the notebooks do, so that what is known is read, what is missing is computed
and kept, and the same settings give the same results as everywhere. Own results lie in the store (``WSLIB_STORE``).
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, Literal, TextIO, overload

import pandas as pd
from tqdm import tqdm

from wslib._bar import nobody_looks, terminal
from wslib._compiled import stream
from wslib.files import default_root
from wslib.games import Game, Position
from wslib.games import game as game_of
from wslib.parameters import ParameterError, Parameters, brief, takes, whole
from wslib.play import Games, NetworkPlayer, match
from wslib.play.players import player_of
from wslib.prompt.networks import PlayingNetwork
from wslib.search import GUIDED
from wslib.study.claims.evidence import Evidence
from wslib.study.claims.listing import NAMES, all_runs, preset_of, warm_start
from wslib.study.engine import networks
from wslib.study.engine import units as study
from wslib.study.engine.everything import Found, published, stored
from wslib.study.engine.run_files import RunFiles, settings_of_run
from wslib.study.engine.runs import RunUnit
from wslib.study.engine.store import LocalStore
from wslib.study.engine.tournament import NetworkEntrant, meetings
from wslib.study.presets import PRESETS
from wslib.study.presets import preset as settings_of
from wslib.study.statistics.pairings import COUNTS, ordered_pairs
from wslib.study.statistics.rating import Rating, RatingSettings
from wslib.study.statistics.rating import rate as rated
from wslib.training.settings import RunSettings

if TYPE_CHECKING:
    from wslib.study.report.look import Html

Switch = Literal["fixed", "adaptive"]
HERE = "prompt"
"""Stands for an experiment where units are asked for: nothing is published under this name."""
CURVES = {
    "value_loss": "value loss", "fresh_value_loss": "value error, fresh games", "policy_loss": "policy loss",
    "policy_entropy": "policy entropy", "distinct": "distinct games",
}  # fmt: skip
SHOWN = ("iteration", "phase", "value_loss", "fresh_value_loss", "policy_loss", "draws", "distinct", "accepted")
"""Columns of a run's log that it prints."""
FEW_GAMES, FEW_DRAWS = 100, 10
SPARSE = RatingSettings(advantage=0.0, drawelo=97.3)
"""How games are rated that are fewer than these, and say too little of what the first move and draws are worth: every
opening is played with both colours, and 97.3 is what programs for Bayesian Elo take for draws."""


# --- runs -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Run:
    """A training run after some iterations. Prints and draws itself."""

    settings: RunSettings
    iterations: int
    apart: str = ""
    """What sets a result apart that has no network: an earlier version's, or a run that ended at its switch."""

    @property
    def id(self) -> str:
        """The id of its settings and seed, as :func:`trained` lists it."""
        return self.settings.id

    @property
    def log(self) -> pd.DataFrame:
        """The training loop's log, a row per iteration: of a run that still trains, of those that have ended."""
        if "_log" not in vars(self):
            read = self._read()
            if len(read) < self.iterations:
                return read
            vars(self)["_log"] = read
        return vars(self)["_log"]

    def _read(self) -> pd.DataFrame:
        """What is stored or published of this run, or of one that went on from it; to look trains nothing."""
        if self.apart:
            return pd.DataFrame()
        files = RunFiles(self.settings, default_root())
        if told := files.log(self.iterations):
            return pd.DataFrame(told)
        unit = RunUnit(run=self.settings, iterations=self.iterations)
        if study.origins([unit], HERE)[unit.id]:
            return study.table(unit, "iterations", HERE)
        for settings, iterations, one in _trained_runs():
            longer = settings.id == self.id and iterations > self.iterations and _is_todays(settings, iterations, one)
            if longer and (kept := one.read()):
                return kept.tables["iterations"].head(self.iterations)
        done = next(iter(files.iterations()), 0)
        return pd.DataFrame(files.log(done) if done else [])

    @property
    def games(self) -> tuple[Position, ...]:
        """A game of self-play from each iteration: its final position, with its moves."""
        board = game_of(self.settings.game)
        log = self.log
        return tuple(board.position(str(moves)) for moves in log["a_game"]) if "a_game" in log else ()

    @cached_property
    def network(self) -> TrainedNetwork:
        """The network after the last iteration, as it plays in tournaments: its weights rounded to float16."""
        if self.apart:
            raise ParameterError(f"this run has no network ({self.apart}); {_REMEDY}")
        return TrainedNetwork(self.settings, self.iterations)

    def curves(self) -> Html:
        """Learning curves, iteration by iteration."""
        from wslib.study.report.learning import curves_figure

        log = self.log
        if log.empty:
            raise ParameterError(f"there are no curves yet: {self!r}")
        if "value_loss" not in log:
            raise ParameterError(f"there are no curves of a run {self.apart}: its log has the balances")
        labelled = log.assign(board=NAMES.get(self.settings.game, self.settings.game), kind=self.settings.method)
        return curves_figure(labelled, CURVES, f"{self._headline}{self._so_far(log)}.")

    @property
    def _headline(self) -> str:
        run = self.settings
        words = f"{_what(run)} in {game_of(run.game).title}, seed {run.seed}, {preset_of(run.canonical())}"
        apart = f" ({self.apart})" if self.apart else ""
        return f"{words}: {self.iterations} iteration{'s' if self.iterations > 1 else ''}{apart}"

    def _so_far(self, log: pd.DataFrame) -> str:
        """Of a run that still trains, how far it is, and whether its own process has failed."""
        if len(log) >= self.iterations:
            return ""
        told = f", of which {len(log) or 'none'} ended so far; "
        process, errors = vars(self).get("_elsewhere", (None, None))
        if process is None or not process.poll():
            return f"{told}monitor(run) watches it"
        errors.seek(0)
        why = (errors.read().splitlines() or [f"it ended with {process.returncode}"])[-1]
        return f"{told}its process has stopped: {why}"

    def __repr__(self) -> str:
        log = self.log
        told = f"{self._headline}{self._so_far(log)}"
        if log.empty:
            return told
        shown = log[[name for name in SHOWN if name in log]] if "value_loss" in log else log
        return f"{told}\n{shown.round(3).to_string(index=False, max_rows=12)}"

    def _repr_html_(self) -> str:
        return self.curves()._repr_html_() if "value_loss" in self.log else f"<pre>{self!r}</pre>"


def _what(run: RunSettings) -> str:
    """A run's method and how its warm start ends, which seed and preset do not tell."""
    warm = warm_start(run.canonical())
    return run.method if warm == "none" else f"{run.method} (warm start: {warm})"


class TrainedNetwork(PlayingNetwork):
    """The network of a run after an iteration; it plays as the published one does."""

    def __init__(self, run: RunSettings, iteration: int):
        from wslib.prompt.network_file import from_bytes

        super().__init__(from_bytes(networks.network_file(run, iteration), game_of(run.game)))
        self.run, self.iteration = Run(run, iteration), iteration
        self.origin = f"{_what(run)}, seed {run.seed}, after {iteration} iteration{'s' if iteration != 1 else ''}"

    def __reduce__(self) -> tuple[Any, ...]:
        return TrainedNetwork, (self.run.settings, self.iteration)


@takes(RunSettings, without=("game",), varying={name for values in PRESETS.values() for name in values})
def train(game: Game | str, method: str = "baseline", iterations: int = 10, *, preset: str = "laptop", seed: int = 0,
          progress: bool = True, wait: bool = True, **options: Any) -> Run:  # fmt: skip
    """Train a run, or go on with one: finished iterations are read, and every new one is kept.

    ``preset`` (smoke, laptop, table, paper, letter) gives the values of the options that are not given. The same call
    takes an interrupted run up again, and with more iterations goes on with a finished one. With ``wait=False`` it
    trains in a process of its own, which goes on when this one ends; ``monitor(run)`` shows how far it is.
    """
    if not isinstance(preset, str):
        raise ParameterError(f"there is no preset {brief(preset)}: the presets are {', '.join(PRESETS)}")
    if not isinstance(method, str):
        raise ParameterError(f"method = {brief(method)} is not allowed: it should be {', '.join((*GUIDED, 'rhea'))}")
    run = settings_of(preset, game=game_of(game).id, method=method, seed=seed, **options)
    unit, root = RunUnit(run=run, iterations=iterations), default_root()
    if study.origins([unit], HERE)[unit.id] is None or not networks.is_there(run, unit.iterations, root):
        study.check_writable(root)
        if not wait:
            given = {"game": run.game, "method": method, "iterations": unit.iterations, "preset": preset, "seed": seed}
            elsewhere = Run(run, unit.iterations)
            vars(elsewhere)["_elsewhere"] = _start_elsewhere(given | options)
            return elsewhere
        begun = next((k for k in RunFiles(run, root).iterations() if k <= unit.iterations), 0)
        with tqdm(total=unit.iterations, initial=begun, desc=f"{run.method}, {game}", unit="iteration", leave=False,
                  file=terminal(), disable=not progress or nobody_looks()) as bar:  # fmt: skip
            study.compute_unit(unit, root, told=lambda news: bar.update())
    return Run(run, unit.iterations)


def _start_elsewhere(given: dict[str, Any]) -> tuple[subprocess.Popen[bytes], TextIO]:
    """Train in a process of its own, which does not end with this one: the process, and what it says of errors."""
    script = "import sys, json; from wslib.study.prompt import train; train(**json.loads(sys.argv[1]))"
    none, errors = subprocess.DEVNULL, TemporaryFile("w+")  # noqa: SIM115  (open for as long as somebody may ask)
    command = [sys.executable, "-c", script, json.dumps(given)]
    return subprocess.Popen(command, start_new_session=True, stdin=none, stdout=none, stderr=errors), errors


def runs() -> pd.DataFrame:
    """All training runs that are published or stored here, a row each; their networks are listed by ``trained()``."""
    found = all_runs(Evidence({}, {})).drop(columns=["Elo", "pool"])
    return found.assign(experiment=found["experiment"].replace("", "own")).drop_duplicates("unit", ignore_index=True)


def _trained_runs() -> Iterator[tuple[RunSettings, int, Found]]:
    """Settings, iterations and result of each run, published or stored; what today's code cannot read is left out."""
    for one in (*published("run"), *stored(LocalStore(), "run")):
        with suppress(ParameterError, LookupError, TypeError):
            yield settings_of_run(one.parameters["run"]), int(one.parameters["iterations"]), one


def _is_todays(settings: RunSettings, iterations: int, one: Found) -> bool:
    """Whether a result is what today's code would compute for these settings, and not one of an earlier version."""
    return one.unit == RunUnit(run=settings, iterations=iterations).id


_EARLIER = "of an earlier version"


def run(unit: str) -> Run:
    """A run, published or stored here, by the name of its unit, which ``runs()`` lists, or by its id."""
    if isinstance(unit, str) and unit:
        for settings, iterations, one in _trained_runs():
            todays = _is_todays(settings, iterations, one)
            if one.unit.startswith(unit) or (todays and settings.id.startswith(unit)):
                found = Run(settings, iterations, "" if todays else _EARLIER)
                # As it was stored: also what today's code, by its version, would ask for anew.
                if kept := one.read():
                    vars(found)["_log"] = kept.tables["iterations"]
                return found
        for one in (*published("switch"), *stored(LocalStore(), "switch")):
            if one.unit.startswith(unit) and (kept := one.read()):
                balances = kept.tables["balances"]
                found = Run(settings_of_run(one.parameters["run"]), len(balances), "computed up to its switch")
                vars(found)["_log"] = balances
                return found
    raise ParameterError(f"there is no run {brief(unit)}; runs() lists those that are there, by their unit")


# --- networks ---------------------------------------------------------------------------------------------------------


def _listed(there: Sequence[networks.There]) -> pd.DataFrame:
    columns = ["game", "method", "warm start", "preset", "seed", "iteration", "results", "run"]
    rows = [
        (NAMES.get(run.game, run.game), run.method, warm_start(run.canonical()), preset_of(run.canonical()), run.seed,
         iterations[-1], results, run.id)
        for run, results, iterations, _ in there
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=columns).sort_values(columns[:5], kind="stable", ignore_index=True)


@overload
def trained(game: Game | str | None = None, method: None = None, *, seed: int | None = None,
            iteration: int | None = None, switch: Switch | None = None,
            run: None = None) -> pd.DataFrame: ...  # fmt: skip


@overload
def trained(game: Game | str, method: str, *, seed: int | None = None, iteration: int | None = None,
            switch: Switch | None = None, run: None = None) -> TrainedNetwork: ...  # fmt: skip


@overload
def trained(game: Game | str | None = None, method: str | None = None, *, seed: int | None = None,
            iteration: int | None = None, switch: Switch | None = None, run: str) -> TrainedNetwork: ...  # fmt: skip


def trained(game: Game | str | None = None, method: str | None = None, *, seed: int | None = None,
            iteration: int | None = None, switch: Switch | None = None,
            run: str | None = None) -> pd.DataFrame | TrainedNetwork:  # fmt: skip
    """A trained network, published or of a run of your own: ``trained("connect4", "wrora", seed=0)``.

    Without a method, all that there are are listed, or those of a game, seed, iteration or switch
    (``trained("connect4", seed=3)``); with one, the seed is 0 unless given. Of several runs, the one is taken whose
    settings are nearest to Table 5.2, and its latest iteration; ``run="…"`` names any by its id.
    """
    there = list(networks.there(default_root()))
    if game is not None:
        name = game_of(game).id
        there = [one for one in there if one.run.game == name]
    if run is None and method is None:
        return _listed(_filtered(there, seed, iteration, switch))
    if run is not None:
        there = [one for one in there if isinstance(run, str) and run and one.run.id.startswith(run)]
        asked = f"run {brief(run)}"
        if not there:
            raise ParameterError(f"there is no network of {asked}; {_REMEDY}")
    elif game is None:
        raise ParameterError(f"the game is missing: name it, as in trained('connect4', {brief(method)})")
    else:
        seed = 0 if seed is None else seed
        asked = f"{brief(method)} in {game}, seed {seed}" + (f", switch {switch!r}" if switch else "")
        there = _with(there, "method", method, asked)
        there = _with(there, "seed", seed, asked)
        there = _with(there, "switch", switch, asked) if switch is not None else there
    chosen = [one for one in there if iteration is None or iteration in one.iterations]
    if not chosen:
        kept = ", ".join(map(str, sorted({k for one in there for k in one.iterations})))
        raise ParameterError(
            f"there is no network of {asked} after iteration {iteration}: it should be one of {kept}; {_REMEDY}"
        )
    best = min(chosen, key=lambda one: (_distance(one.run), -one.iterations[-1], one.run.id))
    return TrainedNetwork(best.run, best.iterations[-1] if iteration is None else iteration)


_REMEDY = "trained() lists those that are there, and train(…) makes one"


def _filtered(
    there: Sequence[networks.There], seed: int | None, iteration: int | None, switch: str | None
) -> list[networks.There]:
    """Of the networks that there are, those with these values, where one is given."""
    return [
        one for one in there
        if seed in (None, one.run.seed) and switch in (None, one.run.switch)
        and (iteration is None or iteration in one.iterations)
    ]  # fmt: skip


def _with(there: Sequence[networks.There], name: str, value: Any, asked: str) -> list[networks.There]:
    """The networks whose run has this value, or a sentence that says which values there are."""
    found = [one for one in there if getattr(one.run, name) == value]
    if found:
        return found
    values = sorted({getattr(one.run, name) for one in there} - {None})
    known = f": there are those with {name} {', '.join(map(str, values))}" if values else ""
    raise ParameterError(f"there is no network of {asked}{known}; {_REMEDY}")


def _distance(run: RunSettings) -> int:
    """In how many values a run differs from the usual one of its game and method."""
    ours, usual = run.canonical(), RunSettings(game=run.game, method=run.method, seed=run.seed).canonical()
    return sum(ours.get(name) != usual.get(name) for name in {*ours, *usual})


# --- tournaments ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tournament:
    """A round robin and its ratings. Prints and draws itself."""

    results: pd.DataFrame
    """A row per pair: wins, draws and losses of ``a`` by colour."""
    rating: Rating

    def table(self) -> pd.DataFrame:
        """A row per player, the strongest first."""
        return self.rating.frame()

    def __repr__(self) -> str:
        return repr(self.rating)

    def _repr_html_(self) -> str:
        return self.rating._repr_html_()


def tournament(players: Mapping[str, Any] | Sequence[str], game: Game | str | None = None, *, games: int = 20,
               opening_plies: int = 4, seed: int = 0, workers: int = 1, progress: bool = True,
               rating: RatingSettings | None = None) -> Tournament:  # fmt: skip
    """Let each pair of these players meet in so many games, and rate them all (Bayesian Elo).

    ``players`` are given by name, as in ``{"trained": trained("connect4", "wrora"), "plain": "mcts"}``: names of
    methods, settings, networks (which play by the search ``baseline``) or functions. The game need not be named where
    a network plays. Every opening has ``opening_plies`` random plies and is played with both colours. Games between
    settings and trained networks are kept, and read when they are asked for again. ``workers`` are processes; 0 is one
    per core.
    """
    entrants = {str(name): _entrant(what) for name, what in _named(players).items()}
    board = game_of(game) if game is not None else _game_of_networks(entrants)
    whole("games", games, 2)
    _check_rating(rating)
    pairs = list(combinations(entrants.items(), 2))
    options = {"games": games, "opening_plies": opening_plies, "seed": seed}
    kept = [pair for pair in pairs if all(isinstance(entrant, Parameters) for _, entrant in pair)]
    units = meetings(board.id, kept, **options)
    found = study.results([unit for unit, _ in units], HERE, whole("workers", workers, 0) or None, progress=progress)
    rows = [{**labels, **row} for (_, labels), row in zip(units, found.to_dict("records"), strict=True)]
    for (name_a, a), (name_b, b) in (sorted(pair, key=lambda one: one[0]) for pair in pairs if pair not in kept):
        opened = int(stream(seed, name_a, name_b)) >> 1
        played = match(board, _player(a), _player(b), games, opened, opening_plies)
        rows.append({"a": name_a, "b": name_b, **played.summary()})
    results = pd.DataFrame(rows)
    return Tournament(results, rate(results, rating))


def _named(players: Mapping[str, Any] | Sequence[str]) -> Mapping[str, Any]:
    if not isinstance(players, Mapping):
        if isinstance(players, str) or not isinstance(players, Sequence):
            raise ParameterError(f"{brief(players)} are no players: give them by name, as {{'a': 'mcts', 'b': 'rave'}}")
        if twice := [name for name in map(str, players) if [*map(str, players)].count(name) > 1]:
            raise ParameterError(f"{brief(twice[0])} is there twice: name the players, as {{'a': 'mcts', 'b': 'mcts'}}")
        players = {str(name): name for name in players}
    if len(players) < 2:
        raise ParameterError(f"a tournament has 2 players or more, not {len(players)}")
    return players


def _entrant(what: Any) -> Any:
    """A player, as plain parameters where it can be stored as such."""
    known = player_of(what)
    if isinstance(known, NetworkPlayer) and isinstance(known.network, TrainedNetwork) and not known.sampled_plies:
        run, iteration = known.network.run.settings, known.network.iteration
        if networks.is_there(run, iteration):  # a run that has gone on leaves most of its networks behind
            return NetworkEntrant(run=run, iteration=iteration, search=known.settings)
    return known


def _player(entrant: Any) -> Any:
    if not isinstance(entrant, NetworkEntrant):
        return entrant
    return NetworkPlayer(TrainedNetwork(entrant.run, entrant.iteration), entrant.search)


def _game_of_networks(entrants: Mapping[str, Any]) -> Game:
    for entrant in entrants.values():
        if isinstance(entrant, NetworkEntrant):
            return game_of(entrant.run.game)
        if isinstance(entrant, NetworkPlayer) and isinstance(entrant.network, PlayingNetwork):
            return entrant.network.game
    raise ParameterError("none of these players is a network, which would tell the game: name it, as game='connect4'")


def _check_rating(settings: Any) -> None:
    if not isinstance(settings, RatingSettings | None):
        raise ParameterError(f"rating = {brief(settings)} is not allowed: it should be RatingSettings or None")


def rate(results: Games | Tournament | pd.DataFrame, settings: RatingSettings | None = None) -> Rating:
    """Rate the players of a match (called A and B), of a tournament or of a table, by Bayesian Elo.

    Without settings, what few games say too little of is given: the worth of draws and of the first move.
    """
    _check_rating(settings)
    if isinstance(results, Games):
        results = results.frame().assign(a="A", b="B")
    pairs = ordered_pairs(results.results if isinstance(results, Tournament) else results)
    many = pairs[COUNTS].to_numpy().sum() >= FEW_GAMES and pairs["draws"].sum() >= FEW_DRAWS
    return rated(pairs, settings or (RatingSettings() if many else SPARSE))
