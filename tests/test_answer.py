"""What the first page answers, and what the chapter on why concludes, follow the results, whichever way they turn."""

import shutil
from pathlib import Path

import pandas as pd
import pytest
from test_living_book import FULL, STRENGTH, WARMSTART, add_runs, home  # noqa: F401

from wslib.study.claims.evidence import Evidence, gather
from wslib.study.claims.table import judge, pooled, singly
from wslib.study.engine.store import thesis_table
from wslib.study.report import answer, design, why
from wslib.study.statistics import decide


def said() -> dict[str, str]:
    """What the first page and the chapter say of the results that are there."""
    evidence = gather([WARMSTART])
    whole = Evidence(evidence.frames, evidence.tables, asked=FULL)
    rows, parts = judge(whole)
    asked, elos = FULL["warmstart"], whole.elos.get("warmstart")
    effects, singles = pooled(elos, asked), singly(elos, asked)
    return {
        "answer": answer.in_three(rows, parts, effects, whole).text,
        "forest": answer.forest_figure(effects, singles, asked).text,
        "caption": answer.forest_figure(effects, singles, asked).html,
        "strip": answer.strip(rows, set()).text,
        "turns": why.turns_table(effects, rows).text,
        "verdict": rows.set_index("id").loc["3", "ours"],
        "pooled": effects.set_index("board").loc["connect4", "verdict"],
    }


def test_answer_chapter_and_verdicts_turn_when_the_results_are_turned_round(
    home: Path, monkeypatch: pytest.MonkeyPatch  # noqa: F811
):  # fmt: skip
    add_runs(home, 6)
    ahead = said()
    shutil.rmtree(home / "data" / "warmstart")
    monkeypatch.setitem(STRENGTH, "wrora", 80)  # as far below Baseline as it was above
    add_runs(home, 6)
    behind = said()
    assert (ahead["pooled"], behind["pooled"]) == (decide.REPLICATED, decide.OPPOSITE)
    assert "end stronger than Baseline in Connect Four (+" in ahead["answer"]
    assert "end weaker than Baseline in Connect Four (-" in behind["answer"]
    assert "WRoRa has +" in ahead["forest"] and "WRoRa has -" in behind["forest"]
    assert "end above Baseline in Connect Four" in ahead["caption"]
    assert "end below Baseline in Connect Four" in behind["caption"]
    assert "1 holds" in ahead["verdict"] and "1 shows the opposite" in behind["verdict"]
    assert "back above 5 %" in ahead["turns"] and "no longer contradict it" in behind["turns"]
    for what in ahead:
        assert ahead[what] != behind[what], what


def test_without_results_the_first_page_says_that_it_cannot_say(home: Path):  # noqa: F811
    none = said()
    assert "**After 100 iterations: we cannot say yet.** So far none of the 144 training runs" in none["answer"]
    assert "Not computed yet" in none["forest"] and "nothing to judge by yet" in none["strip"]
    add_runs(home, 2)
    few = said()
    assert "So far 4 of 144 runs are rated" in few["answer"] and "than chance could explain" in few["answer"]


@pytest.mark.parametrize(("words", "short"), [
    ([decide.REPLICATED] * 3, "yes.** All 144 runs"), ([decide.SMALL] * 3, "hardly, if at all"),
    ([decide.OPPOSITE] * 3, "no, it does harm"), ([decide.REPLICATED, decide.SMALL, decide.SMALL], "it depends"),
    ([decide.UNDECIDED, decide.SMALL, decide.SMALL], "for some games"),
    ([decide.UNDECIDED] * 3, "so many runs cannot tell"),
])  # fmt: skip
def test_the_answer_has_its_words_for_every_verdict(words: list[str], short: str):
    effects = pd.DataFrame({"game": ["A", "B", "C"], "text": "+5 Elo (-1 to +11)", "verdict": words})
    rated = pd.DataFrame({"unit": [str(k) for k in range(144)]})
    evidence = Evidence({}, {}, asked={"warmstart": FULL["warmstart"]})
    evidence.__dict__["elos"] = {"warmstart": rated}
    text = answer.end_prose(effects, evidence)
    assert short in text and text.count("-1 to +11 Elo") == 3


def test_a_smaller_effect_is_seen_by_more_runs():
    assert design.smallest_seen(50, 17) == pytest.approx(50, abs=1), "as the table of runs needed has it"
    assert design.smallest_seen(50, 64) < design.smallest_seen(50, 17) < design.smallest_seen(50, 17, tests=10)


def test_a_coin_and_the_printed_iterations_are_compared_without_runs_of_ours():
    text = why.coin_prose(pd.DataFrame(), thesis_table("table_6_2"), games=50)
    assert "iteration 3.3 on average" in text and "16 runs" in text and "Ours" not in text
