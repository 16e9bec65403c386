"""Tables and figures: the numbers shown are those of the published data, and everybody can read them."""

import csv
import json
import re
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import shown
from published_tables import table_rows
from scipy.stats import binomtest
from study_tasks import computed_now

from wslib.study.claims import orientation as claims
from wslib.study.engine import units as study
from wslib.study.engine.published import Published
from wslib.study.engine.store import thesis_table
from wslib.study.names import BOARDS, METHODS, method_name
from wslib.study.pages.base import PLAYERS, Experiment, Orientation, Readings
from wslib.study.report import orientation as report
from wslib.study.report import rating as rating_report
from wslib.study.report import readings as readings_report
from wslib.study.report.charts import show_panels
from wslib.study.report.look import INK, Html, show_table
from wslib.study.statistics import decide, stats

DATA = Path(__file__).resolve().parent.parent / "data"
PUBLISHED = {"orientation": Orientation, "readings": Readings}


def plain_matches() -> dict[tuple[str, str, str], dict[str, int]]:
    """Table 5.1's matches, read without the project's code: the thesis' parameters only."""
    rave = {"simulations": 100, "amaf_players": "own", "equivalence": 100}
    usual = {"mcts": {"simulations": 100}, "rave": rave, "random": {}}
    usual["rhea"] = {"rollouts": 100, "rollouts_per_individual": 2, "horizon": 10, "population": 10, "mutation": 0.2}
    found = {}
    for row in table_rows("orientation", "units"):
        match = json.loads(row["parameters"])
        players = match["a"], match["b"]
        if any(p[k] != v for p in players for k, v in usual[p["method"]].items()) or "ties" in match["a"]:
            continue
        if players[0]["method"] != players[1]["method"]:
            key = (match["game"].split("-")[0], players[0]["method"], players[1]["method"])
            found[key] = {n: int(v) for n, v in row.items() if n.split("_")[0] in ("wins", "draws", "losses")}
            found[key] |= {"games": int(row["games"]), "distinct": int(row["distinct"])}
    return found


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    """Table 5.1's matches as the notebook has them."""
    asked = Orientation()
    matches = asked.labels().join(study.results(asked.units(), asked.name, progress=False))
    assert set(matches["origin"]) == {"published"}
    return matches[matches["part"] == "table"].reset_index(drop=True)


@pytest.fixture(scope="module")
def compared(table: pd.DataFrame) -> pd.DataFrame:
    return report.beside_thesis(table, thesis_table("table_5_1"))


@pytest.fixture(scope="module")
def readings() -> pd.DataFrame:
    asked = Readings()
    matches = asked.labels().join(study.results(asked.units(), asked.name, progress=False))
    return report.beside_thesis(matches, thesis_table("table_5_1"))


def titles(names: dict[str, str] | dict[str, tuple]) -> dict[str, str]:
    return {(v if isinstance(v, str) else v[0]): k for k, v in names.items()}


def key_of(row: dict[str, str]) -> tuple[str, str, str]:
    a, b = row["match"].split(" – ")
    return titles(BOARDS)[row["game"]], titles(METHODS)[a], titles(METHODS)[b]


# --- numbers ------------------------------------------------------------------------------------------------------


def test_every_number_of_table_5_1_is_that_of_the_published_counts_and_the_thesis_are_copied(compared: pd.DataFrame):
    rows, plain = shown.rows(report.comparison_table(compared)), plain_matches()
    with (DATA / "thesis" / "table_5_1.csv").open(newline="") as file:
        printed = {
            (r["game"], r["column_player"], r["row_player"]): r["column_win_pct_vs_row"] for r in csv.DictReader(file)
        }
    assert len(rows) == len(plain) == 18
    for row in rows:
        match = plain[key_of(row)]
        wins, draws = (match[f"{name}_first"] + match[f"{name}_second"] for name in ("wins", "draws"))
        ours, theirs = 100 * (wins + draws / 2) / match["games"], float(printed[key_of(row)])
        assert row["ours %"] == f"{ours:.1f}" and float(row["thesis %"]) == theirs
        assert float(row["ours − thesis %"].replace("\N{MINUS SIGN}", "-")) == pytest.approx(ours - theirs, abs=0.0501)
        if draws == 0:
            known = binomtest(wins, match["games"]).proportion_ci(method="wilson")
            assert row["95 % interval"] == f"{100 * known.low:.1f} to {100 * known.high:.1f}"


def test_draws_and_first_movers_are_those_of_the_published_counts(compared: pd.DataFrame):
    rows, plain = shown.rows(report.diversity_table(compared)), plain_matches()
    assert len(rows) == 18
    for row in rows:
        match = plain[key_of(row)]
        drawn, first = match["draws_first"] + match["draws_second"], match["wins_first"] + match["losses_second"]
        assert row["draws %"] == f"{100 * drawn / match['games']:.1f}"
        assert row["first mover wins %"] == f"{100 * first / match['games']:.1f}"
        assert row["games"] == str(match["games"])


def test_both_orders_of_a_pair_find_their_printed_number():
    thesis = thesis_table("table_5_1")
    one = matches_of(("othello", "rave", "mcts", 300, 0, 200))
    two = matches_of(("othello", "mcts", "rave", 200, 0, 300))
    printed = [report.beside_thesis(m, thesis)["thesis"].iloc[0] for m in (one, two)]
    assert sum(printed) == pytest.approx(1)
    assert printed[0] != printed[1]


def test_a_match_that_the_thesis_does_not_have_shows_a_dash():
    compared = report.beside_thesis(
        matches_of(("connect4-6x7-k4", "mcts", "random", 6, 0, 4)), thesis_table("table_5_1")
    )
    (row,) = shown.rows(report.comparison_table(compared))
    assert (row["thesis %"], row["ours − thesis %"], row["differs"]) == ("–", "–", "")
    assert row["ours %"] == "60.0"


def matches_of(*rows: tuple[str, str, str, int, int, int], **more: object) -> pd.DataFrame:
    """Matches with these counts of player A, all as the first player."""
    frame = pd.DataFrame(rows, columns=["board", "a", "b", "wins_first", "draws_first", "losses_first"])
    frame[["wins_second", "draws_second", "losses_second"]] = 0
    games = frame["wins_first"] + frame["draws_first"] + frame["losses_first"]
    return frame.assign(games=games, distinct=games, **more)


# --- claim 1 ------------------------------------------------------------------------------------------------------


def test_claim_1_is_the_same_in_whatever_order_a_pair_is_stored(table: pd.DataFrame):
    turned = table.rename(columns={"a": "b", "b": "a"}).copy()
    for colour, other in (("first", "second"), ("second", "first")):
        turned[f"wins_{colour}"], turned[f"losses_{colour}"] = table[f"losses_{other}"], table[f"wins_{other}"]
        turned[f"draws_{colour}"] = table[f"draws_{other}"]
    both = [claims.claim_1(frame) for frame in (table, turned)]
    pd.testing.assert_frame_equal(*both)
    assert len(both[0]) == 18


def test_claim_1_names_the_stronger_first_and_has_one_exception(table: pd.DataFrame):
    claim = claims.claim_1(table)
    order = {"rave": 0, "mcts": 1, "rhea": 2, "random": 3}
    assert all(order[r.strong] < order[r.weak] for r in claim.itertuples())
    (exception,) = claim[claim["exception"]].itertuples()
    assert (exception.board, exception.strong, exception.weak) == ("othello", "rhea", "random")
    assert claim["p_holm"].tolist() == stats.holm([stats.sign_test(c[0], c[2]) for c in claim["counts"]])


@pytest.mark.parametrize("players", [p for n in (2, 3) for p in combinations(PLAYERS, n)], ids="-".join)
def test_claim_1_does_with_the_players_that_are_there(players: tuple[str, ...], table: pd.DataFrame):
    part = table[table["a"].isin(players) & table["b"].isin(players)]
    claim = claims.claim_1(part)
    assert len(claim) == 3 * len(list(combinations(players, 2)))
    assert claims.claim_1_verdict(claim) in decide.WORDS
    assert len(shown.rows(report.claim_1_table(claim))) == len(claim)


def test_an_experiment_with_only_the_exception_decides_no_ordering():
    claim = claims.claim_1(matches_of(("othello", "rhea", "random", 250, 0, 250)))
    assert claim["exception"].tolist() == [True]
    assert claims.claim_1_verdict(claim) == decide.UNDECIDED


def test_nearly_all_is_nine_orderings_in_ten():
    for lost, verdict in ((1, decide.REPLICATED), (2, decide.OPPOSITE)):
        words = [decide.REPLICATED] * (17 - lost) + [decide.OPPOSITE] * lost
        assert claims.claim_1_verdict(pd.DataFrame({"verdict": words, "exception": False})) == verdict


def test_an_undecided_ordering_says_how_many_games_would_decide():
    claim = claims.claim_1(matches_of(("gobang", "rave", "mcts", 11, 0, 9), ("othello", "rave", "mcts", 10, 0, 10)))
    rows = shown.rows(report.claim_1_table(claim))
    assert rows[0]["would decide"] == f"{stats.games_to_decide(11, 0, 9, tests=len(claim)):,} games"
    assert rows[1]["would decide"] == f"{stats.games_to_decide(10, 0, 10):,} games"


# --- readings -----------------------------------------------------------------------------------------------------


def test_distances_are_root_mean_squares_in_percentage_points():
    frame = pd.DataFrame(
        {
            "reading": ["far"] * 4 + ["near"] * 4,
            "board": ["gobang", "gobang", "othello", "othello"] * 2,
            "difference": [0.03, -0.04, 0.0, 0.12, 0.01, 0.01, -0.01, -0.01],
            "differs": [True, False, False, True, False, False, False, False],
        }
    )
    distance = readings_report.distances(frame)
    assert distance.index.tolist() == ["near", "far"], "the closest first"
    assert distance.loc["near", ["rms", "gobang", "othello"]].tolist() == pytest.approx([1, 1, 1])
    # (9 + 16 + 0 + 144) / 4 = 42.25; (9 + 16) / 2 = 12.5; (0 + 144) / 2 = 72
    assert distance.loc["far", ["rms", "gobang", "othello"]].tolist() == pytest.approx([6.5, 12.5**0.5, 72**0.5])
    assert distance.loc["far", ["cells", "of"]].tolist() == [2, 4]


def test_the_distance_of_each_reading_is_that_of_its_published_counts(readings: pd.DataFrame):
    distance = readings_report.distances(readings)
    printed = thesis_table("table_5_1").set_index(["game", "column_player", "row_player"])["column_win_pct_vs_row"]
    for reading, rows in readings.groupby("reading"):
        squares = [
            (100 * (r.wins_first + r.wins_second + (r.draws_first + r.draws_second) / 2) / r.games
             - printed[r.board, r.a, r.b]) ** 2
            for r in rows.itertuples()
        ]  # fmt: skip
        assert distance.loc[reading, "rms"] == pytest.approx((sum(squares) / len(squares)) ** 0.5)
    assert len(distance) == len(Readings.POINTS)
    assert len(shown.rows(readings_report.distance_table(distance))) == len(distance)


def test_a_match_in_several_readings_is_as_far_from_the_print_as_its_counts_say(readings: pd.DataFrame):
    moved = readings_report.in_readings(readings, "rave", "mcts")
    assert moved.index[0] == "default" and "RHEA: n = 1" not in moved.index, "it changes neither of the two"
    printed = thesis_table("table_5_1").query("column_player == 'rave' and row_player == 'mcts'")
    printed = printed.set_index("game")["column_win_pct_vs_row"]
    for reading, row in moved.iterrows():
        apart = [100 * row[board] - printed[board] for board in printed.index]
        assert row["rms"] == pytest.approx(float(np.mean(np.square(apart))) ** 0.5), reading
    rows = shown.rows(readings_report.in_readings_table(moved, "rave", "mcts"))
    assert rows[0]["reading"] == "thesis" and rows[0]["Connect Four"] == f"{printed['connect4']:.1f}"
    assert [row["reading"] for row in rows[1:]] == list(moved.index)
    prose = readings_report.in_readings_prose(moved, "rave", "mcts")
    assert f"**{moved['rms'].idxmin()}**" in prose and f"the default is at {moved.loc['default', 'rms']:.1f}" in prose
    unknown = readings.assign(thesis=np.nan)
    assert "prints no win rates" in readings_report.in_readings_prose(
        readings_report.in_readings(unknown, "rave", "mcts"), "rave", "mcts"
    )


def test_the_noise_floor_is_what_two_samples_of_the_same_players_differ_by(compared: pd.DataFrame):
    draw, p = np.random.default_rng(7), compared["thesis"].to_numpy()
    ours = draw.binomial(500, p, (2000, len(p))) / 500
    # The thesis' games with RHEA were probably fewer than its caption says.
    games = np.where((compared["a"] == "rhea") | (compared["b"] == "rhea"), report.RHEA_GAMES, report.THESIS_GAMES)
    theirs = draw.binomial(games, p, (2000, len(p))) / games
    typical = 100 * np.sqrt(np.mean((ours - theirs) ** 2))
    assert readings_report.noise_floor(compared) == pytest.approx(typical, rel=0.02)
    assert readings_report.noise_floor(pd.concat([compared, compared])) == readings_report.noise_floor(compared)


def test_what_the_printed_table_cannot_be_is_counted():
    odd = readings_report.impossible_cells(thesis_table("table_5_1"))
    assert odd["rhea pairs"] == odd["of them whole"] == 9
    (pair,) = odd["not adding up"]
    assert "98.5" in pair
    assert "1.4" in pair


# --- figures and tables as they look ------------------------------------------------------------------------------

FIGURES: dict[str, Callable[[pd.DataFrame, pd.DataFrame], Html]] = {
    "heat maps": lambda compared, readings: report.heat_maps(compared, PLAYERS),
    "distances": lambda compared, readings: readings_report.distance_figure(
        readings_report.distances(readings), readings_report.noise_floor(readings)
    ),
}


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_says_in_words_what_it_shows_and_takes_the_pages_colour(
    name: str, compared: pd.DataFrame, readings: pd.DataFrame
):
    html = FIGURES[name](compared, readings).html
    (alt,) = re.findall(r'role="img" aria-label="([^"]+)"', html)
    assert len(alt) > 50
    assert re.search(r"<figcaption>[^<]{20,}<", html)
    assert INK not in html
    assert "currentColor" in html
    assert "<text" in html, "letters stay letters: they can be searched, read aloud and take the page's font"
    elsewhere = re.search(r"""(?:href|src)=["'](?!#|data:)|url\((?!["']?#)|<script|@import""", html)
    assert not elsewhere


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_is_the_same_text_each_time(name: str, compared: pd.DataFrame, readings: pd.DataFrame):
    assert FIGURES[name](compared, readings).html == FIGURES[name](compared, readings).html


def test_the_words_of_the_heat_maps_say_who_is_strongest_in_every_game(compared: pd.DataFrame):
    text = repr(FIGURES["heat maps"](compared, compared))
    for board, here in compared.groupby("board"):
        wins = {player: np.mean([*here["score"][here["a"] == player], *(1 - here["score"][here["b"] == player])])
                for player in PLAYERS}  # fmt: skip
        best = max(wins, key=wins.get)
        assert f"{BOARDS[board]}: {METHODS[best][0]} is highest with {100 * wins[best]:.0f}" in text


def test_drawing_leaves_no_figure_open_and_no_setting_changed():
    before = dict(plt.rcParams)

    html = show_panels({"a < b": lambda axis: axis.plot([1, 2])}, 'the "quoted" <alt>', "a < b & c").html
    assert 'aria-label="the &quot;quoted&quot; &lt;alt&gt;"' in html
    assert "<figcaption>a &lt; b &amp; c</figcaption>" in html
    assert plt.get_fignums() == []
    assert dict(plt.rcParams) == before


def test_a_table_shows_text_as_text_not_as_markup():
    hostile = "<script>alert('x')</script> & <b>"
    table = show_table(pd.DataFrame({hostile: [hostile], "n": [1.234]}), hostile, {"n": "{:.1f}"})
    assert "<script" not in table.html and "<b>" not in table.html
    assert shown.rows(table) == [{hostile: hostile, "n": "1.2"}]
    assert table.html.count("&lt;script&gt;") == 3


def test_a_table_leaves_the_frame_as_it_was():
    frame = pd.DataFrame({"x": [0.5, 0.25]})
    show_table(frame, "caption", {"x": lambda v: f"{v:.0%}"})
    assert frame["x"].tolist() == [0.5, 0.25]


# --- what is published --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PUBLISHED)
def test_everything_that_the_default_parameters_ask_for_is_published(name: str):
    wanted = {unit.id for unit in PUBLISHED[name]().units()}
    assert sorted(row["unit"] for row in table_rows(name, "units")) == sorted(wanted)
    published = Published(name)
    assert len(published) == len(wanted)
    assert {row["unit"] for row in table_rows(name, "provenance")} == wanted


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_counts_add_up(name: str):
    experiment: Experiment = PUBLISHED[name]()
    frame = study.results(experiment.units(), name, progress=False)
    colours = [frame[[f"{r}_{c}" for r in ("wins", "draws", "losses")]].sum(axis=1) for c in ("first", "second")]
    assert (colours[0] == 250).all()
    assert (colours[1] == 250).all()
    assert (frame["distinct"] <= frame["games"]).all()
    assert ((frame["plies_min"] <= frame["plies_mean"]) & (frame["plies_mean"] <= frame["plies_max"])).all()


def test_the_same_match_is_published_with_the_same_result_in_both_experiments():
    frames = [study.results(e().units(), n, progress=False).drop_duplicates("unit") for n, e in PUBLISHED.items()]
    one, two = (frame.set_index("unit").drop(columns="origin").sort_index() for frame in frames)
    common = one.index.intersection(two.index)
    assert len(common) >= 18
    pd.testing.assert_frame_equal(one.loc[common], two.loc[common])


@pytest.mark.parametrize("index", [0, 1])
def test_published_games_are_what_this_code_plays(index: int):
    cheap = [unit for unit in Orientation(boards="connect4").units() if "random" in (unit.a.method, unit.b.method)]
    unit = np.random.default_rng(2).permutation(np.array(cheap, object))[index]
    published = Published("orientation").read("match", unit.id)
    now = computed_now(unit)
    assert "\n".join(published.tables["games"]["moves"]) == "\n".join(now.tables["games"]["moves"])
    pd.testing.assert_frame_equal(published.tables["games"], now.tables["games"])
    assert published.summary == now.summary


def test_the_page_on_elo_says_what_a_setting_moves():
    """The same games in both settings: the prose names the player that is moved most, and the order as it is."""
    games = pd.DataFrame({
        "board": "othello", "unit": list("xyz"), "a": ["mcts", "mcts", "rave"], "b": ["random", "rave", "random"],
        "wins_first": [9, 4, 10], "draws_first": [1, 2, 0], "losses_first": [0, 4, 0],
        "wins_second": [8, 5, 10], "draws_second": [1, 1, 0], "losses_second": [1, 4, 0],
    })  # fmt: skip
    both = rating_report.moved_by_settings(games)
    most = both.loc[both["as_listed"].abs().idxmax()]
    prose = rating_report.settings_prose(games)
    assert f"{method_name(most.player)} in Othello by {most.as_listed:+.0f} Elo" in prose
    assert "in 1 of 1 games" in prose
    figure = rating_report.settings_figure(games).text.replace("−", "-")
    assert all(f"{row.as_listed:+.0f} and {row.turned_round:+.0f}" in figure for row in both.itertuples())
