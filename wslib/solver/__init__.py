"""Perfect play: ``solve(position)`` (:mod:`.solve`), for lines of k (:mod:`.lines`) and Othello (:mod:`.discs`)."""

from wslib.solver.solve import Solution, Solver, check_position, solve

__all__ = ["Solution", "Solver", "check_position", "solve"]
