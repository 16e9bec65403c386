"""The published tables, read without the project's code, compressed or as they were long ago."""

import csv
import gzip
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "data"


def table_file(experiment: str, name: str, data: Path = DATA) -> Path:
    """The file of an experiment's table ("units", "provenance")."""
    packed = data / experiment / f"{name}.csv.gz"
    return packed if packed.exists() else data / experiment / f"{name}.csv"


def table_text(experiment: str, name: str, data: Path = DATA) -> str:
    """A table as text."""
    content = table_file(experiment, name, data).read_bytes()
    return (gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content).decode()


def table_rows(experiment: str, name: str, data: Path = DATA) -> list[dict[str, str]]:
    """The rows of a table, every cell as text."""
    return list(csv.DictReader(table_text(experiment, name, data).splitlines()))


def experiments(data: Path = DATA) -> list[str]:
    """The folders that hold published units."""
    return sorted({path.parent.name for path in [*data.glob("*/units.csv"), *data.glob("*/units.csv.gz")]})
