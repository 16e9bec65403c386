"""What a search can be told: its parameters, the readings of the thesis' formulas among them."""

from typing import Any, Literal, Self

from pydantic import Field, model_validator

from wslib.parameters import Parameters

_RAVE_DEFAULTS = {"amaf": "path+rollout", "amaf_players": "own", "beta": "state"}
_RAVE_ONLY = (*_RAVE_DEFAULTS, "equivalence")


class SearchSettings(Parameters):
    """A search without a network: MCTS with random playouts, or the same with RAVE.

    >>> SearchSettings(method="rave", simulations=400).amaf
    'path+rollout'
    """

    method: Literal["mcts", "rave"] = Field("mcts", description="plain search, or with RAVE statistics")
    simulations: int = Field(100, ge=1, le=1_000_000, description="m: simulations (here: playouts) per move")
    c: float = Field(1.0, ge=0, description="c: weight of exploration in eq. 5.1 and 5.3")
    rule: Literal["puct", "ucb1"] = Field("puct", description="P-UCT with a uniform prior (eq. 5.1), or classic UCB1")
    policy: Literal["visits", "q", "q_rave"] = Field("visits", description="what pi and the final move go by")
    tree: Literal["fresh", "kept"] = Field("fresh", description="a new tree for every move, or one for the whole game")
    amaf: Literal["path", "path+rollout"] | None = Field(None, description="RAVE: moves that count as played")
    amaf_players: Literal["own", "both"] | None = Field(None, description="RAVE: whose moves count")
    beta: Literal["state", "action"] | None = Field(None, description="RAVE: N(s,.) or N(s,a) in eq. 5.4")
    equivalence: float | None = Field(None, gt=0, description="RAVE: equivalence in eq. 5.4, m unless given")

    @model_validator(mode="before")
    @classmethod
    def _complete(cls, values: Any) -> Any:
        """Fill in RAVE's defaults where RAVE acts, and refuse its options where it does not."""
        values = dict(values)
        if values.get("method") == "rave":
            defaults = {**_RAVE_DEFAULTS, "equivalence": values.get("simulations", 100)}
            values.update({name: d for name, d in defaults.items() if values.get(name) is None})
        return values

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        given = [name for name in _RAVE_ONLY if getattr(self, name) is not None]
        if self.method != "rave":
            if given:
                raise ValueError(f"{given[0]} acts in the method 'rave' only, not in {self.method!r}")
            if self.policy == "q_rave":
                raise ValueError("policy 'q_rave' needs the method 'rave'; without RAVE there are 'visits' and 'q'")
        return self

    @property
    def rave(self) -> bool:
        """Whether RAVE statistics steer the search."""
        return self.method == "rave"
