"""The chapter on reliability: what was broken, how often, and what came of it, as the fault commands recorded."""

import json
from html import escape
from typing import Any

import pandas as pd

from wslib.study.engine.provenance import other_kind
from wslib.study.names import listed
from wslib.study.report.look import Html, show_table, table
from wslib.study.report.verdicts import wrapping

PROMISES = {
    "training killed": "A killed training run ends, after it was resumed, with the bytes of an undisturbed one",
    "crash points": "After a crash at any file operation there is the old state or the new one, never a mixture",
    "damaged files": "A damaged file is noticed and never loaded",
    "many writers": "Eight processes, killed now and then, share one store without a lost or torn result",
    "full disk": "A full disk is one sentence, and a restart succeeds",
    "Dask": "Killed workers and a killed scheduler lose nothing and change no byte",
    "notebooks": "A killed execution leaves no unreadable notebook in place of a good one",
    "kernel cache": "A damaged cache of compiled code stops no command, and is mended by the next",
    "packing": "Packing that is killed leaves the archive that was there",
    "publishers killed": "What is published is whole at any moment, each run with its network, and publishing goes on",
    "signals": "A command that gets a signal ends quietly, with all its processes, and goes on when it is given again",
    "images": "After a power loss what was finished is there, nothing is half, and the same command goes on",
    "two builds": "Of two builds in one folder one waits for the other, and the book is whole",
    "Dask's lines": "The book's lines for Dask listen at no address but this machine's own",
    "hostile input": "Crafted input is refused in one sentence, in bounded memory, and nothing of it runs",
}
UNFLUSHED = "noticed where nothing was flushed"
"""What images say of the trials in which flushing was taken out."""
FAULTS = "python tests/faults/run.py "
TRAINED = "training runs"
COMPUTED = {
    "match": "games between searches without a network",
    "false_alarms": "simulated tournaments",
    "coverage": "simulated tournaments",
    "opening": "solved openings",
    "perfect": "searches against perfect play",
    "untrained": "games between searches with untrained networks",
    "pair": "tournament games of published networks",
    "oldway": "tournament games of published networks",
    "run perfect": "published networks against perfect play",
    "strength": "games of a network against a search",
    "run": TRAINED,
    "switch": TRAINED,
}
"""What units of each kind compute, in words."""


def summed(record: pd.DataFrame) -> pd.DataFrame:
    """All runs of each fault command together, in the order of the promises."""
    sums = record.groupby("fault").agg(
        of=("of", "first"), trials=("trials", "sum"), failures=("failures", "sum"), runs=("trials", "size"),
        seconds=("seconds", "sum"), last=("date", "max"),
    )  # fmt: skip
    known = [fault for fault in PROMISES if fault in sums.index]
    return sums.loc[known].reset_index()


def promises_table(record: pd.DataFrame) -> Html:
    """Promise, denominator and failures of each fault."""
    return table(
        summed(record),
        "What is promised, how often we tried to break it, and how often it broke.",
        {
            "promise": lambda row: wrapping(PROMISES[row.fault], 14),
            "tried on": lambda row: _tried(record, row),
            "broken": "failures",
            "last tried": ("last", lambda date: date[:10]),
        },
    )


def _tried(record: pd.DataFrame, row: Any) -> str:
    """A promise's denominator, with what says how much it is worth: ends with bytes to compare, inputs made by hand."""
    details = [json.loads(text) for text in record.loc[record["fault"] == row.fault, "details"]]
    ended = sum(count for told in details for name, count in told.items() if name.startswith("runs ended"))
    crafted = max(told.get("crafted", 0) for told in details)
    noticed = [told[UNFLUSHED] for told in details if UNFLUSHED in told]
    return (
        f"{row.trials:,} {row.of}"
        + (f"; bytes compared at the end of {ended} runs" if ended else "")
        + (f"; {crafted} different ones crafted by hand, the others by chance" if crafted else "")
        + (f"; for comparison, with flushing taken out the loss was noticed in {', '.join(noticed)}" if noticed else "")
    )


def runs_table(record: pd.DataFrame) -> Html:
    """Each run of a fault command as it was recorded."""
    return table(
        record,
        f"Every run of a fault command, as recorded. Commands begin with {FAULTS.strip()}.",
        {
            "date": ("date", lambda date: date[:10]),
            "fault": "fault",
            "trials": "trials",
            "failures": "failures",
            "minutes": ("seconds", lambda seconds: f"{seconds / 60:.1f}"),
            "details": ("details", _told),
            "command": ("command", lambda command: command.removeprefix(FAULTS)),
        },
    )


def _told(details: str) -> str:
    return ", ".join(f"{name}: {value}" for name, value in json.loads(details).items())


def prose(record: pd.DataFrame) -> str:
    """The sum of it, as a sentence."""
    sums = summed(record)
    machines = sorted({escape(str(name)) for name in record["processor"]})
    broken = int(sums["failures"].sum())
    missing = [PROMISES[fault] for fault in PROMISES if fault not in set(sums["fault"])]
    lead = "No promise was broken" if not broken else f"A promise was broken {broken} times"
    text = (
        f"**{lead}** in {int(sums['trials'].sum()):,} trials on {', '.join(machines)}. In these trials processes were "
        "killed, commands crashed or got signals, file systems were cut off, files were damaged, disks were filled, "
        "and crafted input was fed in."
    )
    return text + (f" Not tried yet: {'; '.join(missing)}." if missing else "")


def again_table(record: pd.DataFrame) -> Html:
    """Units that were computed again: what they were, on which machines, and how many came out the same."""
    of = record.assign(what=record["kind"].map(COMPUTED).fillna(record["kind"]))
    order = {what: place for place, what in enumerate(dict.fromkeys(COMPUTED.values()))}
    groups = of.groupby(["what", "made_on", "again_on"], sort=False)["same"].agg(["size", "sum"]).reset_index()
    groups = groups.sort_values("what", key=lambda column: column.map(order), kind="stable")
    shown = groups.set_axis(["what", "made on", "computed again on", "units", "the same"], axis=1)
    return show_table(shown, "Published results computed again, and compared number by number and move by move.")


def again_prose(record: pd.DataFrame) -> str:
    """How many came out the same on another kind of processor than they were made on, with and without training."""
    elsewhere = record[[other_kind(*both) for both in zip(record["made_on"], record["again_on"], strict=True)]]
    if elsewhere.empty:
        return "No result has been computed again on another kind of processor yet."
    trained, others = (len(elsewhere[elsewhere["trains"] == trains]) for trains in (True, False))
    missing = "" if trained else " No training run has been computed again elsewhere yet."
    same = int(elsewhere["same"].sum())
    return (
        f"On a kind of processor other than the one that made them, {same} of {trained + others} results came out the "
        f"same.{missing}"
    )


def bits_table(bits: pd.DataFrame) -> Html:
    """What the small study was compiled for, and the digest of all that came of it."""
    made = f"{bits['runs'].iloc[0]} small runs, compiled anew for each row; computed on {bits['processor'].iloc[0]}"
    return table(
        bits,
        f"One digest over all results of {made}.",
        {"kind": "kind", "digest": "digest", "seconds": ("seconds", "{:.0f}")},
    )


def bits_kinds(bits: pd.DataFrame) -> str:
    """The kinds of processor that it was compiled for, in words."""
    return listed(bits.loc[bits["part"] == "processor", "kind"])


def bits_said(bits: pd.DataFrame) -> str:
    """Whether all digests are one."""
    found = bits["digest"].nunique()
    return f"All {len(bits)} digests are the same." if found == 1 else f"There were {found} different digests."


def bits_prose(bits: pd.DataFrame) -> str:
    """The sum of the table, as a sentence."""
    tiles = int((bits["part"] == "tile").sum())
    kinds = int((bits["part"] == "processor").sum())
    return (
        f"A small study was compiled for {kinds} kinds of processor, and with {tiles} sizes of the blocks in which "
        f"matrices are multiplied. {bits_said(bits)}"
    )
