"""What the built book shows is what the published results say: its numbers recomputed, and every figure's units found.

The arithmetic here is done by hand, with pandas and numpy; only the ratings themselves are the library's.
"""

import re
from functools import cache

import numpy as np
import pandas as pd
import pytest
from bs4 import Tag
from published_tables import experiments, table_file
from shown import rows as rows_of
from test_book import ROOT, article, pages, where

from wslib.study.engine import units as study
from wslib.study.names import board_name, kind_name
from wslib.study.pages.warm import Adaptive, AdaptiveVsFixed, Beyond, Control, Warmstart
from wslib.study.statistics import pools

pytestmark = pytest.mark.book

WITHOUT_UNITS = {
    "rhea": "evolutions that are computed on the page itself",
    "warm_start": "weights by the equations, which need no results",
    "verdicts": "effects of the claims' parts, whose runs the experiments' own pages name",
}
"""Pages whose figures rest on no stored results, and why."""
RATED = {kind.name: kind for kind in (Warmstart, AdaptiveVsFixed, Control, Beyond)}


def page(name: str) -> Tag:
    (found,) = (path for path in pages() if where(path) == f"book/runs/{name}.html")
    return article(found)


def tables(name: str, *columns: str) -> list[list[dict[str, str]]]:
    """The page's tables that have these columns, as rows of texts."""
    found = (rows_of(table) for table in page(name).select("table:has(tbody td)"))
    return [table for table in found if set(columns) <= table[0].keys()]


@cache
def results(name: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The finished runs of an experiment, and the games of its whole round robins."""
    asked = RATED[name]().grown()
    labels = asked.labels()
    found = labels.join(study.results(asked.units(), name, 1, compute=False), how="inner")
    return found[found["part"] == "run"], pools.round_robin(found[found["part"] == "pool"])


@cache
def elos(name: str) -> pd.DataFrame:
    """A row per rated run."""
    rows = []
    for (board, pool), rating in pools.pool_ratings(results(name)[1], anchor="random").items():
        for player, elo in zip(rating.players, rating.elo, strict=True):
            if re.fullmatch(r".+-\d+", player):
                rows.append({"board": board, "pool": pool, "kind": player.rsplit("-", 1)[0], "elo": elo})
    return pd.DataFrame(rows)


def waits(name: str) -> bool:
    """Whether no run is rated yet; then the page must say so, and shows no numbers to compare."""
    if elos(name).empty:
        assert "Not computed yet" in page(name).get_text(" ", strip=True)
        return True
    return False


def score_of(pairs: pd.DataFrame, board: str, kind: str) -> float:
    """Percent that a kind's runs score on average, each run over all its games."""
    here = pairs[pairs["board"] == board]
    shares = []
    for run in {name for name in (*here["a"], *here["b"]) if name.rsplit("-", 1)[0] == kind}:
        won, played = 0.0, 0
        for side, wins in (("a", "wins"), ("b", "losses")):
            games = here[here[side] == run]
            won += games[[f"{wins}_first", f"{wins}_second"]].to_numpy().sum()
            won += games[["draws_first", "draws_second"]].to_numpy().sum() / 2
            played += games["games"].sum()
        shares.append(100 * won / played)
    return float(np.mean(shares))


def number(text: str) -> float:
    return float(text.replace("\N{MINUS SIGN}", "-").replace(",", ""))


@pytest.mark.parametrize("name", RATED)
def test_elo_and_score_of_every_kind_are_the_means_over_its_runs(name: str):
    if waits(name):
        return
    (rows,) = tables(name, "kind", "runs", "mean Elo", "score %")
    rated = elos(name)
    groups = rated.groupby([rated["board"].map(board_name), rated["kind"].map(kind_name)])["elo"]
    assert len(rows) == groups.ngroups
    boards = {board_name(board): board for board in rated["board"]}
    kinds = {kind_name(kind): kind for kind in rated["kind"]}
    for row in rows:
        group = groups.get_group((row["game"], row["kind"]))
        assert int(row["runs"]) == len(group)
        assert abs(number(row["mean Elo"]) - group.mean()) <= 0.51
        shown = number(row["score %"])
        assert abs(shown - score_of(results(name)[1], boards[row["game"]], kinds[row["kind"]])) <= 0.051


@pytest.mark.parametrize("name", ["warmstart", "adaptive_vs_fixed"])
def test_differences_in_the_verdicts_are_those_of_the_means(name: str):
    if waits(name):
        return
    rated = elos(name)
    means = rated.groupby([rated["board"].map(board_name), rated["kind"].map(kind_name)])["elo"].mean()
    checked, both_rated = 0, 0
    for rows in tables(name, "part", "effect (95 % interval)", "verdict"):
        for row in rows:
            game, claim = row["part"].split(": ", 1)
            first, second = re.split(r" > | = | not above ", claim)
            both_rated += {(game, first), (game, second)} <= set(means.index)
            found = re.match(r"([-+−]?\d+) Elo", row["effect (95 % interval)"])
            if found:
                assert abs(number(found[1]) - (means[game, first] - means[game, second])) <= 0.51, row
                checked += 1
    assert bool(checked) == bool(both_rated), "where both kinds have rated runs, their difference is shown"


def test_the_distances_from_baseline_are_those_of_the_means():
    if waits("beyond"):
        return
    rated = elos("beyond")
    text = page("beyond").get_text(" ", strip=True)
    for board, group in rated.groupby("board"):
        means = group.groupby("kind")["elo"].mean()
        for kind, mean in means.items():
            if kind != "baseline" and "baseline" in means:
                gap = f"{mean - means['baseline']:+.0f}".replace("+0", "0").replace("-0", "0")
                gap = gap.replace("-", "\N{MINUS SIGN}")
                assert f"{kind_name(kind)} {gap}" in text, (board, kind)


def test_switches_are_the_means_and_population_deviations_of_the_runs():
    asked = Adaptive().grown()
    found = asked.labels().join(study.results(asked.units(), asked.name, 1, compute=False), how="inner")
    checked = 0
    for scale, rows in zip(found["scale"].unique(), tables("adaptive", "m", "mean ± sd"), strict=True):
        for row in rows:
            here = found[(found["scale"] == scale) & (found["simulations"] == int(row["m"]))]
            of_game, of_kind = here["board"].map(board_name), here["kind"].map(kind_name)
            here = here[(of_game == row["game"]) & (of_kind == row["enhancement"])]
            at = here["switch_iteration"].dropna().to_numpy(float)
            assert row["mean ± sd"] == f"{at.mean():.2f} ± {at.std():.2f}"
            checked += 1
    assert checked == found.groupby(["scale", "board", "simulations", "kind"]).ngroups


def test_shares_of_optimal_moves_are_those_of_the_published_phases():
    units = pd.read_csv(table_file("perfect_play", "units"), dtype={"unit": str})
    phases = pd.read_csv(ROOT / "data" / "perfect_play" / "phases.csv.gz", dtype={"unit": str})
    players = units[units["kind"] == "perfect"]["unit"]
    here = phases[phases["unit"].isin(players)]
    here = here.assign(weighed=pd.to_numeric(here["optimal"]) * here["positions"])
    sums = here.groupby(["unit", "reading"])[["weighed", "positions"]].sum()
    known = sorted(f"{100 * share:.1f}" for share in sums["weighed"] / sums["positions"])
    shown = [
        value
        for rows in tables("perfect_play", "set", "player", "regret")
        for row in rows
        if row["player"] != "Random"  # once for all budgets
        for name, value in row.items()
        if re.fullmatch(r"\d+ %", name)
    ]
    assert shown and not set(shown) - set(known)
    assert len(shown) >= len(known) - 6, "the random player's six apart, all are shown"


@cache
def published() -> set[str]:
    return {
        unit
        for name in experiments()
        for unit in pd.read_csv(table_file(name, "units"), usecols=["unit"], dtype=str)["unit"]
    }


def test_every_figure_offers_data_that_name_their_units():
    figures, strange = 0, []
    for path in pages():
        name = path.stem
        # Drawings of boards and trees are no figures of data; those come from matplotlib, which names its groups.
        for figure in article(path).select("figure.ws-figure:has(#figure_1)"):
            links = [link["href"] for link in figure.select("figcaption a.ws-data")]
            if not links and name in WITHOUT_UNITS:
                continue
            if not links:
                strange.append((name, "no data", figure.figcaption.get_text()[:60]))
                continue
            figures += 1
            frame = pd.read_csv(path.parent / links[0], dtype=str)
            named = {u for c in ("unit", "units") if c in frame for cell in frame[c].dropna() for u in cell.split()}
            # Where results were computed that are not published yet, their units are named beside the published ones.
            whole = all(re.fullmatch(r"[0-9a-f]{20}", unit) for unit in named) and named & published()
            if name not in WITHOUT_UNITS and not whole:
                strange.append((name, len(named), figure.figcaption.get_text()[:60]))
    rated = sum(not elos(name).empty for name in RATED)
    assert figures > 5 + 4 * rated and not strange, "every page of rated runs has several figures of its own"
