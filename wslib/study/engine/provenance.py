"""What a result was made with: code, processor, versions, and settings of the system that can change a result's bytes.

It stands beside a result, outside its digests: two machines that compute the same unit may say different things here.
"""

import contextlib
import fcntl
import os
import platform
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any

from wslib.files import HOME

LIBRARIES = ("numpy", "numba", "llvmlite", "torch")
VARIABLES = ("ATEN_CPU_CAPABILITY", "ONEDNN_MAX_CPU_ISA", "MKL_CBWR")
"""Environment variables that make torch and its libraries compute with other instructions, and so with other bytes."""
CHANGED = "+"
"""The end of a code version whose files differ from what was committed."""
MOST_ON_A_CARD = 64
"""Processes that are counted on a GPU."""


@cache
def machine() -> dict[str, str]:
    """What the results of this process are made with; a variable of the environment only where it is set."""
    return {
        "code": _code_version(),
        **_processor(),
        "system": platform.system(),
        "python": platform.python_version(),
        **{name: version(name) for name in LIBRARIES},
        **{name: os.environ[name] for name in VARIABLES if os.environ.get(name)},
    }


def kind_of_processor(provenance: Mapping[str, Any]) -> str:
    """The name of a processor, with family and model where they are told: many kinds may share a name.

    >>> kind_of_processor({"processor": "AMD EPYC", "processor_family": "25", "processor_model": "17"})
    'AMD EPYC (family 25, model 17)'
    """
    name, family, model = (str(provenance.get(f"processor{part}", "")) for part in ("", "_family", "_model"))
    return f"{name} (family {family}, model {model})" if family and model else name


def other_kind(one: str, other: str) -> bool:
    """Whether two texts of :func:`kind_of_processor` tell different kinds; a name alone may be any of that name."""
    return not (one.startswith(other) or other.startswith(one))


def gpus_here() -> int:
    """How many GPUs torch finds. It is asked only where a unit needs one."""
    import torch

    return torch.cuda.device_count()


def needs_gpu(unit: Any) -> bool:
    """Whether a unit computes on a GPU: it trains a run, or plays with networks of runs, whose device that is."""
    players = [getattr(unit, name, None) for name in ("a", "b")]
    runs = [getattr(one, "run", None) for one in (unit, *players)]
    members = getattr(unit, "members", ())
    return any(getattr(one, "device", "cpu") == "cuda" for one in (unit, *runs)) or any(map(needs_gpu, members))


def cards_for(units: Sequence[Any]) -> int:
    """How many GPUs there are for these units: none where none of them needs one."""
    return gpus_here() if any(map(needs_gpu, units)) else 0


def graphics_card() -> dict[str, str]:
    """Let torch compute on this process' GPU from now on; its name, and the version of CUDA."""
    import torch

    if not gpus_here():
        return {"gpu": "", "cuda": torch.version.cuda or ""}
    torch.cuda.set_device(own_card())
    return {"gpu": torch.cuda.get_device_name(), "cuda": torch.version.cuda or ""}


@cache
def own_card() -> int:
    """Of the GPUs that torch finds, the one that fewest processes of this user have; it is ours till this one ends.

    Who has which is said by locks in a folder of this machine, so that it makes no difference whether processes are
    local workers, Dask's, or were started by hand. The system takes a lock from a process that dies.
    """
    folder, number = Path(tempfile.gettempdir()) / f"wslib-cards-{os.getuid()}", gpus_here()
    names = [name for name in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if name]
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, exist_ok=True)
        if folder.stat().st_uid == os.getuid():
            for sharing, card in product(range(MOST_ON_A_CARD), range(number)):
                if _locked(folder / f"{names[card] if card < len(names) else card}-{sharing}"):
                    return card
    return os.getpid() % number


def _locked(path: Path) -> bool:
    """Take a lock for as long as this process lives, if it is free."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return False
    return True


def from_changed_code(made: Iterable[tuple[str, Mapping[str, Any]]]) -> list[str]:
    """Of these units with their provenance, those that nobody can compute again from a commit of the code."""
    return [unit for unit, provenance in made if str(provenance.get("code", "")).endswith(CHANGED)]


def _processor() -> dict[str, str]:
    """Name, family and model of the processor, and the extensions that compiled code may use."""
    # Slow to import, and there already where anything is computed.
    from llvmlite.binding import get_host_cpu_features

    try:
        lines = Path("/proc/cpuinfo").read_text().partition("\n\n")[0].splitlines()
    except OSError:
        lines = []
    told = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    try:
        features = sorted(name for name, there in get_host_cpu_features().items() if there)
    except RuntimeError:  # LLVM does not know them on this system
        features = []
    return {
        "processor": told.get("model name") or platform.processor() or platform.machine(),
        "processor_family": told.get("cpu family", ""),
        "processor_model": told.get("model", ""),
        "processor_features": " ".join(features),
    }


def _code_version() -> str:
    """The commit of the code, with ``+`` when the package's files differ from it; its version outside a repository."""
    try:
        commit = _git("describe", "--always", "--abbrev=12")
        # Results that were published since the last commit are no change of the code.
        return commit + (CHANGED if _git("status", "--porcelain", "--", "wslib") else "")
    except (OSError, subprocess.SubprocessError):
        return version("warm-start")


def _git(*asked: str) -> str:
    command = ["git", "-C", str(HOME), *asked]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=20).stdout.strip()
