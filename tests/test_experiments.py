"""The experiments: what they ask for, and what is refused before any work starts."""

import json
import os
import subprocess
import sys
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import jupytext
import pytest
from study_tasks import stored_units

from wslib.games import GAMES, game
from wslib.parameters import ParameterError, Parameters
from wslib.play import METHODS
from wslib.study.claims.evidence import Page
from wslib.study.engine.notebook import read_parameters
from wslib.study.pages.base import Evolution, Experiment, Look, Orientation, Readings, Tour
from wslib.study.pages.catalogue import EXPERIMENTS
from wslib.study.pages.learning import ItLearns, Loop, NetworkChoice, OneRun, Protocol, Untrained
from wslib.study.pages.old_way import PublishedTournaments
from wslib.study.pages.perfect_play import PerfectPlay, Rebuilt
from wslib.study.pages.warm import Adaptive, AdaptiveVsFixed, Beyond, Control, IPrime, Warmstart
from wslib.study.statistics.simulate import FalseAlarms

ROOT = Path(__file__).resolve().parent.parent
MODELS: dict[str, type[Parameters]] = {
    "orientation": Orientation,
    "readings": Readings,
    "games": Tour,
    "searches": Look,
    "play": Look,
    "rhea": Evolution,
    "learning": Loop,
    "it_learns": ItLearns,
    "protocol": Protocol,
    "rating": FalseAlarms,
    "elo": Orientation,
    "perfect_play": PerfectPlay,
    "positions": Rebuilt,
    "verdicts": Page,
    "explorer": Page,
    "adaptive_vs_fixed": AdaptiveVsFixed,
    "beyond": Beyond,
    "control": Control,
    "iprime": IPrime,
    "published_tournaments": PublishedTournaments,
    "warmstart": Warmstart,
    "on_the_way": Warmstart,
    "adaptive": Adaptive,
    "network_choice": NetworkChoice,
    "one_run": OneRun,
    "untrained": Untrained,
}
DRAFTS: dict[str, type[Parameters]] = {}
"""Experiments whose notebooks wait for their published results and are no pages of the book yet."""
BOTH = pytest.mark.parametrize("model", [Orientation, Readings], ids=lambda model: model.name)


def parameters_cell(name: str) -> str:
    cells = jupytext.read(ROOT / "notebooks" / f"{name}.py").cells
    (cell,) = [c for c in cells if "parameters" in c.metadata.get("tags", [])]
    return cell.source


def namespace(name: str) -> dict[str, Any]:
    """What a notebook knows after its parameters cell."""
    values: dict[str, Any] = {}
    exec(parameters_cell(name), values)
    del values["__builtins__"], values["__annotations__"]
    return values


# --- what is asked for --------------------------------------------------------------------------------------------


def test_orientation_lets_all_pairs_meet_in_all_games():
    labels = Orientation().labels().query("part == 'table'")
    assert len(labels) == 18
    met = {(r.board, frozenset((r.a, r.b))) for r in labels.itertuples()}
    pairs = combinations(("random", "mcts", "rave", "rhea"), 2)
    assert met == {(b, frozenset(p)) for p in pairs for b in ("gobang", "connect4", "othello")}


def test_orientation_changes_one_parameter_of_rhea_at_a_time():
    asked = Orientation()
    settings = asked.rhea_variants()
    usual = asked._player("rhea").model_dump()
    for name, variant in settings.items():
        changed = {field for field, value in variant.model_dump().items() if value != usual[field]}
        assert len(changed) == 1, name
    assert settings["half the rollouts"].rollouts == 50
    assert settings["n = 1"].rollouts_per_individual == 1
    labels = asked.labels().query("part == 'rhea'")
    assert Counter(labels["a"]) == dict.fromkeys(settings, 6), "three games, against RHEA and against MCTS"


@BOTH
def test_the_labels_say_what_each_unit_is(model: type[Experiment]):
    asked = model(games=6, rollouts=20, seed=3)
    rows = list(asked.labels().itertuples())
    units = asked.units()
    assert len(units) == len(rows)
    for unit, row in zip(units, rows, strict=True):
        assert unit.game == game(row.board).id
        assert (unit.games, unit.seed) == (6, 3)
        assert unit.b.method == row.b
        assert unit.a.method == (row.a if row.a in METHODS else "rhea")


def test_the_published_scale_is_the_default():
    for unit in Orientation().units() + Readings().units():
        assert unit.games == 500
        if hasattr(unit.a, "simulations"):
            assert unit.a.simulations == 100


def test_readings_are_few_and_share_the_matches_that_they_do_not_change():
    asked = Readings()
    assert len(asked.POINTS) <= 30
    units, labels = asked.units(), asked.labels()
    assert len(units) == 18 * len(asked.POINTS)
    assert len({u.id for u in units}) < len(units) / 2
    assert {u.id for u in Orientation().units()[:6]} <= {u.id for u in units}, "the default is Table 5.1's"
    for reading, changes in asked.POINTS.items():
        touched = labels[labels["reading"] == reading]
        for row in touched.itertuples():
            default = labels.query("reading == 'default' and board == @row.board and a == @row.a and b == @row.b")
            same = units[row.Index].id == units[default.index[0]].id
            assert same == (not {row.a, row.b} & set(changes)), (reading, row)


def test_orientation_shows_rave_against_mcts_in_readings_that_the_readings_have_too():
    asked, readings = Orientation(), Readings()
    labels, units = asked.labels(), asked.units()
    shown = labels[labels["part"] == "reading"]
    assert Counter(shown["reading"]) == dict.fromkeys(Orientation.READINGS, 3)
    assert {units[place].id for place in shown.index} <= {unit.id for unit in readings.units()}
    assert "reading" not in Orientation(players="rave,rhea").labels()


def test_every_reading_differs_from_every_other():
    asked = Readings()
    labels, ids = asked.labels(), [u.id for u in asked.units()]
    tables = [tuple(ids[i] for i in group.index) for _, group in labels.groupby("reading", sort=False)]
    assert len(set(tables)) == len(tables)


def test_the_order_of_units_is_fixed_and_does_not_depend_on_the_workers():
    assert [u.id for u in Orientation(workers=1).units()] == [u.id for u in Orientation(workers=7).units()]


def test_players_that_do_not_play_are_not_asked_for():
    asked = Orientation(players="mcts,rave", boards="othello")
    assert {(r.a, r.b) for r in asked.labels().itertuples()} == {("rave", "mcts")}


@BOTH
def test_the_smallest_scale_can_be_asked_for(model: type[Experiment]):
    assert all(unit.games == 2 for unit in model(games=2, rollouts=2).units())


@BOTH
@pytest.mark.parametrize(("given", "games", "rollouts"), [({}, 4, 10), ({"games": 2, "rollouts": 50}, 2, 50)])
def test_the_smoke_preset_takes_seconds_unless_another_scale_is_given(
    model: type[Experiment], given: dict[str, int], games: int, rollouts: int
):
    asked = model(preset="smoke", **given)
    assert (asked.games, asked.rollouts) == (games, rollouts)


# --- parameters as they are typed ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "typed", ["othello,gobang", " othello , gobang ", ["othello", "gobang"], ("othello", "gobang")]
)
def test_a_list_may_be_typed_as_text(typed: Any):
    assert Orientation(boards=typed).boards == ("othello", "gobang")


def test_a_game_of_the_study_has_its_plain_name_however_it_is_typed():
    asked = Orientation(boards="othello-6x6,connect4-6x6-k4,connect4-6x7")
    assert asked.boards[:2] == ("othello", "connect4")
    assert asked.boards[2] == "connect4-6x7"
    assert asked.units()[0].id in {u.id for u in Orientation().units()}


def test_numbers_may_be_typed_as_text():
    assert Orientation(games="20", rollouts="50", seed="1") == Orientation(games=20, rollouts=50, seed=1)


REFUSED = [
    ({"gmaes": 20}, "there is no parameter 'gmaes' here (did you mean 'games'?): the parameters are preset"),
    ({"games": "abc"}, "games = 'abc' is not allowed: it should be an even number"),
    ({"games": "abc", "preset": "smoke"}, "games = 'abc' is not allowed: it should be an even number"),
    ({"rollouts": [1], "preset": "smoke"}, "rollouts = [1] is not allowed: it should be a whole number"),
    ({"games": None}, "games = None is not allowed: it should be an even number"),
    ({"games": 4.5}, "games = 4.5 is not allowed: it should be an even number"),
    ({"games": 7}, "games = 7 is not allowed: it should be an even number"),
    ({"games": 0}, "games = 0 is not allowed: it should be an even number from 2 to 1,000,000"),
    ({"games": 10**12}, "games = 1000000000000 is not allowed: it should be a"),
    ({"rollouts": 0}, "rollouts = 0 is not allowed: it should be a"),
    ({"rollouts": -5}, "rollouts = -5 is not allowed: it should be a"),
    ({"seed": -1}, "seed = -1 is not allowed: it should be a"),
    ({"boards": "othello, chess"}, "there is no game 'chess': the games are othello, connect4, gobang, tictactoe"),
    ({"boards": ""}, "boards = () is not allowed: it should be a list of 1 or more"),
    ({"boards": []}, "boards = [] is not allowed: it should be a list of 1 or more"),
    ({"boards": 5}, "boards[0] = 5 is not allowed: it should be a text"),
    ({"boards": [5]}, "boards[0] = 5 is not allowed: it should be a text"),
    ({"boards": "othello,othello"}, "boards names 'othello' twice: once is enough"),
    ({"boards": "othello,othello-6x6"}, "boards names 'othello' twice"),
    ({"boards": "othello-99x99"}, "99"),
    ({"preset": "big"}, "preset = 'big' is not allowed: it should be 'full' or 'smoke'"),
    ({"workers": -1}, "workers = -1 is not allowed: it should be a"),
    ({"workers": "all"}, "workers = 'all' is not allowed: it should be a whole number"),
]
OF_ORIENTATION = [
    ({"players": "mcts,bob"}, "there is no player 'bob': the players are random, mcts, rave, rhea"),
    ({"players": "mcts"}, "players = ('mcts',) is not allowed: it should be a list of 2 or more"),
    ({"players": []}, "players = [] is not allowed: it should be a list of 2 or more"),
    ({"players": "mcts, rave, mcts"}, "players names 'mcts' twice"),
    ({"opening_plies": 21}, "opening_plies = 21 is not allowed: it should be a"),
]


@pytest.mark.parametrize(
    ("model", "values", "sentence"),
    [(m, v, s) for m in (Orientation, Readings) for v, s in REFUSED] + [(Orientation, v, s) for v, s in OF_ORIENTATION],
)
def test_what_cannot_be_is_refused_in_one_sentence(model: type[Experiment], values: dict[str, Any], sentence: str):
    with pytest.raises(ParameterError) as refusal:
        model(**values)
    assert sentence in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < 300


def test_an_opening_longer_than_a_board_is_refused_before_any_match_is_played():
    asked = Orientation(boards="othello,tictactoe", opening_plies=9)
    with pytest.raises(ParameterError, match=r"opening_plies = 9 is not allowed: .* has 0 to 8"):
        asked.units()


def test_parameters_cannot_be_changed_afterwards():
    asked = Orientation()
    with pytest.raises(Exception, match="frozen"):
        asked.games = 4
    assert asked.games == 500


# --- notebooks ----------------------------------------------------------------------------------------------------


def test_every_experiment_has_a_notebook_of_its_name():
    assert {name: {**MODELS, **DRAFTS}[name] for name in EXPERIMENTS} == EXPERIMENTS
    pages = {path.stem for path in (ROOT / "notebooks").glob("*.py")}
    # Two read what others computed and have no parameters; one is the tour of JupyterLab.
    assert set(MODELS) == pages - {"reliability", "what_came_out", "start"}
    assert set(DRAFTS) == {path.stem for path in (ROOT / "notebooks" / "drafts").glob("*.py")}


@pytest.mark.parametrize("name", MODELS)
def test_a_notebooks_parameters_are_the_experiments_with_the_same_defaults(name: str):
    values = namespace(name)
    assert set(values) == set(MODELS[name].model_fields) - {*getattr(MODELS[name], "beside_the_cell", ())}
    assert MODELS[name](**values) == MODELS[name]()


@pytest.mark.parametrize("name", MODELS)
def test_a_notebook_reads_its_parameters_into_its_experiment(name: str):
    assert read_parameters(MODELS[name], namespace(name)) == MODELS[name]()
    assert f"read_parameters({MODELS[name].__name__}, globals())" in (ROOT / "notebooks" / f"{name}.py").read_text()


def test_the_comments_of_a_parameters_cell_name_every_choice():
    cell = parameters_cell("orientation")
    (players,) = [line for line in cell.splitlines() if line.startswith("players")]
    assert all(name in players.split("#")[1] for name in METHODS)
    (boards,) = [line for line in cell.splitlines() if line.startswith("boards")]
    assert "6x7" in boards.split("#")[1]
    assert set(boards.split('"')[1].split(",")) <= set(GAMES)


def injected(text: str) -> dict[str, Any]:
    """A notebook's variables after papermill has put a cell with this text below the parameters."""
    values = namespace("orientation")
    exec(text, values)
    return values | {"In": ["", parameters_cell("orientation"), text, "read_parameters(...)"]}


def test_a_name_that_papermill_injects_and_nobody_knows_is_refused():
    with pytest.raises(ParameterError, match=r"there is no parameter 'gmaes' here: the parameters are .*games"):
        read_parameters(Orientation, injected("# Parameters\ngmaes = 20\nseed = 1\n"))


def test_what_papermill_injects_is_taken():
    asked = read_parameters(Orientation, injected('# Parameters\ngames = 20\nboards = "othello, gobang"\n'))
    assert (asked.games, asked.boards) == (20, ("othello", "gobang"))


def test_a_variable_of_the_readers_own_is_no_parameter():
    values = injected("# Parameters\ngames = 20\n") | {"gmaes": 7}
    values["In"].append("gmaes = 7")
    assert read_parameters(Orientation, values).games == 20


def test_one_run_takes_any_setting_of_a_run_and_refuses_what_is_none():
    values = namespace("one_run")
    text = "# Parameters\nepochs = 3\nshape = 'dense'\n"
    exec(text, values)
    asked = read_parameters(MODELS["one_run"], values | {"In": ["", text]})
    assert (asked.run.epochs, asked.run.shape) == (3, "dense")
    with pytest.raises(ParameterError, match="there is no parameter 'epoch' here"):
        read_parameters(MODELS["one_run"], values | {"epoch": 3, "In": ["", "# Parameters\nepoch = 3\n"]})


def test_what_the_preset_smoke_would_pass_over_is_refused_in_a_notebook_too():
    values = namespace("it_learns") | {"preset": "smoke", "iterations": 100}
    cell = "# Parameters\npreset = 'smoke'\niterations = 100\n"
    with pytest.raises(ParameterError, match="iterations = 100 does not act with preset 'smoke'"):
        read_parameters(MODELS["it_learns"], values | {"In": ["", cell]})


def test_a_parameters_cell_that_was_not_run_is_asked_for():
    with pytest.raises(ParameterError, match="run the parameters cell first: 'boards' has no value yet"):
        read_parameters(Orientation, {})


def papermill(*arguments: str, store: Path) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "papermill", *arguments, "--no-progress-bar"],
        cwd=ROOT,
        env={**os.environ, "WSLIB_STORE": str(store)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def outputs(path: Path) -> str:
    return json.dumps([c.get("outputs", []) for c in json.loads(path.read_text())["cells"]], ensure_ascii=False)


@pytest.mark.notebooks
def test_papermill_with_an_unknown_name_stops_with_the_sentence_before_anything_is_computed(tmp_path: Path):
    out, store = tmp_path / "out.ipynb", tmp_path / "store"
    run = papermill("notebooks/orientation.py", str(out), "-p", "gmaes", "20", store=store)
    assert run.returncode != 0
    assert "there is no parameter 'gmaes' here: the parameters are" in run.stderr
    assert "there is no parameter 'gmaes' here" in outputs(out)
    assert not store.exists()


@pytest.mark.notebooks
def test_papermill_as_typed_in_the_notebook_computes_that_scale_and_stores_it(tmp_path: Path):
    out, store = tmp_path / "out.ipynb", tmp_path / "store"
    run = papermill("notebooks/orientation.py", str(out), "-p", "games", "4", "-p", "rollouts", "10", store=store)
    assert run.returncode == 0, run.stderr[-2000:]
    wanted = {unit.id for unit in Orientation(games=4, rollouts=10).units()}
    assert {manifest.parent.name for manifest in stored_units(store)} == wanted
    assert f"{len(wanted)} of {len(wanted)} results shown here were computed on this machine" in outputs(out)


@pytest.mark.parametrize("name", MODELS)
def test_the_help_of_a_notebook_shows_every_parameter_with_its_comment(name: str, tmp_path: Path):
    manual = papermill("--help-notebook", f"notebooks/{name}.py", store=tmp_path)
    shown = " ".join(manual.stdout.split())
    for line in parameters_cell(name).splitlines():
        parameter, comment = line.split(":")[0], line.split("#", 1)[1].strip()
        assert f"{parameter}: " in shown, manual.stderr
        assert comment in shown
