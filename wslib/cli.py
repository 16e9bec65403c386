"""The command line: ``wslib status``, ``wslib run``, ``wslib publish``, ``wslib play``."""

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from wslib import store, study
from wslib.experiments import Experiment
from wslib.games import NAMES, game
from wslib.learning import EXPERIMENTS
from wslib.parameters import ParameterError
from wslib.play import METHODS, play, player


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; errors of the user's are one sentence on stderr and exit code 2."""
    parser = _parser()
    asked = parser.parse_args(arguments)
    try:
        asked.run(asked)
    except (ParameterError, ValueError, OSError, store.DamagedResult, BrokenProcessPool) as error:
        print(f"wslib {asked.command}: {error}", file=sys.stderr)
        return 2
    except (KeyboardInterrupt, EOFError):
        goes_on = "; what was finished is stored, and the same command goes on from there"
        print(f"\nstopped{'' if asked.command == 'play' else goes_on}", file=sys.stderr)
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="wslib", description="Warm Start, a study that runs: results at a prompt.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    status = commands.add_parser("status", help="what is stored, of how many")
    status.set_defaults(run=_status)

    for name, action, text in (
        ("run", _run, "compute an experiment's missing results and store them"),
        ("publish", _publish, "write an experiment's results, at its default parameters, to data/"),
    ):
        command = commands.add_parser(name, help=text, description=text)
        command.add_argument("experiment", choices=sorted(EXPERIMENTS))
        command.add_argument("--workers", type=int, default=0, help="worker processes (default: one per core)")
        if name == "run":
            command.add_argument(
                "--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter, as in --set games=20"
            )
        command.set_defaults(run=action)

    table = commands.add_parser("play", help="play a game against a network-less player")
    table.add_argument("game", help=f"{', '.join(NAMES)}; with a size as in connect4-6x7")
    table.add_argument("--against", choices=sorted(METHODS), default="mcts")
    table.add_argument("--simulations", type=int, default=400, help="simulations or rollouts a move (default: 400)")
    table.add_argument("--you", choices=["X", "O"], default="X", help="X moves first (default)")
    table.add_argument("--seed", type=int, default=0)
    table.set_defaults(run=_play)
    return parser


def _experiment(name: str, settings: Sequence[str], workers: int) -> Experiment:
    values: dict[str, Any] = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals:
            raise ParameterError(f"--set {setting!r} is not allowed: it should be NAME=VALUE, as in games=20")
        values[key] = value
    return EXPERIMENTS[name](**({"workers": workers} | values))


def _status(asked: argparse.Namespace) -> None:
    local = store.LocalStore()
    print(f"fresh results: {local.root}\npublished results: {store.published_root()}")
    print(f"{'experiment':14}{'units':>7}{'published':>11}{'here':>7}{'missing':>9}")
    for name, experiment in EXPERIMENTS.items():
        origins = study.origins(experiment().units(), name, local)
        counts = [sum(o == wanted for o in origins.values()) for wanted in ("published", "computed here", None)]
        print(f"{name:14}{len(origins):7}{counts[0]:11}{counts[1]:7}{counts[2]:9}")


def _run(asked: argparse.Namespace) -> None:
    experiment = _experiment(asked.experiment, asked.set, asked.workers)
    frame = study.results(experiment.units(), experiment.name, experiment.workers)
    counts = frame.drop_duplicates("unit")["origin"].value_counts().to_dict()
    print(", ".join(f"{number} units {origin}" for origin, number in counts.items()))


def _publish(asked: argparse.Namespace) -> None:
    experiment = _experiment(asked.experiment, [], asked.workers)
    study.results(experiment.units(), experiment.name, asked.workers)
    folder = store.publish(experiment.name, study.collect(experiment.units(), experiment.name), experiment.tables)
    print(f"published in {folder}")


def _play(asked: argparse.Namespace) -> None:
    budget = {"random": {}, "rhea": {"rollouts": asked.simulations}}.get(
        asked.against, {"simulations": asked.simulations}
    )
    play(game(asked.game), player(asked.against, **budget), you=asked.you, seed=asked.seed)
