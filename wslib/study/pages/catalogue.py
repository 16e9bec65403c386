"""All experiments of the study, by name."""

from wslib.study.pages.base import Experiment, Orientation, Readings
from wslib.study.pages.learning import ItLearns, NetworkChoice, OneRun, Protocol, Untrained
from wslib.study.pages.old_way import PublishedTournaments
from wslib.study.pages.perfect_play import PerfectPlay
from wslib.study.pages.warm import Adaptive, AdaptiveVsFixed, Beyond, Control, IPrime, Warmstart
from wslib.study.statistics.simulate import FalseAlarms

EXPERIMENTS: dict[str, type[Experiment]] = {
    experiment.name: experiment
    for experiment in (
        Orientation, Readings, Untrained, ItLearns, OneRun, NetworkChoice, Protocol, Warmstart, Control, IPrime,
        Adaptive, AdaptiveVsFixed, Beyond, PublishedTournaments, PerfectPlay, FalseAlarms,
    )
}  # fmt: skip
