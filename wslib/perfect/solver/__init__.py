"""Perfect play: ``solve(position)`` (:mod:`.solve`), for lines of k (:mod:`.lines`) and Othello (:mod:`.discs`)."""

from wslib.perfect.solver.solve import Solution, Solver, check_position, solve

__all__ = ["Solution", "Solver", "check_position", "solve"]
