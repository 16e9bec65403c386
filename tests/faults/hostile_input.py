"""Hostile input: crafted networks, tables, manifests, summaries, parameters, notebook names.

Each is refused in one sentence, in little memory, and nothing of it is executed. Also random mutations of good files
whose digests are made to fit, so that the readers behind the digests meet them.
"""

import contextlib
import gzip
import hashlib
import io
import json
import os
import pickle
import random
import resource
import struct
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from unittest import mock

import pandas as pd
from fault_tasks import TinyUnit, training
from harness import Outcome, kill, started
from study_tasks import forge, sealed

from wslib.network.model import Network, NetworkSettings
from wslib.parameters import ParameterError, canonical_json
from wslib.prompt.network_file import ABOUT, FORMAT, from_bytes, to_bytes
from wslib.study.engine.cli import main
from wslib.study.engine.notebook import read_parameters
from wslib.study.engine.papermill import handler
from wslib.study.engine.states import RunFolder
from wslib.study.engine.store import MANIFEST, DamagedResult, LocalStore, read_folder, unpack_table, write_folder
from wslib.study.engine.units import compute_unit
from wslib.study.pages.base import Orientation

MEMORY = 1 << 31
"""Bytes of address space that a reader of hostile input may add."""
SPARSE = 1 << 33
"""Bytes of a file that takes none on the disk."""
Attack = tuple[str, Callable[[], Any]]


class Bomb:
    """A pickle of it would leave a file behind when it is read."""

    def __init__(self, marker: str):
        self.marker = marker

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str]]:
        return os.mkdir, (self.marker,)


def safetensors(header: Any, body: bytes = b"", size: int | None = None) -> bytes:
    """A file of this format with this header."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if size is None else size) + text + body


def no_numbers(value: str) -> bytes:
    """A network with this weight, and the checksum that belongs to it."""
    network = Network(NetworkSettings(game="connect4", channels=4, hidden=(8,)))
    network.policy.bias.data[0] = float(value)
    with mock.patch("wslib.prompt.network_file._refuse_what_is_no_number"):
        return to_bytes(network)


def network_attacks(marker: str) -> Iterator[Attack]:
    """Files that are no networks, or monstrous ones."""
    good = to_bytes(Network(NetworkSettings(game="connect4", channels=4, hidden=(8,))))
    about = {
        "format": FORMAT,
        "settings": {"game": "connect4", "channels": 1024, "hidden": [65536] * 4},
        "checksum": "x",
    }
    tensor = {"dtype": "F32", "shape": [1 << 40], "data_offsets": [0, 4]}
    overlap = {"a": {**tensor, "shape": [1]}, "b": {**tensor, "shape": [1]}}
    for name, content in {
        "a pickle": pickle.dumps(Bomb(marker)),
        "nothing": b"",
        "a header of 2^63 bytes": safetensors({}, size=1 << 63),
        "a header beyond the end": safetensors({}, size=100),
        "a nested header": safetensors(b"[" * 900_000),
        "a huge shape": safetensors({"__metadata__": {ABOUT: canonical_json(about)}, "a": tensor}, b"1234"),
        "negative offsets": safetensors({"a": {**tensor, "data_offsets": [-4, 0]}}),
        "overlapping tensors": safetensors({"__metadata__": {ABOUT: canonical_json(about)}, **overlap}, b"1234"),
        "metadata that is a list": safetensors({"__metadata__": [1]}),
        "settings of a giant": safetensors({"__metadata__": {ABOUT: canonical_json(about)}}),
        "a dimension of nothing": safetensors({"a": {**tensor, "shape": [0] * 1000}}, b"1234"),
        "a kind that does not exist": safetensors({"a": {**tensor, "dtype": "Q9", "shape": [1]}}, b"1234"),
        "a header that is no text": safetensors(b"\xff\xfe{}"),
        "nested settings": safetensors({"__metadata__": {ABOUT: "[" * 200_000}}),
        **{f"weights that are {value}": no_numbers(value) for value in ("nan", "inf", "-inf")},
        "a good one cut off": good[:-1],
        "a good one with more": good + b"x",
    }.items():
        yield f"network: {name}", lambda content=content: from_bytes(content)


def result_attacks(folder: Path, marker: str) -> Iterator[Attack]:
    """Results with fitting digests that hold something else."""
    unit = TinyUnit(number=1)

    def read(name: str, content: bytes) -> Any:
        compute_unit(unit, folder)
        sealed(folder / "tiny" / unit.id, name, content)
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # what sets a result aside says so
            return LocalStore(folder).read("tiny", unit.id)

    for name, content in {
        "a pickle": pickle.dumps(Bomb(marker)),
        "a bomb": gzip.compress(bytes(1 << 29)),
        "a bomb in a bomb": gzip.compress(gzip.compress(bytes(1 << 29))),
        "no table": gzip.compress(b"\xff\xfe\0"),
        "an empty table": gzip.compress(b""),
        "a table of a million columns": gzip.compress(b",".join(b"%d" % n for n in range(1_000_000))),
        "a table of one endless cell": gzip.compress(b"a\n" + b'"' + b"x" * (1 << 28)),
        "a table with rows of any length": gzip.compress(b"a,b\n1,2\n1,2,3,4,5\n"),
        "a zip in place of a table": b"PK\x03\x04" + bytes(100),
        "half a table": gzip.compress(b"a,b\n1,2\n")[:-5],
    }.items():
        yield f"table: {name}", lambda content=content: read("rows.csv.gz", content)
    for name, content in {
        "nested": b"[" * 500_000,
        "no object": b"[1]",
        "half an object": b"{",
        "no text": b"\xff",
        "a number without end": b"9" * 10_000,
        "a pickle": pickle.dumps(Bomb(marker)),
    }.items():
        yield f"summary: {name}", lambda content=content: read("summary.json", content)
    for name, content in {
        "nested": b'{"files":' * 90_000,
        "beyond measure": b" " * (1 << 21),
        "a list": b"[]",
        "a file elsewhere": json.dumps({"files": {"../../x": {"bytes": 0, "sha256": ""}}, "sha256": "x"}).encode(),
    }.items():
        (folder / "m").mkdir(exist_ok=True)
        yield f"manifest: {name}", lambda content=content: ((folder / "m" / MANIFEST).write_bytes(content),
                                                           read_folder(folder / "m"))  # fmt: skip


def folder_attacks(folder: Path, marker: str) -> Iterator[Attack]:
    """Folders whose manifest is in order and whose files are something else than files of a result."""
    elsewhere = folder / "elsewhere"
    elsewhere.write_bytes(b"{}")

    def linked(at: Path) -> None:
        at.unlink()
        at.symlink_to(elsewhere)

    def piped(at: Path) -> None:
        at.unlink()
        os.mkfifo(at)

    def emptied(at: Path) -> None:
        at.unlink()
        at.mkdir()

    def stretched(at: Path) -> None:
        os.truncate(at, SPARSE)

    def refilled(names: Mapping[str, int]) -> Callable[[Path], None]:
        def change(at: Path) -> None:
            files = {name: {"bytes": size, "sha256": hashlib.sha256(b"{}").hexdigest()} for name, size in names.items()}
            forge(at.parent, lambda manifest: manifest.update(files=files))
            if "sparse" in names:
                (at.parent / "sparse").touch()
                os.truncate(at.parent / "sparse", SPARSE)

        return change

    def read(change: Callable[[Path], None]) -> Any:
        place = Path(tempfile.mkdtemp(dir=folder))
        write_folder(place, {"file": b"{}"}, {})
        change(place / "file")
        return read_folder(place)

    for name, change in {
        "a link to a file elsewhere": linked,
        "a pipe that nobody fills": piped,
        "a folder in place of a file": emptied,
        "a sparse file of gigabytes": stretched,
        "a sparse file of gigabytes, told of": refilled({"sparse": SPARSE}),
        "many files of a gigabyte": refilled({f"file-{n}": 1 << 30 for n in range(8)}),
        "a file of negative size": refilled({"file": -1}),
        "a file with a full path": refilled({str(elsewhere): 2}),
        "a file above": refilled({"../elsewhere": 2}),
        "a name with a line's end": refilled({"file\n": 2}),
        "a name without end": refilled({"f" * 5000: 2}),
        **{f"the name {n!r}": refilled({n: 2}) for n in ("", ".", "..", "a/b", "a\0b", "\ud800", "sub\\secret")},
    }.items():
        yield f"folder: {name}", lambda change=change: read(change)
    examples = {"a pickle": pickle.dumps(Bomb(marker)), "nothing": b"", "a giant": safetensors(
        {"boards": {"dtype": "F32", "shape": [1 << 40], "data_offsets": [0, 4]}}, b"1234")}  # fmt: skip
    for name, content in examples.items():
        yield f"examples: {name}", lambda content=content: _state(folder, content)


def _state(folder: Path, content: bytes) -> None:
    """Go on with a run whose examples are these, by digests that fit."""
    unit, place = training("connect4", "fixed"), Path(tempfile.mkdtemp(dir=folder))
    states = RunFolder(unit.run, place)
    facts = {"run": unit.run.canonical(), "iteration": 1}
    network = to_bytes(Network(NetworkSettings(game="connect4", channels=4, hidden=(8,))))
    write_folder(states.examples_of(1), {"examples.safetensors": content}, facts)
    write_folder(states.state(1), {"network.safetensors": network, "log.json": b"[{}]"}, {**facts, "switched": False})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        states.read(1)


def parameter_attacks(marker: str) -> Iterator[Attack]:
    """Parameters that would like to be code, or too much."""
    code = f"__import__('os').mkdir({marker!r})"
    for name, values in {
        "code as a number": {"games": code},
        "code as a game": {"boards": code},
        "a number without end": {"games": "9" * 5000},
        "an infinite number": {"seed": float("inf")},
        "more games than there is time": {"games": 10**12},
        "code as a player": {"players": f"mcts,{code}"},
        "a name that is not one": {"__class__": code},
    }.items():
        yield f"parameters: {name}", lambda values=values: Orientation(**values)
    cells = [f"# Parameters\nevil = {code}\n"]
    yield "parameters: an injected name", lambda: read_parameters(Orientation, {"In": cells})
    for path in ("notebooks/../../../etc/passwd", "jupytext:../none.py", "notebooks/" + "../" * 50 + "none.md"):
        yield f"notebook: {path[:30]}", lambda path=path: handler.read(path)
    for arguments in (
        ["run", "../../etc"],
        ["run", "orientation", "--unit", "../" * 20],
        ["run", "orientation", "--set", "x"],
    ):
        yield f"command: {' '.join(arguments)[:40]}", lambda arguments=arguments: _command(arguments)


def _command(arguments: list[str]) -> None:
    """Type a command; its refusal is raised as an error."""
    told = io.StringIO()
    with contextlib.redirect_stderr(told):
        try:
            code = main(arguments)
        except SystemExit as ended:  # argparse's own refusal, below the usage
            code = ended.code
    if code == 2:
        raise ParameterError(told.getvalue().strip().splitlines()[-1])


def attempt(attack: Attack) -> str:
    """What went wrong with an attack; nothing if it was refused in a sentence."""
    try:
        attack[1]()
    except (ParameterError, DamagedResult, ValueError, UserWarning) as refusal:
        return "" if "\n" not in str(refusal) else f"{attack[0]}: more than one sentence: {refusal}"
    except BaseException as error:
        return f"{attack[0]}: {type(error).__name__}: {error}"
    return f"{attack[0]}: was accepted"


def attacked(folder: str, number: int, seed: int) -> None:
    """All attacks and so many random ones, in a process of little memory; the verdicts go to a file."""
    root, marker = Path(folder), f"{folder}/executed"
    now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + MEMORY, now + MEMORY))
    attacks = [
        *network_attacks(marker),
        *result_attacks(root, marker),
        *folder_attacks(root, marker),
        *parameter_attacks(marker),
    ]
    verdicts = [attempt(attack) for attack in attacks]
    verdicts += [mutated(root, seed + n) for n in range(number)]
    if Path(marker).exists():
        verdicts.append("something was executed")
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    (root / "verdicts.json").write_text(json.dumps({"verdicts": verdicts, "crafted": len(attacks), "kilobytes": most}))


def mutated(root: Path, seed: int) -> str:
    """Feed a reader a good file with a few bytes changed: it is read, or refused in a sentence; nothing else."""
    draw = random.Random(seed)
    table = gzip.decompress(_good_table())
    for reader, content in ((from_bytes, _good_network()), (unpack_table, table)):
        changed = bytearray(content)
        for _ in range(draw.randrange(1, 8)):
            changed[draw.randrange(min(len(changed), draw.choice((64, 1 << 30))))] = draw.randrange(256)
        try:
            reader(gzip.compress(changed, 1) if reader is unpack_table else bytes(changed))
        except (ParameterError, DamagedResult, ValueError):
            continue
        except BaseException as error:
            return f"{reader.__name__} with seed {seed}: {type(error).__name__}: {error}"
    return ""


def _good_table() -> bytes:
    return gzip.compress(pd.DataFrame({"number": range(5), "moves": "4 4 3"}).to_csv(index=False).encode())


def _good_network(known: list[bytes] = []) -> bytes:  # noqa: B006
    if not known:
        known.append(to_bytes(Network(NetworkSettings(game="connect4", channels=4, hidden=(8,)))))
    return known[0]


def run(number: int, seed: int, folder: Path) -> Outcome:
    """All crafted inputs, and so many rounds of random ones."""
    outcome = Outcome("hostile input", "hostile inputs")
    process = started(attacked, str(folder), number, seed)
    process.join(3600)
    found = folder / "verdicts.json"
    if kill(process) or not found.exists():
        outcome.expect(False, f"the reader ended with code {process.exitcode}")
        return outcome
    told = json.loads(found.read_text())
    for verdict in told["verdicts"]:
        outcome.expect(not verdict, verdict)
    outcome.details |= {"crafted": told["crafted"], "megabytes at most": told["kilobytes"] // 1024}
    return outcome
