"""Perfect play: ``solve(position)`` (:mod:`.solution`), for lines of k (:mod:`.lines`) and Othello (:mod:`.discs`)."""

from wslib.perfect.solver.solution import Solution, Solver, check_position, solve

__all__ = ["Solution", "Solver", "check_position", "solve"]
