"""Measure how fast our searches are, side by side with OpenSpiel's C++ MCTS bot (`make bench`).

Every player plays whole games against itself at 100 simulations (RHEA: rollouts) a move, with a new tree for every
move. A figure is the work of all moves of all games divided by the CPU time of the one thread that did it. The
measurements take turns, ours and theirs one after the other, so that whatever else the machine does hits both; shown
are medians, the lowest and highest repetition, and CPU time per wall time (well below 1: the machine was busy).

OpenSpiel is no part of this project: it is installed from PyPI into an environment of its own, `.venv-bench`.
The exit status is 1 when a bar against OpenSpiel is missed.
"""

import argparse
import json
import os
import platform
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from datetime import date
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

import ours
import pandas as pd

from wslib.study.engine import provenance

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
ENVIRONMENT = ROOT / ".venv-bench"
REQUIREMENTS = HERE / "requirements.txt"

GAMES = ("connect4-6x6", "gobang-6x6", "othello-6x6", "connect4-6x7", "othello-8x8")
PLAYERS = ("mcts", "rave", "rhea")
OPENSPIEL = {
    "connect4-6x6": "connect_four(rows=6,columns=6)",
    "gobang-6x6": "mnk(m=6,n=6,k=4)",
    "connect4-6x7": "connect_four(rows=6,columns=7)",
    "othello-8x8": "othello()",
}
"""Othello has one size there."""
BARS = {"connect4-6x6": 8, "gobang-6x6": 40}
"""How many times as fast as OpenSpiel's bot our MCTS has to be."""
YARDSTICKS = {
    ("connect4-6x6", "mcts"): 5.7e6, ("gobang-6x6", "mcts"): 2.9e6, ("othello-6x6", "mcts"): 2.4e6,
    ("connect4-6x6", "rave"): 3.2e6, ("gobang-6x6", "rave"): 1.6e6, ("othello-6x6", "rave"): 1.8e6,
    ("connect4-6x6", "rhea"): 10e6, ("gobang-6x6", "rhea"): 7e6, ("othello-6x6", "rhea"): 2e6,
}  # fmt: skip
"""Hand-written C++ on another day, from the design notes: simulations (RHEA: rollouts) per second of one thread."""
TARGET = 0.6
"""The share of a yardstick that is aimed at."""

TWO_WORKERS = 1.75
"""How many times as fast two workers have to be as one, on a machine that is quiet."""

QUIET = 1.5
"""Load of the machine (this program alone makes 1) above which wall times are shown, but not published."""

Measurement = dict[str, float]
Case = tuple[str, str, str]
"""Game, player, program."""


def tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


# --- another program, in its own environment ---------------------------------------------------------------------


def installed(environment: Path, requirements: Path) -> Path:
    """The Python of an environment that holds exactly these requirements, made anew if it does not."""
    python, stamp, wanted = environment / "bin" / "python", environment / "installed.txt", requirements.read_text()
    if not stamp.exists() or stamp.read_text() != wanted:
        tell(f"installing {requirements.name} into {environment.name}")
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", requirements]
        for command in ([sys.executable, "-m", "venv", "--clear", environment], install):
            subprocess.run(command, check=True, stderr=subprocess.PIPE, text=True)
        stamp.write_text(wanted)
    return python


class Other:
    """Another program, waiting for requests in a process of its own: a line of JSON each, as is each answer."""

    def __init__(self, environment: Path, requirements: Path, script: str, *arguments: Path, **variables: str) -> None:
        command = [installed(environment, requirements), HERE / script, *arguments]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, **variables})  # fmt: skip

    def ask(self, **request: Any) -> Measurement:
        """What the program answers to a request; without one, what it says when it is ready."""
        assert self.process.stdin and self.process.stdout
        if request:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError(f"{self.process.args[1]} ended with status {self.process.wait()}; its message is above")
        return json.loads(answer)


# --- measuring ---------------------------------------------------------------------------------------------------


def measure(options: argparse.Namespace) -> dict[Case, list[Measurement]]:
    """All cases in turn, as often as asked; an earlier, unmeasured turn compiles and warms up."""
    theirs = None if options.without_openspiel else Other(ENVIRONMENT, REQUIREMENTS, "openspiel.py")
    measured: dict[Case, list[Measurement]] = {}
    for turn in range(options.repetitions + 1):
        tell(f"repetition {turn} of {options.repetitions}" if turn else "warming up")
        seconds = options.seconds if turn else 0.01
        for name in GAMES:
            found = {}
            for method in PLAYERS:
                found[name, method, "ours"] = ours.games(name, method, seconds, seed=1000 * turn)
                if method == "mcts" and theirs and name in OPENSPIEL:
                    found[name, method, "openspiel"] = theirs.ask(
                        game=OPENSPIEL[name], simulations=ours.SIMULATIONS, seconds=seconds, seed=1 + turn
                    )
            found[name, "playout", "ours"] = ours.playouts(name, seconds, seed=turn)
            found[name, "perft", "ours"] = ours.lines(name, seconds, seed=turn)
            for case, measurement in found.items() if turn else ():
                measured.setdefault(case, []).append(measurement)
    return measured


def summarise(measured: dict[Case, list[Measurement]]) -> list[dict[str, Any]]:
    """One row per case; the ratio to OpenSpiel is the median of those of neighbours in time."""
    units = {"mcts": "simulations", "rave": "simulations", "rhea": "rollouts", "playout": "games", "perft": "lines"}
    rows = []
    for (name, method, program), runs in measured.items():
        rates = [run["work"] / run["cpu"] for run in runs]
        row = {
            "game": name, "player": method, "program": program, "unit": units[method],
            "median_per_s": median(rates), "lowest_per_s": min(rates), "highest_per_s": max(rates),
            "repetitions": len(runs), "cpu_per_wall": median(run["cpu"] / run["wall"] for run in runs),
        }  # fmt: skip
        if "games" in runs[0]:
            row["plies_per_game"] = sum(run["plies"] for run in runs) / sum(run["games"] for run in runs)
        other = measured.get((name, method, "openspiel"), [])
        if program == "ours" and other:
            row["ratio"] = median(r * run["cpu"] / run["work"] for r, run in zip(rates, other, strict=True))
            row["bar"] = BARS.get(name)
        if program == "ours":
            row["yardstick_per_s"] = YARDSTICKS.get((name, method))
        rows.append(row)
    return rows


# --- showing -----------------------------------------------------------------------------------------------------


def columns(heads: list[str], rows: list[list[str]]) -> str:
    """A table as text: two columns of words, then numbers flush right."""
    table = [heads, *rows]
    widths = [max(len(line[i]) for line in table) for i in range(len(heads))]
    table.insert(1, ["-" * width for width in widths])
    flush = [str.ljust] * 2 + [str.rjust] * (len(heads) - 2)
    lines = ["  ".join(put(*cell) for put, *cell in zip(flush, line, widths, strict=True)) for line in table]
    return "\n".join(line.rstrip() for line in lines)


def _rate(per_second: float) -> str:
    return f"{per_second / 1e6:.2f} M" if per_second >= 1e6 else f"{per_second / 1e3:.1f} k"


def _verdict(value: float, bar: float) -> str:
    return "met" if value >= bar else "NOT MET"


def compared(rows: list[dict[str, Any]]) -> str:
    """Our MCTS beside OpenSpiel's."""
    theirs = {row["game"]: row for row in rows if row["program"] == "openspiel"}
    lines = []
    for row in rows:
        if row.get("ratio"):
            other, bar = theirs[row["game"]], row["bar"]
            lines.append([
                row["game"], row["player"], _rate(row["median_per_s"]), f"{row['cpu_per_wall']:.2f}",
                _rate(other["median_per_s"]), f"{other['cpu_per_wall']:.2f}", f"{row['ratio']:.1f} ×",
                f"≥ {bar} ×" if bar else "", _verdict(row["ratio"], bar) if bar else "",
            ])  # fmt: skip
    heads = ["game", "player", "ours /s", "CPU/wall", "OpenSpiel /s", "CPU/wall", "ratio", "bar", ""]
    return columns(heads, lines)


def absolute(rows: list[dict[str, Any]]) -> str:
    """Our figures, beside the yardsticks where there are any."""
    lines = []
    for row in rows:
        if row["program"] == "ours":
            yardstick = row["yardstick_per_s"]
            share = row["median_per_s"] / yardstick if yardstick else 0.0
            beside = [_rate(yardstick), f"{share:.0%}", _verdict(share, TARGET)] if yardstick else ["", "", ""]
            lines.append([
                row["game"], row["player"], row["unit"], _rate(row["median_per_s"]),
                f"{_rate(row['lowest_per_s'])} to {_rate(row['highest_per_s'])}", f"{row['cpu_per_wall']:.2f}",
                f"{row['plies_per_game']:.1f}" if "plies_per_game" in row else "", *beside,
            ])  # fmt: skip
    heads = ["game", "player", "unit", "median /s", "lowest to highest", "CPU/wall", "plies/game", "yardstick", "share",
             f"≥ {TARGET:.0%}"]  # fmt: skip
    return columns(heads, lines)


def scaling(times: list[dict[str, Any]], quiet: bool) -> str:
    """Whole tables, by one worker and by two; judged only if the machine was quiet."""
    alone = {t["what"]: t["wall_s"] for t in times if t["workers"] == 1}
    lines = []
    for t in times:
        gain = alone[t["what"]] / t["wall_s"]
        has_bar = t["what"] == "Table 5.1" and t["workers"] == 2
        verdict = _verdict(gain, TWO_WORKERS) if quiet else "not judged, too busy"
        bar = [f"≥ {TWO_WORKERS} ×", verdict] if has_bar else ["", ""]
        lines.append([t["what"], str(t["workers"]), str(t["games"]), f"{t['wall_s']:.1f}", f"{gain:.2f} ×", *bar])
    return columns(["what", "workers", "games", "wall s", "speed-up", "bar", ""], lines)


# --- keeping -----------------------------------------------------------------------------------------------------


def machine(with_openspiel: bool, load: float) -> dict[str, str]:
    """Where, when and with what this was measured; ``load`` is that of the machine just before."""
    found = {"processor": provenance.machine()["processor"], "cores": str(os.cpu_count()), "load": f"{load:.1f}",
             "system": platform.platform(), "date": date.today().isoformat(),
             "python": platform.python_version()}  # fmt: skip
    found |= {name: version(name) for name in ("numba", "llvmlite", "numpy")}
    return found | ({"open_spiel": pinned(REQUIREMENTS)["open-spiel"]} if with_openspiel else {})


def pinned(requirements: Path) -> dict[str, str]:
    """The versions that a file of requirements asks for."""
    return dict(line.split("==") for line in requirements.read_text().splitlines() if "==" in line)


README = """# How fast the searches are

Written by `make bench` with `--publish` (`tests/bench/run.py`, whose first lines say how it measures).

Measured on: {machine}.

`search.csv`, one row per game, player and program:

| column | meaning |
| --- | --- |
| `game`, `player` | who played whole games against itself, {simulations} simulations (RHEA: rollouts) a move; `playout`: random games from the start; `perft`: all lines of play to a fixed depth (no search uses it; what else numba has compiled before changes its speed twofold) |
| `program` | `ours`, or `openspiel`: the C++ `MCTSBot` of the package `open_spiel`, UCT, one random rollout per leaf |
| `unit` | what is counted |
| `median_per_s`, `lowest_per_s`, `highest_per_s` | units per second of CPU time of one thread, over the repetitions |
| `repetitions` | how often it was measured |
| `cpu_per_wall` | CPU time per wall time, median; well below 1 when the machine was busy |
| `plies_per_game` | mean length of the games |
| `ratio` | ours per OpenSpiel's, the median over the repetitions, in which both were measured one after the other |
| `bar` | what the ratio should be at least |
| `yardstick_per_s` | hand-written C++ on another day and not in this project, from the design notes; the aim is {target} of it |

`scaling.csv` (missing if the machine was busy): wall time in seconds (`wall_s`) that so many `workers` took for so many
`games`, compiled code warm, the start of the worker processes included: the 18 matches of Table 5.1 shared out among
them, as the study does, and the games of one long match (Othello, MCTS against RAVE).
"""  # noqa: E501


def write_csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    pd.DataFrame(rows).to_csv(path, index=False, float_format="%.5g", lineterminator="\n")


def put_section(page: Path, text: str) -> None:
    """Write a section of a page, from its heading to the next: over the one with this heading, or behind the last."""
    old = re.split(r"^(?=# )", page.read_text(), flags=re.MULTILINE) if page.exists() else []
    sections = {part.partition("\n")[0]: part.strip() + "\n" for part in old if part.strip()}
    sections[text.partition("\n")[0]] = text
    page.write_text("\n".join(sections.values()))


def publish(rows: list[dict[str, Any]], times: list[dict[str, Any]], where: dict[str, str]) -> None:
    folder = ROOT / "data" / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    write_csv(folder / "search.csv", rows)
    (folder / "scaling.csv").unlink(missing_ok=True)
    if times:
        write_csv(folder / "scaling.csv", times)
    text = README.format(
        machine=", ".join(f"{name} {value}" for name, value in where.items()),
        simulations=ours.SIMULATIONS,
        target=f"{TARGET:.0%}",
    )
    put_section(folder / "README.md", text)
    tell(f"published in {folder.relative_to(ROOT)}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=0.5, help="CPU time of one measurement, at least (0.5)")
    parser.add_argument("--repetitions", type=int, default=5, help="measurements of each kind, at least 3 (5)")
    parser.add_argument("--table-games", type=int, default=500, metavar="N",
                        help="games a pair when Table 5.1 is timed as a whole (500); 0 leaves that out")  # fmt: skip
    parser.add_argument(
        "--without-openspiel", action="store_true", help="measure ours alone, without installing theirs"
    )
    parser.add_argument("--publish", action="store_true", help="also write the figures to data/bench")
    options = parser.parse_args()
    if options.repetitions < 3 or options.seconds <= 0 or options.table_games < 0 or options.table_games % 2:
        parser.error("at least 3 repetitions of more than 0 seconds, and an even number of games")
    if options.publish and (options.without_openspiel or not options.table_games):
        parser.error("only a whole benchmark is published: with OpenSpiel and Table 5.1")

    load = os.getloadavg()[0]
    try:
        rows = summarise(measure(options))
    except (subprocess.CalledProcessError, OSError, RuntimeError) as error:
        sys.exit(f"OpenSpiel could not be measured ({error}); --without-openspiel measures ours alone")
    busy = os.getloadavg()[0]
    times = list(ours.whole_tables(options.table_games, tell)) if options.table_games else []
    where = machine(not options.without_openspiel, load)
    build = ROOT / "_build" / "bench"
    build.mkdir(parents=True, exist_ok=True)
    (build / "search.json").write_text(
        json.dumps({"machine": where, "search": rows, "scaling": times}, indent=1) + "\n"
    )

    print(", ".join(f"{name} {value}" for name, value in where.items()))
    if not options.without_openspiel:
        print(
            f"\nOur MCTS and OpenSpiel's C++ MCTSBot, {ours.SIMULATIONS} simulations a move, per second of CPU time\n"
        )
        print(compared(rows))
    print("\nAll our figures (yardstick: hand-written C++ on another day, from the design notes)\n")
    print(absolute(rows))
    if times:
        print(
            f"\nWall time with workers, compiled code warm, start of the processes included, load {busy:.1f} before\n"
        )
        print(scaling(times, busy <= QUIET))
    if options.publish:
        publish(rows, times if busy <= QUIET else [], where)
        if busy > QUIET:
            tell(f"without wall times: they say little at a load of {busy:.1f}; once more when the machine is idle")
    missed = any(row["ratio"] < row["bar"] for row in rows if row.get("bar"))
    return int(missed or "NOT MET" in scaling(times, busy <= QUIET))


if __name__ == "__main__":
    sys.exit(main())
