"""What a network is, and how it is fitted: plain values.

They stand apart from :mod:`wslib.network.model` and :mod:`wslib.network.fit` because torch takes longer to import than
a page takes to show its results: what only names runs and reads what they left does without it.
"""

import sys
from functools import cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator

from wslib.games import game
from wslib.games.position import GameName
from wslib.parameters import Parameters, brief


@cache
def finds_gpu() -> bool:
    """Whether torch finds a GPU; where the system shows none, torch is not imported to ask it."""
    if sys.platform == "linux" and not any(
        Path(shown).exists() for shown in ("/dev/nvidiactl", "/dev/kfd", "/dev/dxg")
    ):
        return False
    import torch

    return torch.cuda.is_available()


class NetworkSettings(Parameters):
    """The shape of a network for one game.

    >>> NetworkSettings(game="connect4", channels=64).hidden
    (256, 128)
    """

    game: GameName = Field(description="the game, as in 'othello-6x6'")
    shape: Literal["author", "residual", "dense"] = Field("author", description="kind of network")
    channels: int = Field(32, ge=1, le=1024, description="C: channels of the convolutions (dense: width)")
    hidden: tuple[Annotated[int, Field(ge=1, le=65536)], ...] = Field(
        (256, 128), max_length=4, description="widths of the fully connected layers"
    )
    blocks: int = Field(2, ge=0, le=40, description="residual blocks (residual and dense)")
    dropout: float = Field(0.3, ge=0, lt=1, description="d: dropout after the fully connected layers")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        board = game(self.game)
        if self.shape == "author" and min(board.rows, board.cols) < 5:
            raise ValueError(
                f"shape 'author' needs 5 or more rows and columns: {board.title} takes 'residual' or 'dense'"
            )
        return self

    def canonical(self) -> dict[str, Any]:
        """The author's network has no blocks."""
        return super().canonical() | ({"blocks": None} if self.shape == "author" else {})


class FitSettings(Parameters):
    """How a network is fitted."""

    later: ClassVar[dict[str, Any]] = {"device": "cpu", "precision": "float32", "trainer": "compiled"}

    epochs: int = Field(10, ge=1, description="ep: passes over the examples")
    batch: int = Field(64, ge=2, description="bs: examples per step")
    learning_rate: float = Field(0.005, gt=0, description="lr: learning rate of Adam")
    symmetries: Literal["one", "all", "none"] = Field(
        "one", description="one drawn per example and epoch, all of them (author's code), or none"
    )
    optimiser: Literal["fresh", "carried"] = Field("fresh", description="Adam's memory from iteration to iteration")
    device: Literal["cpu", "cuda"] = Field(
        "cpu", description="what torch computes on; 'auto' becomes 'cuda' where there is a GPU"
    )
    precision: Literal["float32", "bfloat16", "float16"] = Field(
        "float32", description="in which torch multiplies matrices: all bits, or mixed precision"
    )

    trainer: Literal["compiled", "torch"] = Field(
        "compiled", description="who fits: our kernels, the same bits on every processor, or torch, as on every GPU"
    )

    @classmethod
    def completed(cls, values: dict[str, Any]) -> dict[str, Any]:
        """Our kernels know the processor and float32: with all else, torch is the trainer unless told otherwise."""
        if values.get("trainer") is None:
            device, precision = (values.get(n, cls.model_fields[n].default) for n in ("device", "precision"))
            alone = cls._one_of_the_two(device) == "cpu" and precision == "float32"
            values["trainer"] = "compiled" if alone else "torch"
        return values

    @field_validator("device", mode="before")
    @classmethod
    def _one_of_the_two(cls, device: Any) -> Any:
        # What is stored must say what it was computed on.
        if device not in ("auto", "cpu", "cuda"):
            raise ValueError(f"device = {brief(device)} is not allowed: it should be 'auto', 'cpu' or 'cuda'")
        return device if device != "auto" else "cuda" if finds_gpu() else "cpu"

    @model_validator(mode="after")
    def _known_to_the_device(self) -> Self:
        if self.precision == "float16" and self.device == "cpu":
            raise ValueError("precision 'float16' belongs to device 'cuda': the processor takes 'bfloat16'")
        if self.trainer == "compiled" and (self.device != "cpu" or self.precision != "float32"):
            raise ValueError("trainer 'compiled' computes on device 'cpu' in 'float32': all else takes trainer 'torch'")
        return self
