"""All experiments of the study, by name."""

from wslib.experiments import Experiment, Orientation, Readings
from wslib.learning import ItLearns, NetworkChoice, OneRun, Protocol, Untrained
from wslib.oldway import PublishedTournaments
from wslib.perfect import PerfectPlay
from wslib.simulate import FalseAlarms
from wslib.warm import Adaptive, AdaptiveVsFixed, Beyond, Control, IPrime, Warmstart

EXPERIMENTS: dict[str, type[Experiment]] = {
    experiment.name: experiment
    for experiment in (
        Orientation, Readings, Untrained, ItLearns, OneRun, NetworkChoice, Protocol, Warmstart, Control, IPrime,
        Adaptive, AdaptiveVsFixed, Beyond, PublishedTournaments, PerfectPlay, FalseAlarms,
    )
}  # fmt: skip
