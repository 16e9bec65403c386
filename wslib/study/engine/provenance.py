"""What a result was made with: code, processor, versions, and settings of the system that can change a result's bytes.

It stands beside a result, outside its digests: two machines that compute the same unit may say different things here.
"""

import os
import platform
import subprocess
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from wslib.files import HOME

LIBRARIES = ("numpy", "numba", "llvmlite", "torch")
VARIABLES = ("ATEN_CPU_CAPABILITY", "ONEDNN_MAX_CPU_ISA", "MKL_CBWR")
"""Environment variables that make torch and its libraries compute with other instructions, and so with other bytes."""
CHANGED = "+"
"""The end of a code version whose files differ from what was committed."""


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


def gpus_here() -> int:
    """How many GPUs torch finds. It is asked only where a unit needs one."""
    import torch

    return torch.cuda.device_count()


def graphics_card() -> dict[str, str]:
    """The GPU that torch computes on in this process, and the version of CUDA."""
    import torch

    return {"gpu": torch.cuda.get_device_name() if torch.cuda.is_available() else "", "cuda": torch.version.cuda or ""}


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
