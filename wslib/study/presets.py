"""Named scales of a training run, from seconds to what the sources did."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from wslib.parameters import ParameterError
from wslib.search.methods import with_rave
from wslib.training.settings import RAVE_OPTIONS, WITHOUT_POLICY, RunSettings

PRESETS: dict[str, dict[str, Any]] = {
    "smoke": {"episodes": 4, "simulations": 8, "epochs": 1, "channels": 4, "hidden": (8,), "arena_games": 4},
    "laptop": {"epochs": 1},
    "table": {},
    "paper": {"channels": 256, "hidden": (1024, 512), "symmetries": "all", "device": "auto"},
    "letter": {
        "policy": "q", "default_policy": "q", "amaf_players": "first",
        "gate": "all", "arena_plies": 0, "arena_trees": "match",
    },
}  # fmt: skip
"""smoke: seconds, to see that all works. laptop: Table 5.2 with the compact network, one symmetry drawn per sample, and
1 epoch instead of 10, because 10 make up most of a run's time and over-fit the outcomes. table: every value of Table
5.2, with the compact network and one symmetry. paper: the network of the author's code, all symmetries, on a GPU
where there is one.
letter: table with the text of the sources word for word where our default is another reading: policies by Q, the gate
"wins > u n", an arena from the empty board with trees kept over the match, and an action counted by RAVE for whoever
used it first. (Policies of RAVE by Q_rave, also in the text, are left out: Table 6.1 excludes them for RoRa and WRoRa.)
"""


def preset(name: str, **changes: Any) -> RunSettings:
    """Settings of a preset with some of them changed; what cannot act in the method is left out of the preset.

    >>> preset("laptop", game="othello", method="rave", seed=3).epochs
    1
    """
    if name not in PRESETS:
        raise ParameterError(f"there is no preset {name!r}: the presets are {', '.join(PRESETS)}")
    method = changes.get("method", "baseline")
    idle = {*(() if method in with_rave() else RAVE_OPTIONS), *(("policy",) if method in WITHOUT_POLICY else ())}
    acting = {option: value for option, value in PRESETS[name].items() if option not in idle}
    return RunSettings(**{**acting, **changes})


def nearest(run: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The preset to which a run, by its canonical settings, comes closest, and in which settings it differs from it.

    How its warm start ends is no difference. A run of which no preset can be made is "other".
    """
    given = {name: run.get(name) for name in ("game", "method", "seed", "switch", "warm_iterations", "shape")}
    found: list[tuple[str, dict[str, Any]]] = []
    for name in PRESETS:
        with suppress(ParameterError):
            usual = {**preset(name, **given).canonical(), "shape": "author"}
            names = sorted({*run, *usual})
            found.append((name, {n: run.get(n) for n in names if _plain(run.get(n)) != _plain(usual.get(n))}))
    return min(found or [("other", {})], key=lambda one: len(one[1]))


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
