"""A search as a reader looks into it: what it knows of every move, the principal variation, the tree below."""

from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from wslib import draw
from wslib._compiled import kernel
from wslib.games import Position
from wslib.games.rules import RUNNING
from wslib.parameters import whole
from wslib.search.guided import GuidedSearch
from wslib.search.kernels import make_plan, score_edges, weigh_edges
from wslib.search.methods import method_name
from wslib.search.settings import GuidedSettings, SearchSettings
from wslib.search.tree import Forest, edge_action, find_root, tree_of
from wslib.search.unguided import UnguidedSearch

_COLUMNS = ("action", "prior", "n", "q", "u", "n_rave", "q_rave", "score", "weight", "child")


@kernel
def find(forest, i, own, opp):
    """The node of a state in the ``i``-th tree, or -1."""
    return find_root(tree_of(forest, i), own, opp)


@kernel
def edge_table(rules, plan, forest, i, node, table):
    """What a tree knows of a node's edges, a row each: action, prior, n, q, U, n_rave, q_rave, score, weight, child."""
    tree = tree_of(forest, i)
    count, first = np.int64(tree.nodes[node].count), np.int64(tree.nodes[node].first)
    score_edges(plan, tree, node, False)
    for j in range(count):
        edge = tree.edges[first + j]
        table[j, 0] = edge_action(rules, tree, node, j)
        table[j, 1], table[j, 2], table[j, 3], table[j, 4] = edge.prior, edge.n, edge.q, tree.scores[j]
        table[j, 9] = edge.child
        if plan.rave:
            table[j, 5], table[j, 6] = tree.amaf[first + j].n, tree.amaf[first + j].q
    score_edges(plan, tree, node, plan.rave)
    for j in range(count):
        table[j, 7] = tree.scores[j]
    weigh_edges(plan, tree, node)
    for j in range(count):
        table[j, 8] = tree.scores[j]
    return count


@dataclass(frozen=True)
class SearchResult:
    """What a search found in one position. Prints and draws itself.

    Arrays have an entry for each of the n legal actions, in the order of :attr:`actions`. Values are in [-1, 1] and
    seen by the player to move. ``after(move)`` looks at the same tree one move later.
    """

    position: Position
    settings: SearchSettings | GuidedSettings
    searching: UnguidedSearch | GuidedSearch
    node: int

    @property
    def forest(self) -> Forest:
        """The tree, the only one of its forest."""
        return self.searching.forest

    @cached_property
    def _table(self) -> dict[str, np.ndarray]:
        """What the tree knows of the position's n edges: (n,) float64 for each of ``_COLUMNS``."""
        table = np.zeros((self.position.game.actions, len(_COLUMNS)))
        plan = make_plan(self.settings)
        count = edge_table(self.position.game.rules, plan, self.forest, 0, self.node, table)
        return dict(zip(_COLUMNS, table[:count].T, strict=True))

    @property
    def actions(self) -> np.ndarray:
        """(n,), int: the legal actions in ascending order, which the following arrays go along."""
        return self._table["action"].astype(int)

    @property
    def visits(self) -> np.ndarray:
        """N(s, a): (n,), int; the simulation that found the position is not among them, as it went no further."""
        return self._table["n"].astype(int)

    @property
    def q(self) -> np.ndarray:
        """Q(s, a): (n,), 0 where an action has not been visited."""
        return self._table["q"]

    @property
    def weights(self) -> np.ndarray:
        """The policy: (n,), the weights that the settings' ``policy`` gives the actions, normalised.

        Where none has any weight, as after one simulation, all are equal.
        """
        weight = self._table["weight"]
        return weight / weight.sum() if weight.sum() else np.full(len(weight), 1 / len(weight))

    @property
    def policy(self) -> np.ndarray:
        """The policy over all actions of the game: (actions,), 0 where an action is not legal."""
        policy = np.zeros(self.position.game.actions)
        policy[self.actions] = self.weights
        return policy

    @property
    def best(self) -> str:
        """The move of largest weight (the first of equal ones)."""
        return self.position.game.action_name(int(self.actions[self.weights.argmax()]))

    @property
    def value(self) -> float:
        """Mean value of the simulations through the root's edges, for the player to move; 0 where there are none."""
        return float(np.average(self.q, weights=self.visits)) if self.visits.sum() else 0.0

    @property
    def principal_variation(self) -> list[str]:
        """The line of the moves of largest weight, as far as the tree has visited it."""
        line, here = [], self
        while not here.position.is_over and here.visits.sum():
            line.append(here.best)
            deeper = here._at(here.best)
            if deeper is None:
                break
            here = deeper
        return line

    def _at(self, move: str) -> "SearchResult | None":
        """The same tree one move later; None where the search has never been."""
        after = self.position.play(move)
        node = int(self._table["child"][list(self.actions).index(after.history[-1])])
        if node < 0 or (self.forest.nodes[0, node]["status"] == RUNNING and not after.legal):
            return None
        return SearchResult(after, self.settings, self.searching, node)

    def more(self, simulations: int = 100) -> "SearchResult":
        """The search with so many simulations more, as if they had been asked for at once; this result stays as it is.

        Only what the settings make of the number itself stays, such as RAVE's equivalence.
        """
        # A tree that is gone on with is kept, and noise enters its root once.
        changes: dict[str, Any] = {"simulations": whole("simulations", simulations, 1), "tree": "kept"}
        changes |= {"noise": 0.0} if isinstance(self.settings, GuidedSettings) else {}
        searching = _copied(self.searching)
        searching.settings = searching.settings.model_copy(update=changes)
        return searched(self.position, self.settings, searching)

    def after(self, move: str) -> "SearchResult":
        """What this search knows of the position after a move, an error where it never tried the move."""
        deeper = self._at(move)
        if deeper is None:
            raise ValueError(f"the search has never tried {move!r} here")
        if deeper.position.is_over:
            raise ValueError(f"{move!r} ends the game ({deeper.position.caption}): there is nothing to look into")
        return deeper

    def table(self) -> pd.DataFrame:
        """One row per legal move, the most weighty first."""
        frame = pd.DataFrame({
            "move": [self.position.game.action_name(a) for a in self.actions],
            "N": self.visits, "Q": self.q, "P": self._table["prior"], "U": self._table["u"],
        })  # fmt: skip
        if self.settings.rave:
            frame["N_rave"], frame["Q_rave"] = self._table["n_rave"].astype(int), self._table["q_rave"]
            frame["score"] = self._table["score"]
        frame["policy"] = self.weights
        return frame.sort_values(["policy", "N"], ascending=False, kind="stable").set_index("move")

    def plot(self) -> draw.Drawing:
        """The policy as a heat map on the board."""
        return draw.board(self.position, heat=dict(zip(self.actions.tolist(), self.weights, strict=True)),
                          caption=self._headline)  # fmt: skip

    def tree(self, depth: int = 2, top: int = 3) -> draw.Drawing:
        """The tree below this position: at each node the ``top`` moves of largest weight, the best one highlighted."""
        depth, top = whole("depth", depth, 1), whole("top", top, 1)
        nodes = [{"id": 0, "lines": [f"{int(self.visits.sum())} visits"], "position": self.position}]
        layer: list[tuple[int, SearchResult]] = [(0, self)]
        for _ in range(depth):
            below = []
            for parent, here in layer:
                for rank in np.argsort(-here.weights, kind="stable")[:top]:
                    if not here.visits[rank]:
                        continue
                    move, nodes_so_far = here.position.game.action_name(int(here.actions[rank])), len(nodes)
                    lines = [f"N {here.visits[rank]}", f"Q {here.q[rank]:+.2f}"]
                    if here.settings.rave:
                        lines.append(f"Q_rave {here._table['q_rave'][rank]:+.2f}")
                    best = move == here.best
                    nodes.append(
                        {"id": nodes_so_far, "parent": parent, "lines": lines, "edge": move, "highlight": best}
                    )
                    deeper = here._at(move)
                    if deeper is not None and not deeper.position.is_over:
                        below.append((nodes_so_far, deeper))
            layer = below
        return draw.tree(nodes, caption=self._headline)

    @property
    def _headline(self) -> str:
        """The move and the value in a line."""
        return (
            f"{method_name(self.settings.method)}, {int(self.visits.sum())} visits: {self.best}, "
            f"value {self.value:+.2f} for the player to move"
        )

    def __repr__(self) -> str:
        line = " ".join(self.principal_variation)
        return f"{self._headline}\n{self.table().round(3).to_string()}\nprincipal variation: {line}"

    def _repr_html_(self) -> str:
        line = " ".join(self.principal_variation)
        table = self.table().round(3).reset_index().to_html(border=0, index=False)
        scrolls = f'<div class="ws-scroll" style="overflow-x:auto">{table}</div>'
        return f"{self.plot()._repr_html_()}{scrolls}<p>Principal variation: {line}</p>"


def _copied(searching: Any) -> Any:
    """A copy of a search that goes on by itself; network and settings are shared, as nobody changes them."""
    other = copy(searching)
    other.streams = searching.streams.copy()
    for name in {"forest", "memory"} & vars(searching).keys():
        parts = getattr(searching, name)
        setattr(other, name, type(parts)(*(part.copy() for part in parts)))
    return other


def searched(position: Position, settings: Any, searching: UnguidedSearch | GuidedSearch) -> SearchResult:
    """What a search of one game has found after its simulations from this position."""
    own, opp = (np.array([word]) for word in position.words)
    searching.run(np.zeros(1, int), own, opp)
    return SearchResult(position, settings, searching, int(find(searching.forest, 0, own[0], opp[0])))
