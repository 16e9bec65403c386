"""The arena: pairs of one opening, both gates, trees kept for a game or for the match."""

import numpy as np
import pytest
from learners import after, replayed, small, three_games, watched

from wslib.games import game
from wslib.network.model import Network
from wslib.play.players import GuidedSeat
from wslib.study.presets import PRESETS, preset
from wslib.training import loop as training
from wslib.training.loop import compete, start
from wslib.training.settings import RunSettings


class Arena:
    """An arena that was watched: its tables, and at each of them who was asked for which move and with what tree."""

    def __init__(self, run: RunSettings, new: Network, old: Network, iteration: int = 3) -> None:
        self.moved: list[dict[tuple[int, int], str]] = []
        """Of each table: game and ply -> "new" or "old"."""
        self.nodes: list[dict[str, int]] = []
        """Of each table: who is asked, in this order -> the nodes of its tree when it is asked first."""
        choose = GuidedSeat.choose
        with pytest.MonkeyPatch.context() as patch:
            tables, networks = watched(patch, "Table"), watched(patch, "CompiledNetwork")

            def choose_and_look(seat, games, own, opp):
                if len(self.moved) < len(tables):
                    self.moved.append({})
                    self.nodes.append({})
                ((of,),) = [given for given, compiled in networks if compiled is seat.search.network]
                name = "new" if of is new else "old"
                self.nodes[-1].setdefault(name, int(seat.search.forest.used[:, 0].max()))
                self.moved[-1] |= {(int(i), int(seat.plies[i])): name for i in games}
                return choose(seat, games, own, opp)

            patch.setattr(GuidedSeat, "choose", choose_and_look)
            self.accepted, self.told = compete(run, new, old, iteration)
        self.tables = [table for _, table in tables]


@three_games
def test_arena_games_come_in_pairs_of_one_opening_with_both_colours(name):
    run = small(name, arena_games=12, gating=True)
    new, old = Network(run.network, seed=1), Network(run.network, seed=2)
    arena = Arena(run, new, old, 7)
    (moved,), (table,), told = arena.moved, arena.tables, arena.told
    games = replayed(name, table.move_lists())
    openings = [line[4].history for line in games]
    assert openings[0::2] == openings[1::2] and len(set(openings)) > 3
    counts = {1: 0, 0: 0, -1: 0}
    for g, line in enumerate(games):
        new_colour = g % 2
        for ply in range(4, len(line) - 1):
            assert moved[g, ply] == ("new" if line[ply].to_move == new_colour else "old")
        end = line[-1]
        counts[0 if end.winner is None else 1 if end.winner == new_colour else -1] += 1
    assert told == {"arena_wins": counts[1], "arena_draws": counts[0], "arena_losses": counts[-1]}
    assert counts[1] != counts[-1] and arena.accepted == (counts[1] >= 0.6 * (counts[1] + counts[-1]))
    assert compete(run, new, old, 7) == (arena.accepted, told)


def test_arenas_of_other_iterations_have_other_openings(monkeypatch):
    run, tables = small(arena_games=20, gating=True), watched(monkeypatch, "Table")
    for iteration in (1, 1, 2):
        compete(run, start(run).network, start(run).network, iteration)
    openings = [{position.history for position in positions} for (_, positions), _ in tables]
    assert openings[0] == openings[1] != openings[2]
    assert len(openings[0]) > 5 and all(len(opening) == 4 for opening in openings[0])


def results_are(monkeypatch: pytest.MonkeyPatch, results) -> None:
    """Every table has these results, for the player who moved first."""
    monkeypatch.setattr(training.Table, "first_player_result", property(lambda table: np.array(results)))


@pytest.mark.parametrize(
    ("rule", "threshold", "wins", "draws", "losses", "accepted"),
    [
        ("reject", 0.6, 6, 10, 4, True), ("reject", 0.6, 11, 0, 9, False), ("reject", 0.6, 12, 0, 8, True),
        ("reject", 0.6, 0, 20, 0, False), ("accept", 0.6, 0, 20, 0, True), ("accept", 0.6, 1, 17, 2, False),
        ("reject", 0.6, 3, 15, 2, True), ("reject", 0.55, 11, 0, 9, True), ("reject", 0.56, 14, 1, 11, True),
        ("reject", 0.0, 0, 0, 20, True), ("reject", 1.0, 19, 0, 1, False),
        ("all", 0.6, 12, 0, 8, False), ("all", 0.6, 13, 0, 7, True), ("all", 0.6, 6, 12, 2, False),
        ("all", 0.56, 14, 1, 11, False), ("all", 0.56, 15, 0, 11, True), ("all", 0.0, 0, 20, 0, False),
        ("all", 0.0, 1, 19, 0, True),
    ],
)  # fmt: skip
def test_a_candidate_needs_its_share_of_the_decided_games_or_to_the_letter_more_than_that_of_all(
    rule, threshold, wins, draws, losses, accepted, monkeypatch
):
    kind = {"gate": "all"} if rule == "all" else {"undecided": rule}
    run = small(gating=True, arena_games=wins + draws + losses, threshold=threshold, simulations=2, **kind)
    for_new = np.array([1] * wins + [0] * draws + [-1] * losses)
    results_are(monkeypatch, np.where(np.arange(len(for_new)) % 2 == 0, for_new, -for_new))
    network = start(run).network
    told = {"arena_wins": wins, "arena_draws": draws, "arena_losses": losses}
    assert compete(run, network, network, 1) == (accepted, told)


def test_exactly_its_share_of_all_games_is_not_enough_to_the_letter():
    run = small(gating=True, gate="all", threshold=0.56).model_copy(update={"arena_games": 25})
    assert not training._is_better(run, 14, 11), "in binary 0.56 * 25 is above 14"


def test_trees_kept_over_the_match_grow_from_game_to_game_which_are_played_one_after_the_other():
    run = small(gating=True, arena_trees="match", arena_games=6, arena_plies=0, simulations=30)
    new, old = Network(run.network, seed=1), Network(run.network, seed=2)
    arena = Arena(run, new, old)
    assert [len(table.own) for table in arena.tables] == [1] * 6
    grown = np.array([[nodes["new"], nodes["old"]] for nodes in arena.nodes])
    assert grown[0].tolist() == [0, 0] and np.all(np.diff(grown, axis=0) > 0)
    assert compete(run, new, old, 3) == (arena.accepted, arena.told)
    # The new network begins the first half of the games, the old one the second.
    assert [next(iter(nodes)) for nodes in arena.nodes] == ["new"] * 3 + ["old"] * 3
    assert sum(arena.told.values()) == 6
    usual = Arena(run.model_copy(update={"arena_trees": "game"}), new, old)
    assert [len(table.own) for table in usual.tables] == [6] and set(usual.nodes[0].values()) == {0}


def test_results_of_a_match_with_kept_trees_are_counted_for_the_new_network(monkeypatch):
    run = small(gating=True, arena_trees="match", arena_games=4)
    results_are(monkeypatch, [1])  # whoever begins wins
    network = start(run).network
    assert compete(run, network, network, 1)[1] == {"arena_wins": 2, "arena_draws": 0, "arena_losses": 2}


@pytest.mark.parametrize("method", ["baseline", "wrora"])
def test_a_run_by_the_letter_plays_learns_and_meets_its_predecessor(method: str, monkeypatch):
    run = preset("letter", game="connect4", method=method, **PRESETS["smoke"] | {"sampled_plies": 6, "threshold": 0.0})
    tables = watched(monkeypatch, "Table")
    for told in after(run, 2)[1]:
        assert told["accepted"] == (told["arena_wins"] > 0)
        assert told["arena_wins"] + told["arena_draws"] + told["arena_losses"] == 4
    # Of each iteration the games of self-play at one table, then the arena's one by one, all from the empty board.
    seated = [positions for (_, positions), _ in tables]
    assert [len(positions) for positions in seated] == [4, 1, 1, 1, 1] * 2
    assert all(position == game("connect4").start() for positions in seated for position in positions)
