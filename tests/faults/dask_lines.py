"""The book's own lines for Dask, as they are typed: they work, and listen to nobody but this machine.

While they run, every socket of theirs that listens is looked up in the kernel's own list (``/proc/net/tcp``).
"""

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path

from dask_kills import free_port
from harness import PATIENCE, Outcome, clock
from signals import session

from wslib.files import HOME

SMALL = " --set preset=smoke"
"""Put behind the book's line for computing, which would take longer, and read what is published."""
LISTENS = "0A"
"""The state of a socket that listens, in /proc/net/tcp."""


def lines() -> dict[str, str]:
    """The book's commands for a scheduler, a worker and a computation, each at a terminal; and its block of Python."""
    text = (HOME / "book" / "scaling.md").read_text(encoding="utf-8")
    found = {
        name: re.search(rf"^{begin}.*?(?=  #|$)", text, re.MULTILINE)
        for name, begin in {
            "scheduler": "dask scheduler", "worker": "dask worker tcp://", "computation": "wslib run .* --on tcp://"
        }.items()
    }  # fmt: skip
    found["block of Python"] = re.search(
        r"(?<=```python\n)from distributed import LocalCluster.*?(?=```)", text, re.DOTALL
    )
    return {name: match[0] for name, match in found.items() if match}


def address_of(written: str) -> IPv4Address | IPv6Address:
    """An address as the kernel writes it: words of four bytes in the machine's order."""
    words = bytes.fromhex(written.partition(":")[0])
    return ip_address(b"".join(words[at : at + 4][::-1] for at in range(0, len(words), 4)))


def ears(leader: int) -> set[IPv4Address | IPv6Address]:
    """The addresses at which the processes of a session listen."""
    sockets = set()
    for process in session(leader):
        try:
            handles = [os.readlink(handle) for handle in Path(f"/proc/{process}/fd").iterdir()]
        except OSError:  # it has just ended
            continue
        sockets |= {handle[len("socket:[") : -1] for handle in handles if handle.startswith("socket:[")}
    rows = [row.split() for name in ("tcp", "tcp6") for row in Path(f"/proc/net/{name}").read_text().splitlines()[1:]]
    return {address_of(row[1]) for row in rows if row[3] == LISTENS and row[9] in sockets}


class Typed:
    """A line that was typed in a terminal of its own, with another port where the book's may be taken."""

    def __init__(self, line: str, folder: Path, ports: dict[str, str]):
        for old, new in ports.items():
            line = line.replace(old, new)
        self.said, self.heard = folder / f"said-{len(list(folder.glob('said-*')))}", set()
        environment = {
            **os.environ, "WSLIB_STORE": str(folder / "store"), "PYTHONPATH": str(HOME),
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "DASK_TEMPORARY_DIRECTORY": str(folder),
        }  # fmt: skip
        command = [sys.executable, "-c", line] if "\n" in line else shlex.split(line)
        with self.said.open("w") as said:
            self.process = subprocess.Popen(command, cwd=HOME, env=environment, stdout=said, stderr=said,
                                            start_new_session=True)  # fmt: skip

    def listen(self) -> None:
        """Note where it listens."""
        self.heard |= ears(self.process.pid)

    def end(self) -> None:
        """Ctrl-C, and a kill for what stays."""
        for number, patience in ((signal.SIGINT, 15.0), (signal.SIGKILL, PATIENCE)):
            time_gone = clock()
            for left in session(self.process.pid):
                os.kill(left, number)
            while session(self.process.pid) and time_gone() < patience:
                self.process.poll()
                time.sleep(0.05)
        self.process.wait(PATIENCE)


def run(number: int, seed: int, folder: Path) -> Outcome:
    """Type the lines one after the other, as often as makes so many; where Linux does not tell who listens, none."""
    outcome = Outcome("Dask's lines", "lines of the book for Dask, typed as they stand")
    if not Path("/proc/net/tcp").exists():
        outcome.left_out = "only Linux has a list of all sockets that listen in /proc/net/tcp"
        return outcome
    book = lines()
    assert len(book) == 4, f"the book has other lines: {list(book)}"
    while outcome.wants(number):
        home = folder / str(outcome.trials)
        home.mkdir()
        _terminals(book, home, outcome)
        if outcome.trials < number:
            _block(book["block of Python"], home, outcome)
    return outcome


def _terminals(book: dict[str, str], folder: Path, outcome: Outcome) -> None:
    """Scheduler, worker, and a computation on them."""
    ports, typed = {"8786": str(free_port()), "8787": str(free_port())}, {}
    try:
        for name in ("scheduler", "worker", "computation"):
            typed[name] = Typed(book[name] + (SMALL if name == "computation" else ""), folder, ports)
        _watch(typed["computation"], list(typed.values()))
    finally:
        for line in reversed(typed.values()):
            line.end()
    stored = len(list((folder / "store").rglob("manifest.json")))
    for name, line in typed.items():
        fine = stored > 0 and typed["computation"].process.returncode == 0
        _judge(name, line, fine, name != "computation", outcome)


def _block(block: str, folder: Path, outcome: Outcome) -> None:
    """A cluster that lives as long as its block."""
    line = Typed(block, folder, {"8787": str(free_port()), 'boards="connect4"': 'boards="connect4", preset="smoke"'})
    try:
        _watch(line, [line])
    finally:
        line.end()
    _judge("block of Python", line, line.process.returncode == 0, True, outcome)


def _watch(awaited: Typed, all_lines: list[Typed]) -> None:
    """Look who listens where until this line has ended."""
    time_gone = clock()
    while awaited.process.poll() is None and time_gone() < PATIENCE:
        for line in all_lines:
            line.listen()
        time.sleep(0.1)


def _judge(name: str, line: Typed, fine: bool, listens: bool, outcome: Outcome) -> None:
    """It worked; it listens, where it should, at addresses of this machine alone."""
    others = [str(address) for address in line.heard if not address.is_loopback]
    outcome.count("addresses at which something listened", len(line.heard))
    wrong = f"{line.said.read_text()[-300:]!r}" if not fine or listens != bool(line.heard) else ""
    outcome.expect(not others and not wrong, f"{name} listened at {others or 'nothing'}: {wrong}")
