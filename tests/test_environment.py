"""One truth about versions: the lock, what is installed, conda's file and pyproject agree."""

import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
# What a visitor to the project expects to find.
CARD = ("jupyterlab", "jupytext", "papermill", "torch", "numpy", "pandas", "seaborn", "matplotlib", "jupyter-book")


def requirements(name: str) -> list[str]:
    """The lines of a requirements file, each with its digests, without comments."""
    whole = (ROOT / name).read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line.split(" #")[0].strip() for line in whole.splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


LINES = [line.split() for line in requirements("requirements.lock")]
LOCK = {canonicalize_name(Requirement(line).name): Requirement(line) for line, *_ in LINES}


def tracked() -> list[Path]:
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listing.returncode:
        pytest.skip("not a git checkout, so there is no list of the project's own files")
    return [path for name in listing.stdout.split("\0") if name and (path := ROOT / name).is_file()]


def test_every_line_of_the_lock_is_one_exact_version_with_the_digests_of_its_files():
    exact, digest = re.compile(r"[a-z0-9][a-z0-9._-]*==[0-9][0-9a-z.]*"), re.compile(r"--hash=sha256:[0-9a-f]{64}")
    assert not [line for line, *_ in LINES if not exact.fullmatch(line)]
    assert not [line for line, *digests in LINES if not digests or not all(map(digest.fullmatch, digests))]


def test_a_file_with_another_digest_is_not_installed(tmp_path: Path):
    name, *_ = next(line for line in LINES if line[0].startswith("zipp=="))
    forged = tmp_path / "forged.lock"
    forged.write_text(f"{name} --hash=sha256:{'0' * 64}\n", encoding="utf-8")
    line = [sys.executable, "-m", "pip", "download", "--no-deps", "--require-hashes", "--dest", str(tmp_path)]
    done = subprocess.run([*line, "--retries", "0", "-r", str(forged)], capture_output=True, text=True, check=False)
    if "Could not find a version" in done.stderr:
        pytest.skip("no index of packages can be reached")
    assert done.returncode and "DO NOT MATCH THE HASHES" in done.stderr


def test_make_env_installs_nothing_without_a_digest():
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8").split("$(VENV)/.ok: requirements.lock")[1].split("\n\n")[0]
    lines = [line for line in recipe.splitlines() if "-r " in line]
    assert lines and all("--require-hashes" in line for line in lines)


def test_what_is_installed_is_what_the_lock_says():
    # A build says in a local suffix what it is for, such as +cpu; the version is the same.
    different = {
        name: (requirement.specifier, metadata.version(name))
        for name, requirement in LOCK.items()
        if not requirement.specifier.contains(metadata.version(name).split("+")[0], prereleases=True)
    }
    assert not different, "run `make env`"


def test_every_direct_dependency_is_locked_to_a_version_it_allows():
    for line in requirements("requirements.in"):
        wanted = Requirement(line)
        locked = LOCK[canonicalize_name(wanted.name)]
        (version,) = (specifier.version for specifier in locked.specifier)
        assert wanted.specifier.contains(version, prereleases=True), f"{line} does not allow {locked}: run `make lock`"


def test_the_packages_the_project_is_known_by_are_locked():
    assert set(CARD) <= set(LOCK)


def test_conda_and_pip_install_the_same():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pip = next(entry["pip"] for entry in environment["dependencies"] if isinstance(entry, dict))
    conda = [entry for entry in environment["dependencies"] if isinstance(entry, str)]
    assert pip == [*(line for line, *_ in LINES), "-e ."], "run `make lock`"
    assert sorted(conda) == ["pip", "python=" + project["requires-python"].removeprefix("==").removesuffix(".*")]


def test_no_file_names_an_index_of_packages_or_a_path_of_one_machine():
    index = re.compile(r"\b(?:pypi|pythonhosted|artifactory|download\.pytorch)\.(?:org|io|com)|index-url[ =]\S*//")
    home = re.compile(r"(?<![\w.:/-])/(?:home|root|Users|work|opt|mnt)/\w+")
    found = []
    for path in tracked():
        if path.suffix in {".png", ".npz", ".parquet", ".safetensors"} or "mathjax" in path.parts:
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            if index.search(line) or home.search(line):
                found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()[:120]}")
    assert not found, "\n".join(found)


def test_setting_up_without_a_network_says_that_one_is_missing(tmp_path: Path):
    for name in ("Makefile", "requirements.lock", "pyproject.toml"):
        (tmp_path / name).symlink_to(ROOT / name)
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\ncase "$*" in *install*|*download*) exit 1;; *) exit 0;; esac\n')
    python.chmod(0o755)
    done = subprocess.run(["make", "env"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "Setting up needs the network, this once" in done.stderr and "Traceback" not in done.stderr


def test_make_bench_hands_its_arguments_to_both_parts():
    line = ["make", "-n", "bench", "BENCH_ARGS=--repetitions 3 --publish"]
    told = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for part in ("run", "learning"):
        assert f"tests/bench/{part}.py --repetitions 3 --publish" in told
        known = subprocess.run([sys.executable, f"tests/bench/{part}.py", "--help"], cwd=ROOT, capture_output=True,
                               text=True, check=True).stdout  # fmt: skip
        assert "--repetitions" in known and "--publish" in known
