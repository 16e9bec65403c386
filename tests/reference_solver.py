"""The value of a position by alpha-beta in the order of the cells: the compiled rules, and nothing else."""

import numba
import numpy as np

from wslib.games import rules as R


@numba.njit
def plain(rules, own, opp, alpha, beta):
    """The result for the player to move, if it lies between alpha and beta. Othello: the final difference of discs."""
    legal = R.legal_actions(rules, own, opp)
    result = R.status(rules, own, opp, legal)
    if result != R.RUNNING:
        if rules.kind == R.OTHELLO:
            return np.int64(R.popcount(own)) - np.int64(R.popcount(opp))
        return np.int64(result)
    if legal == np.uint64(0):
        after_own, after_opp = R.play(rules, own, opp, rules.rows * rules.cols)
        return -plain(rules, after_own, after_opp, -beta, -alpha)
    if rules.kind != R.OTHELLO:
        beta = min(beta, 1)
    while legal != np.uint64(0) and alpha < beta:
        after_own, after_opp = R.play(rules, own, opp, np.int64(R.lowest_bit(legal)))
        alpha = max(alpha, -plain(rules, after_own, after_opp, -beta, -alpha))
        legal &= legal - np.uint64(1)
    return alpha
