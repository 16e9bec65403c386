"""The first sentences of pages follow their results: turned round, they say the opposite; without results, that too."""

import pandas as pd
import pytest

from wslib.study.report import evolution, learning, one_run, perfect, untrained


def strengths(scores: dict[tuple[str, str], list[int]]) -> pd.DataFrame:
    """Matches of a hundred games by game and kind, with so many won in each run."""
    rows = [
        {"board": board, "kind": kind, "seed": seed, "iteration": 30, "games": 100, "distinct": 100, "wins_first": won,
         "wins_second": 0, "draws_first": 0, "draws_second": 0, "losses_first": 100 - won, "losses_second": 0}
        for (board, kind), wins in scores.items() for seed, won in enumerate(wins)
    ]  # fmt: skip
    return pd.DataFrame(rows)


@pytest.mark.parametrize(("changed", "word"), [([80, 82], "stronger"), ([40, 42], "weaker"), ([61, 63], "no change")])
def test_what_a_change_of_the_protocol_does_is_said_as_it_came_out(changed: list[int], word: str):
    found = strengths({("othello", "usual"): [60, 62], ("othello", "new"): changed})
    assert word in learning.changes_prose(found)


def test_that_a_change_helps_here_and_harms_there_is_said():
    usual = {("othello", "usual"): [60, 62], ("connect4", "usual"): [60, 62]}
    both = strengths(usual | {("othello", "new"): [80, 82], ("connect4", "new"): [40, 42]})
    same = strengths(usual | {("othello", "new"): [80, 82], ("connect4", "new"): [80, 82]})
    assert "harms in another" in learning.changes_prose(both) and "harms" not in learning.changes_prose(same)
    assert "Not computed yet" in learning.changes_prose(both.head(0))
    assert "too few runs" in learning.changes_prose(both[both["seed"] == 0])


def test_the_strongest_candidate_is_named_and_whether_chance_explains_it():
    def said(other: list[int]) -> str:
        return learning.choice_prose(strengths({("othello", "ours"): [60, 62], ("othello", "other"): other}), "ours")

    assert "ours is the strongest." in said([40, 42])
    assert "other is the strongest" in said([80, 82]) and "no more than chance" not in said([80, 82])
    assert "no more than chance" in said([61, 63])


def test_a_run_whose_error_rises_again_is_not_said_to_learn_for_ever():
    falling = pd.DataFrame({"iteration": range(1, 41), "fresh_value_loss": [0.9] * 20 + [0.2] * 20})
    log = falling.assign(board="connect4", kind="wro", phase="baseline", fresh_policy_loss=1.0, accepted=True)
    turned = log.assign(fresh_value_loss=[0.9] * 10 + [0.2] * 20 + [0.9] * 10)
    assert "no straight line" in one_run.run_prose(turned) and "no straight line" not in one_run.run_prose(log)
    assert "none of them with a warm start" in one_run.run_prose(log)
    assert "the first 5 of them" in one_run.run_prose(log.assign(phase=["wro"] * 5 + ["baseline"] * 35))


def test_whether_the_rule_for_illegal_actions_matters_is_said_as_it_came_out():
    scores = {"connect4": (0.9, 0.9), "othello": (0.9, 0.5)}
    rows = [(board, rule, s) for board, both in scores.items() for rule, s in zip(evolution.RULES, both, strict=True)]
    found = pd.DataFrame(rows, columns=["board", "rule", "score"]).assign(
        low=lambda frame: frame["score"] - 0.05, high=lambda frame: frame["score"] + 0.05
    )
    assert "decides what RHEA is worth" in evolution.in_short(found)
    same = found.assign(score=0.9, low=0.85, high=0.95)
    assert "can be told from chance" in evolution.in_short(same)
    turned = found.assign(board=found["board"].map({"connect4": "othello", "othello": "connect4"}))
    assert "also matters in Connect Four" in evolution.in_short(turned)


def test_how_often_more_search_helps_is_counted_by_what_the_final_move_goes_by():
    players = ["MCTS", "RAVE", "RAVE, by Q", "RAVE, by Q_rave", "RHEA"]
    found = pd.DataFrame({"board": "othello", "player": players, "after": 0.1,
                          "verdict": ["converges", "stalls", "converges", "stalls", "stalls"]})  # fmt: skip
    said = perfect.convergence_prose(found)
    assert "Yes, where the final move goes by the mean value Q (1 of 1 cases)." in said
    assert "Mostly not, where it goes by visits (1 of 2 cases) or by Q_rave (0 of 1 cases)." in said
    assert "RHEA gains in 0 of 1 games." in said
    assert "One budget says nothing" in perfect.convergence_prose(found.head(0))


def test_how_many_enhancements_beat_baseline_is_counted_apart_from_rave():
    cells = pd.DataFrame({"a": ["rollout", "rave", "rora"], "low": [0.6, 0.4, 0.45]})
    assert "in 1 of 2 matches, and RAVE alone does in 0 of 1" in untrained.in_short(cells)
    assert "in 0 of 2 matches, and RAVE alone does in 1 of 1" in untrained.in_short(cells.assign(low=[0.4, 0.6, 0.4]))
