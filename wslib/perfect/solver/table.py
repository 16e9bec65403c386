"""What a solver remembers: proven bounds of positions, in a table of bounded size, and how much work it may do.

An entry holds facts only: the value of its state, for the player to move there, lies between ``low`` and ``high``.
Facts stay true, so a table serves any number of positions of one game. States are kept whole, not as a hash: no answer
rests on the hope that two do not collide.
"""

from typing import NamedTuple

import numpy as np

from wslib._compiled import GAMMA, MIX_1, MIX_2, S32, inlined
from wslib._numbers import ONE_OVER_LN_2, log_

LEAST, MOST = -65, 65
"""Bounds of a state of which nothing is known."""
BUCKET = 4
"""A state can be in as many places; the entry that cost least work makes room."""
NODES, LIMIT, STOPPED = 0, 1, 2
"""Places in ``Memory.work``: nodes searched so far, the most that are allowed, and a wish from outside to stop."""

ENTRY = np.dtype(
    [("own", "u8"), ("opp", "u8"), ("low", "i1"), ("high", "i1"), ("move", "i1"), ("cost", "u1"), ("tried", "u1", 2)],
    align=True,
)


class Memory(NamedTuple):
    """Everything that a search writes to."""

    entries: np.ndarray
    """(2 ** table_bits,) of ENTRY, bucket by bucket."""
    work: np.ndarray
    """(3,) int64: nodes searched, their limit, and whether to stop."""
    order: np.ndarray
    """(depths, moves) int64: scratch for the moves of each depth, ``(rank << 7) + cell``, in ascending order."""
    history: np.ndarray
    """(2, cells) int64: how often a cell settled a state, for defender and attacker."""


def empty_memory(table_bits: int) -> Memory:
    """Room for ``2 ** table_bits`` entries of 24 bytes (the system gives it out only as it is used)."""
    return Memory(
        np.zeros(1 << table_bits, ENTRY),
        np.array([0, np.iinfo(np.int64).max, 0]),
        np.zeros((130, 66), np.int64),
        np.zeros((2, 65), np.int64),
    )


@inlined
def bucket_of(memory, own, opp):
    """Where the places of a state begin."""
    mixed = (own ^ (own >> S32)) * MIX_1 + (opp ^ (opp >> S32)) * MIX_2
    mixed = (mixed ^ (mixed >> S32)) * GAMMA
    return np.int64((mixed >> S32) & np.uint64(len(memory.entries) - 1)) & -BUCKET


@inlined
def lookup(memory, own, opp):
    """The place of a state's entry, or -1."""
    begin = bucket_of(memory, own, opp)
    for at in range(begin, begin + BUCKET):
        entry = memory.entries[at]
        if entry.own == own and entry.opp == opp and entry.cost > 0:
            return at
    return -1


@inlined
def place_for(memory, own, opp):
    """The place of a state's entry, made empty where it had none, at the cost of the cheapest one of its bucket."""
    begin = bucket_of(memory, own, opp)
    cheapest = begin
    for at in range(begin, begin + BUCKET):
        entry = memory.entries[at]
        if entry.own == own and entry.opp == opp and entry.cost > 0:
            return at
        if entry.cost < memory.entries[cheapest].cost:
            cheapest = at
    entry = memory.entries[cheapest]
    entry.own, entry.opp, entry.low, entry.high, entry.move, entry.cost = own, opp, LEAST, MOST, -1, 0
    entry.tried[0], entry.tried[1] = 0, 0
    return cheapest


@inlined
def insert(memory, ply, count, rank, cell):
    """Put a move among the ``count`` of its depth, equal ranks in the order of coming; returns how many there are."""
    at = count
    while at > 0 and (memory.order[ply, at - 1] >> 7) > rank:
        memory.order[ply, at] = memory.order[ply, at - 1]
        at -= 1
    memory.order[ply, at] = (rank << 7) + cell
    return count + 1


@inlined
def cost_of(nodes):
    """The work behind an entry on a scale of 1 to 255: doublings of the number of nodes, in quarters."""
    # The last term keeps whole quarters whole, where the logarithm may have been rounded down.
    return np.uint8(min(255.0, 1.0 + 4.0 * ONE_OVER_LN_2 * log_(np.float64(nodes + 1)) + 1e-12))


@inlined
def out_of_budget(memory):
    """Whether the search has to end."""
    return memory.work[NODES] > memory.work[LIMIT] or memory.work[STOPPED] != 0


@inlined
def spent(memory):
    """Count a node; whether the search has to end."""
    memory.work[NODES] += 1
    return out_of_budget(memory)
