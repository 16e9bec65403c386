"""The command line: ``wslib study``, ``status``, ``run``, ``runs``, ``show``, ``verify``, ``publish``, ``play``."""

import wslib.study.engine.early  # noqa: F401  # isort: skip

import argparse
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd

from wslib.games import GAMES
from wslib.parameters import ParameterError
from wslib.play import METHODS, NetworkPlayer, player
from wslib.prompt.against import play
from wslib.search import GUIDED, GuidedSettings
from wslib.study.engine import dask as cluster
from wslib.study.engine import networks, shown, store, verify, whole
from wslib.study.engine import units as study
from wslib.study.engine.publishing import publish_experiment
from wslib.study.engine.units import Unit, UnitsFailed, check_writable
from wslib.study.pages.base import Experiment, refuse_idle
from wslib.study.pages.catalogue import EXPERIMENTS

TRAINED = tuple(method for method in GUIDED if method not in METHODS)
"""Methods whose trained networks one can play against by their name ('rave' is the player without a network)."""

WORKERS = "worker processes (default: one per core, or per graphics card where one is used; more share the cards)"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; errors of the user's are one sentence on stderr and exit code 2.

    Exit code 1 is for units that failed and for results that differ or are damaged, 130 for Ctrl-C and SIGTERM.
    """
    asked = _parser(sys.argv[1:] if arguments is None else arguments).parse_args(arguments)
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115 - closed by whoever called, as in `wslib run … >&-`
    try:
        with _term_as_ctrl_c():
            code = asked.run(asked) or 0
            sys.stdout.flush()
            return code
    except UnitsFailed as failure:
        for sentence in str(failure).splitlines():
            print(f"wslib {asked.command}: {sentence}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # whoever reads has seen enough, as in `wslib status | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except (ParameterError, ValueError, OSError, store.DamagedResult, BrokenProcessPool) as error:
        print(f"wslib {asked.command}: {error}", file=sys.stderr)
        return 2
    except (KeyboardInterrupt, EOFError):
        goes_on = "; what was finished is stored, and the same command goes on from there"
        print(f"\nstopped{'' if asked.command == 'play' else goes_on}", file=sys.stderr)
        return 130


@contextmanager
def _term_as_ctrl_c() -> Iterator[None]:
    """SIGTERM, which a batch system sends some seconds before it kills, stops as Ctrl-C does."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _parser(arguments: Sequence[str] = ()) -> argparse.ArgumentParser:
    """The commands; the help of those that take an experiment names the parameters of the one among ``arguments``."""
    parser = argparse.ArgumentParser(prog="wslib", description="Warm Start, a study that runs: results at a prompt.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    text = "compute everything that the study asks for, in the best order; it goes on where it was stopped"
    study = commands.add_parser("study", help="compute the whole study, and publish it", description=text)
    study.add_argument("--plan", action="store_true", help="compute nothing: say what is missing and how long it takes")
    study.add_argument("--only", nargs="+", default=[], metavar="NAME", help="only these experiments")
    study.add_argument("--set", action="append", default=[], metavar="NAME=VALUE",
                       help="a parameter of all experiments that have it, as in --set preset=paper")  # fmt: skip
    study.add_argument("--workers", type=int, default=0, help=WORKERS)
    study.add_argument("--on", metavar="ADDRESS", help="a Dask scheduler, as in tcp://127.0.0.1:8786")
    study.add_argument("--publish", type=float, nargs="?", const=20.0, metavar="MINUTES",
                       help="publish in data/ what is new, every so many minutes (20) and at the end")  # fmt: skip
    study.add_argument("--uncommitted", action="store_true", help="publish also what uncommitted code computed")
    study.set_defaults(run=_study)

    status = commands.add_parser("status", help="show what is stored, and when, where and with which code it was made")
    status.set_defaults(run=_status)

    text = "list all training runs, published ones and those of your own"
    listing = commands.add_parser("runs", help=text, description=text)
    listing.add_argument("--own", action="store_true", help="only those that were computed here")
    listing.set_defaults(run=_runs)

    text = "look into a result: what was asked, its numbers, its tables, how it was made"
    show = commands.add_parser("show", help=text, description=text)
    show.add_argument("id", metavar="ID", help="the beginning of the id of a result or of a run")
    show.set_defaults(run=lambda asked: print(shown.look_into(asked.id, store.LocalStore())))

    named = next((name for name in arguments if name in EXPERIMENTS), "")
    run = _with_experiment(commands, "run", _run, "compute an experiment's missing results and store them", named)
    run.add_argument("--unit", metavar="ID", help="only this unit")
    run.add_argument("--index", type=int, metavar="K", help="only the K-th of all units, from 0, as in a SLURM array")
    run.add_argument("--kind", help="only units of this kind, such as run")
    run.add_argument("--no-training", action="store_true", help="skip what needs a network that is not there")
    run.add_argument("--list", action="store_true", help="compute nothing: print the ids of the missing units")
    run.add_argument("--again", action="store_true", help="compute --unit or --index here even if it is known")
    run.add_argument("--on", metavar="ADDRESS", help="a Dask scheduler, as in tcp://127.0.0.1:8786")

    check = _with_experiment(commands, "verify", _verify, "check all digests and compute some results again", named)
    check.add_argument("--unit", metavar="ID", help="compute this unit again")
    check.add_argument("--sample", type=int, default=1, metavar="N", help="units computed again (default: 1)")
    check.add_argument("--seconds", type=float, default=300, help="processor time they may take (default: 300)")
    check.add_argument("--seed", type=int, default=0, help="another seed, another sample")
    check.add_argument("--record", type=Path, metavar="FILE", help="append a row for each unit to this CSV file")

    text = "write an experiment's results to data/: those of its default parameters, and with --set also others"
    publish = _with_experiment(commands, "publish", _publish, text, named)
    publish.add_argument("--uncommitted", action="store_true", help="publish also what uncommitted code computed")

    pack = commands.add_parser("pack", help="pack the networks that are not published into a zip file")
    pack.add_argument("target", type=Path)
    pack.set_defaults(run=_pack)

    table = commands.add_parser("play", help="play a game against a search or a trained network")
    table.add_argument("game", help=f"{', '.join(GAMES)}; with a size as in connect4-6x7")
    table.add_argument(
        "--against", choices=sorted({*METHODS, *GUIDED}), default="mcts", metavar="PLAYER",
        help=f"{', '.join(METHODS)}; or the trained network of {', '.join(TRAINED)} (default: mcts)",
    )  # fmt: skip
    table.add_argument("--simulations", type=int, default=400, help="simulations or rollouts a move (default: 400)")
    table.add_argument("--you", choices=["X", "O"], default="X", help="X moves first (default)")
    table.add_argument("--seed", type=int, default=0)
    table.set_defaults(run=_play)
    return parser


def _with_experiment(commands: Any, name: str, action: Any, text: str, named: str) -> Any:
    raw = argparse.RawDescriptionHelpFormatter
    command = commands.add_parser(name, help=text, description=text, formatter_class=raw, epilog=_parameters_of(named))
    command.add_argument("experiment", choices=sorted(EXPERIMENTS), nargs="?" if name == "verify" else None)
    if name != "verify":
        command.add_argument("--workers", type=int, default=0, help=WORKERS)
    command.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter, as in --set games=20"
    )
    command.set_defaults(run=action)
    return command


def _parameters_of(experiment: str) -> str:
    """What may be set in an experiment, for the end of a help."""
    if not experiment:
        return "the parameters of an experiment: wslib run EXPERIMENT --help"
    kind = EXPERIMENTS[experiment]
    lines = [f"parameters of {experiment} (--set NAME=VALUE):"]
    beside = getattr(kind, "beside_the_cell", ())
    for name, field in ((name, field) for name, field in kind.model_fields.items() if name not in beside):
        usual = ",".join(map(str, field.default)) if isinstance(field.default, tuple) else field.default
        lines.append(f"  {name:16} {field.description} (default: {usual})")
    if further := sorted(getattr(kind, "further", ())):
        lines.append(f"and any setting of a run: {', '.join(further)}")
    return "\n".join(lines)


def _runs(asked: argparse.Namespace) -> None:
    from wslib.study.prompt import runs

    frame = runs()
    frame = frame[frame["results"] == "computed here"] if asked.own else frame
    shows = ["unit", "experiment", "game", "method", "warm start", "preset", "seed", "iterations", "switch", "results"]
    if frame.empty:
        print("no run is there yet: 'wslib run one_run' trains one")
        return
    frame = frame[shows].astype({"iterations": "Int64", "switch": "Int64"})
    frame["preset"] = frame["preset"].map(lambda told: told if len(told) <= 24 else f"{told[:23]}…")  # show has it all
    print(frame.to_string(index=False, na_rep="–"))


def _values(settings: Sequence[str]) -> dict[str, str]:
    """What ``--set`` gives, by name."""
    for setting in settings:
        if "=" not in setting:
            raise ParameterError(f"--set {setting!r} is not allowed: it should be NAME=VALUE, as in games=20")
    return dict(setting.split("=", 1) for setting in settings)


def _experiment(name: str, settings: Sequence[str], workers: int) -> Experiment:
    values = _values(settings)
    asked = EXPERIMENTS[name](**({"workers": workers} | values))
    refuse_idle(asked, values)
    return asked


def _study(asked: argparse.Namespace) -> None:
    if asked.on is not None:
        cluster.check_address(asked.on)
    if asked.publish is not None and not asked.publish >= 0:
        raise ParameterError(f"--publish {asked.publish} is not allowed: it should be minutes, 0 or more")
    only, given = whole.names(asked.only), _values(asked.set)
    for name in given:
        if not any(name in EXPERIMENTS[chosen].model_fields for chosen in only or EXPERIMENTS):
            raise ParameterError(
                f"none of these experiments has a parameter {name!r}: 'wslib run NAME --help' lists them"
            )
    if given and asked.publish is not None:
        raise ParameterError("--publish publishes the study as it is: 'wslib publish NAME --set' does what is set here")
    if not asked.plan:
        check_writable(store.default_root())
    study = whole.Study(only, given=given)
    workers = asked.workers or study.workers()
    print("\n".join(whole.plan(study, workers)), flush=True)
    if asked.plan:
        return

    def publish(name: str) -> None:
        _publish(argparse.Namespace(experiment=name, workers=1, set=[], uncommitted=asked.uncommitted))

    def tell(line: str) -> None:
        print(line, flush=True)

    minutes = asked.publish if asked.publish is not None else 0
    whole.compute(study, workers, asked.on, publish if asked.publish is not None else None, minutes, tell)


def _status(asked: argparse.Namespace) -> None:
    local = store.LocalStore()
    print(f"fresh results: {local.root}\npublished results: {store.published_root()}")
    print(f"{'experiment':14}{'units':>7}{'published':>11}{'here':>7}{'missing':>9}")
    made: list[str] = []
    asked_for: set[str] = set()
    for name, experiment in EXPERIMENTS.items():
        units = experiment().units()
        asked_for.update(unit.id for unit in units)
        known = study.known_results(units, name, local)
        origins = [known[unit][0] if unit in known else None for unit in {unit.id for unit in units}]
        counts = [origins.count(wanted) for wanted in ("published", "computed here", None)]
        print(f"{name:14}{len(origins):7}{counts[0]:11}{counts[1]:7}{counts[2]:9}")
        made += _made(name, pd.DataFrame([stored.provenance for _, stored in known.values()]))
    print("\n".join(["", *made]) if made else "", end="\n" if made else "")
    own = shown.own_units(local, asked_for)
    if len(own):
        listed = ", ".join(f"{number} {kind}" for kind, number in own.items())
        print(f"\nof your own parameters: {listed}; 'wslib runs --own' lists the runs, 'wslib show ID' looks into one")


def _made(name: str, provenance: pd.DataFrame) -> list[str]:
    """When, with which code and on what an experiment's results were made, and what they cost."""
    provenance = provenance.reindex(columns=["date", "code", "processor", "cpu_seconds"])
    provenance["cpu_seconds"] = pd.to_numeric(provenance["cpu_seconds"], errors="coerce")
    provenance = provenance.dropna()  # what is not known is not told
    if provenance.empty:
        return []
    dates = provenance["date"].astype(str).str[:10]
    codes = ", ".join(sorted(provenance["code"].astype(str).unique()))
    processors = ", ".join(sorted(provenance["processor"].astype(str).unique()))
    hours = provenance["cpu_seconds"].sum() / 3600
    return [f"{name}: {hours:.2f} processor hours, {dates.min()} to {dates.max()}, code {codes}, on {processors}"]


def _chosen(asked: argparse.Namespace, units: list[Unit]) -> list[Unit]:
    """The units that the options name."""
    if asked.kind is not None:
        kinds = sorted({unit.kind for unit in units})
        if asked.kind not in kinds:
            raise ParameterError(f"--kind {asked.kind!r} is not allowed: {asked.experiment} has {', '.join(kinds)}")
        units = [unit for unit in units if unit.kind == asked.kind]
    if asked.index is not None:
        if not 0 <= asked.index < len(units):
            raise ParameterError(f"--index {asked.index} is not allowed: it should be 0 to {len(units) - 1}")
        units = [units[asked.index]]
    if asked.unit is not None:
        units = [_named(asked.unit, units, asked.experiment)]
    if asked.no_training:  # the last choice, so that an index means the same before and after a training
        units = [unit for unit in units if unit.needs_no_training(store.default_root())]
    return units


def _named(name: str, units: Sequence[Unit], experiment: str) -> Unit:
    for unit in units:
        if unit.id == name:
            return unit
    raise ParameterError(
        f"there is no unit {name[:40]!r} among the {len(units)} of {experiment} with these parameters: "
        f"'wslib run {experiment} --list' names those that are missing"
    )


def _run(asked: argparse.Namespace) -> None:
    experiment = _experiment(asked.experiment, asked.set, asked.workers)
    if asked.on is not None:
        cluster.check_address(asked.on)
    units = _chosen(asked, list({unit.id: unit for unit in experiment.units()}.values()))
    one = asked.unit is not None or asked.index is not None
    if asked.again and not one:
        raise ParameterError("--again needs a unit: name it with --unit or --index")
    if asked.list:
        origins = study.origins(units, experiment.name)
        for unit in sorted(units, key=lambda unit: unit.stage):
            if origins[unit.id] is None:
                print(unit.id)
    elif not units:
        print("nothing to compute")
    elif asked.again:
        print(f"unit {study.stored_unit(units[0], store.default_root(), again=True)} computed again")
    else:
        frame = study.results(units, experiment.name, experiment.workers, on=asked.on)
        _end(asked, units, frame.drop_duplicates("unit"))


def _end(asked: argparse.Namespace, units: Sequence[Unit], found: pd.DataFrame) -> None:
    """Where what was asked for is, a unit's numbers, and what may come next."""
    counts = found["origin"].value_counts()
    print(", ".join(f"{number} unit{'s' if number != 1 else ''} {origin}" for origin, number in counts.items()))
    if len(found) == 1:
        row = found.dropna(axis="columns").iloc[0].to_dict()
        name, where = row.pop("unit"), row.pop("origin")
        place = store.default_root() / units[0].kind / name if where == "computed here" else store.published_root()
        print(f"{units[0].kind} {name} in {place}: {shown.numbers(row)}")
    else:
        name = found["unit"].iloc[0]
        print(f"those computed here are in {store.default_root()}" if "computed here" in counts else "")
    print(f"to look into one: wslib show {name}")
    if asked.unit is None and asked.index is None and asked.kind is None:
        print(f"as a page: {shown.page_line(asked.experiment, _values(asked.set))}")


def _verify(asked: argparse.Namespace) -> int:
    experiments = [asked.experiment] if asked.experiment else sorted(EXPERIMENTS)
    if asked.sample < 0 or not asked.seconds >= 0:
        raise ParameterError("--sample and --seconds should not be negative")
    if asked.record and asked.record.is_dir():
        raise ParameterError(f"--record {asked.record} is a folder: it should be a CSV file")
    if asked.set and not asked.experiment:
        raise ParameterError("--set needs an experiment: 'wslib verify EXPERIMENT --set NAME=VALUE'")
    asked_for = {name: _experiment(name, asked.set, 1).units() for name in experiments}
    if asked.unit is not None:
        name = next((n for n, units in asked_for.items() if any(unit.id == asked.unit for unit in units)), None)
        if name is None:
            raise ParameterError(f"there is no unit {asked.unit[:40]!r} in {', '.join(experiments)}")
        asked_for = {name: [verify.that_is_there(_named(asked.unit, asked_for[name], name), name)]}
    damaged = False
    for what, root in (("published", store.published_root()), ("stored here", store.default_root())):
        checked = verify.check(root)
        damaged |= bool(checked.damaged)
        print(f"{what}: {checked}", flush=True)
    if damaged:
        print("no unit was computed again: 'wslib run' replaces what is damaged here, git what is damaged in data/")
        return 1
    done, differences = 0, 0
    for name, units in asked_for.items():
        if asked.unit is not None:
            found: Any = (verify.recompute(unit, name) for unit in units)
        else:
            found = verify.recompute_some(units, name, asked.sample, asked.seconds / len(asked_for), asked.seed)
        for again in found:
            print("\n".join(f"{name}: {sentence}" for sentence in again.sentences()), flush=True)
            done, differences = done + 1, differences + len(again.differences)
            if asked.record:
                verify.write_record(asked.record, again)
    if not done:
        print("no unit was computed again" + (": none is there that can be, within the time" if asked.sample else ""))
    return int(differences > 0)


def _publish(asked: argparse.Namespace) -> None:
    experiment: Any = _experiment(asked.experiment, [], asked.workers)
    experiment = experiment.grown() if hasattr(experiment, "grown") else experiment
    units = experiment.published_units()
    if experiment.waits:  # else too large to wait for: what is there is published, and the pages say of how many
        study.results(units, experiment.name, asked.workers)
    if asked.set:
        units += [unit for unit in _experiment(asked.experiment, asked.set, 1).published_units() if unit not in units]
    done = publish_experiment(experiment.name, units, experiment.tables, asked.uncommitted)
    for sentence in done.left_out:
        print(sentence, file=sys.stderr)
    print(f"published {done.units} of {len({unit.id for unit in units})} units in {done.folder}")


def _pack(asked: argparse.Namespace) -> None:
    units = [unit for experiment in EXPERIMENTS.values() for unit in experiment().units()]
    number = networks.write_archive(asked.target, units)
    print(f"{asked.target}: {number} networks, each with its digest; unpack it in the store of fresh results")


def _play(asked: argparse.Namespace) -> None:
    if asked.against in TRAINED:
        from wslib.study.prompt import trained

        search = GuidedSettings(simulations=asked.simulations)
        against: Any = NetworkPlayer(trained(asked.game, asked.against), search)
    else:
        counted = {"random": [], "rhea": ["rollouts"]}.get(asked.against, ["simulations"])
        against = player(asked.against, **dict.fromkeys(counted, asked.simulations))
    play(asked.game, against, you=asked.you, seed=asked.seed)
