"""What a search can be told: its parameters, the readings of the thesis' formulas among them."""

from collections.abc import Iterable
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator

from wslib.parameters import Parameters, brief
from wslib.search.methods import GUIDED, mixing, with_rave

RAVE_OPTIONS = ("amaf", "amaf_players", "beta", "equivalence")


class TreeSettings(Parameters):
    """What every tree search can be told."""

    amaf_default: ClassVar[str]
    later: ClassVar[dict[str, Any]] = {"ties": "random"}

    simulations: int = Field(100, ge=1, le=1_000_000, description="m: simulations per move")
    c: float = Field(1.0, ge=0, description="c: weight of exploration in eq. 5.1 and 5.3")
    rule: Literal["puct", "ucb1"] = Field("puct", description="P-UCT (eq. 5.1), or classic UCB1")
    policy: Literal["visits", "q", "q_rave"] = Field("visits", description="what pi and the final move go by")
    tree: Literal["fresh", "kept"] = Field("fresh", description="a new tree for every move, or one for the whole game")
    ties: Literal["random", "first"] = Field("random", description="which of equally good actions: any, or the first")
    amaf: Literal["path", "path+rollout"] | None = Field(None, description="RAVE: moves that count as played")
    amaf_players: Literal["own", "both", "first"] | None = Field(
        None, description="RAVE: whose moves count: one's own, also the opponent's, or who used an action first"
    )
    beta: Literal["state", "action"] | None = Field(None, description="RAVE: N(s,.) or N(s,a) in eq. 5.4")
    equivalence: float | None = Field(None, gt=0, description="RAVE: equivalence in eq. 5.4, m unless given")

    @classmethod
    def uses_rave(cls, method: Any) -> bool:
        """Whether RAVE acts in this method."""
        return method == "rave"

    @classmethod
    def completed(cls, values: dict[str, Any]) -> dict[str, Any]:
        """RAVE has its defaults where it acts."""
        if cls.uses_rave(values.get("method")):
            defaults = {"amaf": cls.amaf_default, "amaf_players": "own", "beta": "state"}
            defaults["equivalence"] = values.get("simulations", 100)
            values.update({name: d for name, d in defaults.items() if values.get(name) is None})
        return values

    @model_validator(mode="after")
    def _only_where_it_acts(self) -> Self:
        if not self.rave:
            method = getattr(self, "method", None)
            given = [name for name in RAVE_OPTIONS if getattr(self, name) is not None]
            if given:
                raise ValueError(f"{given[0]} acts in methods with RAVE only, not in {method!r}")
            if self.policy == "q_rave":
                raise ValueError(f"policy 'q_rave' needs a method with RAVE; {method!r} has 'visits' and 'q'")
        return self

    @property
    def plays_out(self) -> bool:
        """Whether the leaves of the search are played out at random."""
        return True

    @property
    def rave(self) -> bool:
        """Whether RAVE statistics steer the search."""
        return self.uses_rave(getattr(self, "method", None))


class SearchSettings(TreeSettings):
    """A search without a network: MCTS with random playouts, or the same with RAVE.

    >>> SearchSettings(method="rave", simulations=400).amaf
    'path+rollout'
    """

    amaf_default: ClassVar[str] = "path+rollout"

    method: Literal["mcts", "rave"] = Field("mcts", description="plain search, or with RAVE statistics")


class GuidedSettings(TreeSettings):
    """A search guided by a network, in one of the six ways of :data:`GUIDED`.

    >>> GuidedSettings(method="wrora").weight
    0.5
    """

    amaf_default: ClassVar[str] = "path"

    method: str = Field("baseline", description="where a leaf's value comes from, and whether RAVE steers")
    tree: Literal["fresh", "kept"] = Field("kept", description="a new tree for every move, or one for the whole game")
    weight: float | None = Field(None, ge=0, le=1, description="w: share of the playout in WRo and WRoRa (eq. 5.5)")
    noise: float = Field(
        0.0, ge=0, le=1, description="share of Dirichlet noise in the root's prior (none in the thesis)"
    )
    noise_alpha: float = Field(1.0, gt=0, description="parameter of that noise")
    cache: bool = Field(True, description="share evaluations among the games that are played together")

    @classmethod
    def uses_rave(cls, method: Any) -> bool:
        return method in with_rave()

    @classmethod
    def completed(cls, values: dict[str, Any]) -> dict[str, Any]:
        """WRo and WRoRa mix half and half unless told otherwise, as in Table 6.1."""
        if values.get("method") in mixing() and values.get("weight") is None:
            values["weight"] = 0.5
        return super().completed(values)

    @field_validator("method")
    @classmethod
    def _known(cls, method: str) -> str:
        return known_method(method, GUIDED)

    @model_validator(mode="after")
    def _weight_where_it_acts(self) -> Self:
        if self.weight is not None and self.method not in mixing():
            raise ValueError(f"weight acts in {' and '.join(map(repr, mixing()))} only, not in {self.method!r}")
        return self

    @property
    def plays_out(self) -> bool:
        """Whether leaves are played out: not where the evaluation wants no playout, or gives it no weight."""
        return "playout" in GUIDED[self.method].wants and self.weight != 0

    def canonical(self) -> dict[str, Any]:
        """Without noise its parameter does not act."""
        return super().canonical() | ({} if self.noise else {"noise_alpha": None})


def known_method(method: str, known: Iterable[str], name: str = "method") -> str:
    """A method that is one of these, or an error that names them."""
    if method in (names := list(known)):
        return method
    listed = ", ".join(map(repr, names[:-1]))
    raise ValueError(f"{name} = {brief(method)} is not allowed: it should be {listed} or {names[-1]!r}")
