"""The study engine: what is known is read, what is missing is computed once, and an interruption costs one unit."""

import gzip
import json
import os
import platform
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import golden
import pandas as pd
import pytest
from study_tasks import (
    FailingUnit,
    FileOperations,
    computed_now,
    contents,
    ended,
    golden_results,
    started,
    stored_units,
)

from wslib.parameters import RESULTS_VERSION, ParameterError, Parameters, digest
from wslib.play import RandomSettings, player
from wslib.rhea import RheaSettings
from wslib.search import SearchSettings
from wslib.study.engine import units as study
from wslib.study.engine.provenance import VARIABLES, machine
from wslib.study.engine.published import publish
from wslib.study.engine.store import MANIFEST, DamagedResult, LocalStore
from wslib.study.engine.units import Computed, MatchUnit, compute_unit

pytestmark = pytest.mark.usefixtures("data")
GOLDEN = Path(__file__).parent / "golden" / "units.json"
NOBODY = RandomSettings()


def unit(**changes: Any) -> MatchUnit:
    return MatchUnit(**{"game": "tictactoe", "a": NOBODY, "b": NOBODY, "games": 4} | changes)


UNITS = [unit(seed=seed) for seed in range(5)]


@pytest.fixture
def store(tmp_path: Path) -> LocalStore:
    return LocalStore(tmp_path / "store")


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The seeds of the units that are computed."""
    seeds, real = [], MatchUnit.compute_in
    monkeypatch.setattr(MatchUnit, "compute_in", lambda self, root: (seeds.append(self.seed), real(self, root))[1])
    return seeds


def ask(units: list[MatchUnit], store: LocalStore, workers: int = 1) -> pd.DataFrame:
    return study.results(units, "trial", workers, store, progress=False)


# --- reading and computing ----------------------------------------------------------------------------------------


def test_what_is_missing_is_computed_and_stored_and_read_the_next_time(store: LocalStore, computed: list[int]):
    first = ask(UNITS, store)
    assert computed == [0, 1, 2, 3, 4]
    second = ask(UNITS, store)
    assert computed == [0, 1, 2, 3, 4], "nothing is computed twice"
    pd.testing.assert_frame_equal(first, second)
    assert first["unit"].tolist() == [u.id for u in UNITS]
    assert set(first["origin"]) == {"computed here"}
    assert first["games"].tolist() == [4] * 5


def test_rows_come_in_the_order_asked_for_and_a_unit_asked_for_twice_is_computed_once(
    store: LocalStore, computed: list[int]
):
    frame = ask([UNITS[3], UNITS[0], UNITS[3]], store)
    assert frame["unit"].tolist() == [UNITS[3].id, UNITS[0].id, UNITS[3].id]
    assert sorted(computed) == [0, 3]


def test_a_row_says_what_the_unit_computed(store: LocalStore):
    row = ask(UNITS[:1], store).iloc[0].to_dict()
    assert row == {"unit": UNITS[0].id, "origin": "computed here"} | computed_now(UNITS[0]).summary


def test_a_damaged_result_is_computed_again_to_the_same_bytes(store: LocalStore, computed: list[int]):
    ask(UNITS, store)
    before = contents(store.root / "match")
    path = store.root / "match" / UNITS[2].id / "summary.json"
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.warns(UserWarning, match="computed again"):
        ask(UNITS, store)
    assert computed == [0, 1, 2, 3, 4, 2]
    assert contents(store.root / "match") == before


def test_a_units_table_is_read_or_computed(store: LocalStore, computed: list[int]):
    games = study.table(UNITS[0], "games", "trial", store)
    assert len(games) == 4
    pd.testing.assert_frame_equal(study.table(UNITS[0], "games", "trial", store), games)
    assert computed == [0]


def test_how_a_result_was_made_is_kept_beside_it(store: LocalStore):
    ask(UNITS[:1], store)
    made = store.read("match", UNITS[0].id).provenance
    assert made["results_version"] == RESULTS_VERSION
    assert made["python"] == ".".join(map(str, sys.version_info[:3]))
    assert {"date", "seconds", "cpu_seconds", "code", "processor", "numpy", "numba"} <= set(made)


def test_provenance_names_processor_versions_and_what_changes_the_bytes_of_torch(monkeypatch: pytest.MonkeyPatch):
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ATEN_CPU_CAPABILITY", "avx2")
    made = machine.__wrapped__()
    assert made["ATEN_CPU_CAPABILITY"] == "avx2"
    assert {"MKL_CBWR", "ONEDNN_MAX_CPU_ISA"}.isdisjoint(made), "what is not set changes nothing"
    assert {name: made[name] for name in ("torch", "llvmlite")} == {n: version(n) for n in ("torch", "llvmlite")}
    assert made["processor"]
    assert {"processor_family", "processor_model", "processor_features"} <= set(made)
    assert len(made["processor_features"].split()) > 5 or platform.system() != "Linux"


def test_code_is_marked_as_uncommitted_by_files_of_the_package_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def git(*arguments: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@b.c")
        subprocess.run(["git", "-C", str(tmp_path), *who, *arguments], check=True, capture_output=True)

    (tmp_path / "wslib").mkdir()
    (tmp_path / "data").mkdir()
    for name in ("wslib/a.py", "data/units.csv.gz"):
        (tmp_path / name).write_text("1")
    git("init")
    git("add", ".")
    git("commit", "-m", "first")
    monkeypatch.setattr("wslib.study.engine.provenance.HOME", tmp_path)
    (tmp_path / "data" / "units.csv.gz").write_text("published since")
    commit = machine.__wrapped__()["code"]
    assert len(commit) == 12 and not commit.endswith("+")
    (tmp_path / "wslib" / "b.py").write_text("2")
    assert machine.__wrapped__()["code"] == commit + "+"


def test_a_unit_is_stored_with_the_parameters_that_its_id_is_made_of(store: LocalStore):
    ask(UNITS[:1], store)
    manifest = json.loads((store.root / "match" / UNITS[0].id / MANIFEST).read_bytes())
    assert digest(manifest["parameters"]) == UNITS[0].id == manifest["unit"]
    assert MatchUnit(**manifest["parameters"]) == UNITS[0]


# --- published results --------------------------------------------------------------------------------------------


def published_with_a_mark(units: list[MatchUnit], store: LocalStore) -> None:
    """Publish these units' results, with a summary that tells them from the local ones."""
    ask(units, store)
    for entry in (found := study.collect(units, "trial", store)).values():
        entry[2].summary["games"] = 444
    publish("trial", found, ("games",))


def test_published_results_win_and_the_origin_says_so(store: LocalStore, computed: list[int]):
    published_with_a_mark(UNITS[:2], store)
    del computed[:]
    frame = ask(UNITS[:3], store)
    assert frame["origin"].tolist() == ["published", "published", "computed here"]
    assert frame["games"].tolist() == [444, 444, 4]
    assert computed == [2]
    assert study.origins(UNITS[1:5], "trial", store) == {
        UNITS[1].id: "published",
        UNITS[2].id: "computed here",
        UNITS[3].id: None,
        UNITS[4].id: None,
    }


def test_a_unit_published_under_one_experiment_serves_another_that_asks_for_the_same(
    store: LocalStore, tmp_path: Path, computed: list[int]
):
    published_with_a_mark(UNITS[:1], store)
    del computed[:]
    frame = study.results(UNITS[:2], "another", 1, LocalStore(tmp_path / "another"), progress=False)
    assert frame["origin"].tolist() == ["published", "computed here"]
    assert frame["games"].tolist() == [444, 4]
    assert computed == [1]


def test_a_table_that_was_not_published_is_read_here_or_one_sentence_says_how_to_get_it(store: LocalStore):
    ask(UNITS[:1], store)
    publish("numbers only", study.collect(UNITS[:1], "trial", store), ())
    elsewhere = LocalStore(store.root.parent / "empty")
    assert study.origins(UNITS[:1], "trial", elsewhere) == {UNITS[0].id: "published"}
    sentence = f"published without its table 'games': 'wslib run trial --unit {UNITS[0].id} --again' computes it here"
    with pytest.raises(ParameterError, match=sentence):
        study.table(UNITS[0], "games", "trial", elsewhere)
    assert len(study.table(UNITS[0], "games", "trial", store)) == 4


def test_only_what_exists_is_collected_for_publishing(store: LocalStore):
    ask(UNITS[:2], store)
    assert list(study.collect(UNITS, "trial", store)) == [UNITS[0].id, UNITS[1].id]


def test_published_results_that_were_changed_stop_everything(store: LocalStore, data: Path, computed: list[int]):
    published_with_a_mark(UNITS[:2], store)
    del computed[:]
    path = data / "trial" / "units.csv.gz"
    path.write_bytes(gzip.compress(gzip.decompress(path.read_bytes()).replace(b"444", b"445")))
    with pytest.raises(DamagedResult, match=r"units\.csv\.gz"):
        ask(UNITS, store)
    assert not computed


# --- interruptions ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("at", [0, 2, 4])
def test_an_interruption_in_the_middle_loses_nothing_that_was_finished(
    at: int, store: LocalStore, monkeypatch: pytest.MonkeyPatch
):
    real, seeds = MatchUnit.compute_in, []

    def compute(self: MatchUnit, root: Path) -> Computed:
        seeds.append(self.seed)
        if len(seeds) == at + 1:
            raise KeyboardInterrupt
        return real(self, root)

    monkeypatch.setattr(MatchUnit, "compute_in", compute)
    with pytest.raises(KeyboardInterrupt):
        ask(UNITS, store)
    assert len(stored_units(store.root)) == at
    ask(UNITS, store)
    assert seeds == [*range(at), at, *range(at, 5)]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_unit_that_fails_does_not_stop_the_others_and_all_failures_are_told_at_the_end(
    workers: int, store: LocalStore
):
    units = [*UNITS[:2], FailingUnit(number=1), *UNITS[2:], FailingUnit(number=2)]
    with pytest.raises(study.UnitsFailed) as told:
        ask(units, store, workers)
    assert len(stored_units(store.root)) == 5
    *sentences, last = str(told.value).splitlines()
    assert sorted(sentences) == sorted(
        f"unit {FailingUnit(number=n).id} (failing) failed: LookupError: nothing known of {n}" for n in (1, 2)
    )
    assert last == "all other units are stored; the same command tries these again"
    assert isinstance(told.value.__cause__, LookupError), "a traceback is there for who wrote the mistake"


def test_a_unit_that_kills_its_worker_is_given_up_and_the_others_are_computed(store: LocalStore):
    with pytest.raises(study.UnitsFailed, match=r"failed: the process that worked on it ended 4 times \(signal 9\)"):
        ask([*UNITS, FailingUnit(number=0)], store, workers=2)
    assert len(stored_units(store.root)) == 5


def test_what_killed_processes_left_is_swept_when_something_is_computed(store: LocalStore):
    ask(UNITS[:1], store)
    left = store.root / "match" / UNITS[0].id / ".games.csv.gz.1.0a1b2c3d.tmp"
    left.write_bytes(b"half")
    os.utime(left, (0, 0))
    ask(UNITS[:1], store)
    assert left.exists(), "reading changes nothing"
    ask(UNITS[:2], store)
    assert not left.exists()


def test_a_disk_that_is_full_stops_the_study_with_the_path_and_it_goes_on_later(store: LocalStore, data: Path):
    def full() -> None:
        raise OSError(28, "No space left on device")

    with (
        FileOperations(full, at=70).watched(),
        pytest.raises(OSError, match=f"bytes could not be written.*{store.root}"),
    ):
        ask(UNITS, store)
    finished = len(stored_units(store.root))
    assert 0 < finished < 5
    ask(UNITS, store)
    undisturbed = LocalStore(store.root.parent / "undisturbed")
    ask(UNITS, undisturbed)
    assert contents(store.root) == contents(undisturbed.root)


# --- the id of a unit ---------------------------------------------------------------------------------------------

ACTING: dict[type[Parameters], tuple[dict[str, Any], dict[str, Any]]] = {
    MatchUnit: (
        {"game": "tictactoe", "a": NOBODY, "b": NOBODY, "games": 4},
        {
            "game": "connect4", "a": player("mcts"), "b": player("rhea"), "games": 6, "seed": 1, "opening_plies": 2,
        },
    ),
    SearchSettings: (
        {"method": "rave"},
        {
            "method": "mcts", "simulations": 99, "c": 0.5, "rule": "ucb1", "policy": "q", "tree": "kept",
            "ties": "first",
            "amaf": "path", "amaf_players": "both", "beta": "action", "equivalence": 30,
        },
    ),
    RheaSettings: (
        {"rollouts": 100},
        {
            "rollouts": 98, "rollouts_per_individual": 4, "horizon": 5, "population": 9, "mutation": 0.1,
            "illegal": "random",
        },
    ),
}  # fmt: skip


@pytest.mark.parametrize("model", ACTING, ids=lambda model: model.__name__)
def test_the_id_depends_on_every_parameter_that_can_act(model: type[Parameters]):
    base, changes = ACTING[model]
    only_choice = {"method"} if model is RheaSettings else set()
    assert set(changes) == set(model.model_fields) - only_choice, "every parameter is tried, new ones too"
    ids = {name: model(**base | {name: value}).id for name, value in changes.items()} | {"base": model(**base).id}
    assert len(set(ids.values())) == len(ids), ids


def test_the_order_of_the_players_is_part_of_the_id():
    one, two = player("mcts"), player("rave")
    assert unit(a=one, b=two).id != unit(a=two, b=one).id


INERT = [
    (SearchSettings(method="mcts"), SearchSettings(method="mcts", amaf=None, beta=None, equivalence=None)),
    (SearchSettings(method="rave"), SearchSettings(method="rave", equivalence=100, amaf="path+rollout", beta="state")),
    (SearchSettings(simulations=50, c=1), SearchSettings(c=1.0, simulations=50)),
    (RheaSettings(rollouts=20), RheaSettings(rollouts=21)),
    (RheaSettings(rollouts=12), RheaSettings(rollouts=12, population=6)),
    (RheaSettings(rollouts=12), RheaSettings(rollouts=12, population=500, mutation=0.9)),
]


@pytest.mark.parametrize(("one", "two"), INERT, ids=[str(i) for i in range(len(INERT))])
def test_the_id_does_not_depend_on_what_cannot_act_and_it_does_not(one: Parameters, two: Parameters):
    units = [unit(game="connect4", a=settings, seed=3, games=6) for settings in (one, two)]
    assert units[0].id == units[1].id
    assert computed_now(units[0]).tables["games"].equals(computed_now(units[1]).tables["games"])


@pytest.mark.parametrize(
    ("typed", "full"),
    [("connect4", "connect4-6x6-k4"), ("othello", "othello-6x6"), ("gobang", "gobang-6x6-k4"), ("tictactoe", None)],
)
def test_a_game_has_one_name_however_it_is_typed(typed: str, full: str | None):
    one = unit(game=typed)
    assert full is None or one.game == full
    assert unit(game=one.game).id == one.id == unit(game=unit(game=one.game).game).id


def test_the_id_depends_on_the_results_version_and_is_the_digest_of_the_canonical_parameters():
    values = UNITS[0].canonical()
    assert UNITS[0].id == digest(values, RESULTS_VERSION)
    assert digest(values, RESULTS_VERSION + 1) != UNITS[0].id
    assert digest(dict(reversed(values.items()))) == UNITS[0].id


def test_an_id_is_the_same_in_another_process_and_is_a_plain_name_for_a_folder(tmp_path: Path):
    assert ended([started(compute_unit, UNITS[0], tmp_path)]) == [0]
    assert (tmp_path / "match" / UNITS[0].id / MANIFEST).exists()
    assert len(UNITS[0].id) == 20
    assert set(UNITS[0].id) <= set("0123456789abcdef")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"game": "chess"}, "there is no game 'chess': the games are"),
        ({"games": 3}, "games = 3 is not allowed: it should be an even number of 2 or more"),
        ({"games": 0}, "games = 0 is not allowed: it should be an even number of 2 or more"),
        ({"seed": -1}, "seed = -1 is not allowed: it should be a whole number of 0 or more"),
        ({"opening_plies": 9}, "opening_plies = 9 is not allowed: .* has 0 to 8"),
        ({"plies": 9}, "there is no parameter 'plies' here: the parameters are game, games, seed, opening_plies, a, b"),
        ({"c": float("nan")}, "there is no parameter 'c' here"),
        ({"a": {"method": "bob"}}, "a = .*'bob'.* is not allowed"),
        ({"a": {"method": "mcts", "simulations": 0}}, "simulations = 0 is not allowed"),
    ],
)
def test_a_unit_that_cannot_be_is_refused_in_one_sentence(changes: dict[str, Any], sentence: str):
    with pytest.raises(ParameterError, match=sentence) as refusal:
        unit(**changes)
    assert "\n" not in str(refusal.value)


# --- golden -------------------------------------------------------------------------------------------------------


def test_results_do_not_move_without_a_raised_results_version():
    """`python tests/test_study.py` writes the file anew."""
    problem = golden.complaint(json.loads(GOLDEN.read_text()), golden_results(), RESULTS_VERSION)
    assert problem is None, problem


if __name__ == "__main__":
    golden.write_results(GOLDEN, golden_results())
