"""Fitting and evaluating with other arithmetic: devices, mixed precision, torch in the place of our kernels."""

import numpy as np
import pytest
import torch
from learners import after, learned, some_planes, trained
from test_runtime import apart

from wslib.network.fit import FitSettings
from wslib.network.model import NetworkSettings, mixed, pick_device
from wslib.network.runtime import CompiledNetwork, TorchNetwork
from wslib.prompt.network_file import to_bytes
from wslib.training.loop import advance, start
from wslib.training.settings import RunSettings

SHAPES = [
    {"shape": "author", "channels": 16, "hidden": (32, 16)},
    {"shape": "residual", "channels": 16, "hidden": (16,), "blocks": 1},
    {"shape": "dense", "channels": 32, "hidden": (), "blocks": 1},
]
every_shape = pytest.mark.parametrize("options", SHAPES, ids=lambda options: options["shape"])
gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU here (torch.cuda.is_available())")


# --- torch evaluates --------------------------------------------------------------------------------------------------


def test_torch_in_mixed_precision_says_nearly_the_same():
    network, planes = trained(NetworkSettings(game="othello", channels=16)), some_planes("othello", 30)
    exact = TorchNetwork(network, "cpu").evaluate(planes)
    said = TorchNetwork(network, "cpu", "bfloat16").evaluate(planes)
    assert said[0].dtype == said[1].dtype == np.float32
    assert np.allclose(said[0].sum(axis=1), 1, atol=1e-5), "probabilities are made with all bits"
    assert 0 < apart(said, exact) < 0.05


# --- mixed precision --------------------------------------------------------------------------------------------------


def test_mixed_precision_is_off_unless_asked_for():
    product = torch.ones(8, 8)
    kinds = {}
    for precision in ("float32", "bfloat16"):
        with mixed(torch.device("cpu"), precision):
            kinds[precision] = (product @ product).dtype
    assert kinds == {"float32": torch.float32, "bfloat16": torch.bfloat16}


def test_a_network_learns_in_mixed_precision_and_its_weights_keep_all_bits():
    settings = {"epochs": 40, "symmetries": "none", "batch": 16}
    exact, *_ = learned(FitSettings(**settings, trainer="torch"))
    network, right, error = learned(FitSettings(**settings, precision="bfloat16"))
    assert right > 0.9 and error < 0.3
    assert {tensor.dtype for tensor in network.parameters()} == {torch.float32}
    assert to_bytes(network) != to_bytes(exact)
    again, *_ = learned(FitSettings(**settings, precision="bfloat16"))
    assert to_bytes(again) == to_bytes(network)


SMALL = {"game": "connect4", "episodes": 4, "simulations": 8, "epochs": 1, "channels": 8, "hidden": (8,),
         "arena_games": 4}  # fmt: skip


def test_the_run_s_runtime_and_precision_are_those_of_its_evaluations(monkeypatch):
    made = []

    class Watched(TorchNetwork):
        def __init__(self, network, device, precision):
            made.append((device, precision))
            super().__init__(network, device, precision)

    monkeypatch.setattr("wslib.training.loop.TorchNetwork", Watched)
    run = RunSettings(**SMALL, runtime="torch", precision="bfloat16")
    advance(run, start(run))
    assert made == [("cpu", "bfloat16")] * 3, "self-play, and both sides of the arena"
    advance(RunSettings(**SMALL), start(run))
    assert len(made) == 3


# --- on a GPU ---------------------------------------------------------------------------------------------------------


def test_auto_is_settled_when_the_settings_are_made():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    settings = FitSettings(device="auto")
    assert settings.device == device and settings.id == FitSettings(device=device).id
    assert FitSettings(device="cuda").canonical()["device"] == "cuda"
    assert "device" not in FitSettings().canonical()


@gpu
@every_shape
def test_on_a_gpu_torch_says_what_the_compiled_network_says(options):
    network, planes = trained(NetworkSettings(game="othello", **options)), some_planes("othello", 50)
    assert apart(TorchNetwork(network, "cuda").evaluate(planes), CompiledNetwork(network).evaluate(planes)) < 1e-3


@gpu
@pytest.mark.parametrize("precision", ["float32", "bfloat16", "float16"])
def test_a_network_learns_on_a_gpu_and_comes_back_to_the_processor(precision):
    settings = FitSettings(epochs=40, symmetries="none", batch=16, device="cuda", precision=precision)
    network, right, error = learned(settings)
    assert right > 0.9 and error < 0.3
    assert {tensor.device.type for tensor in network.state_dict().values()} == {"cpu"}
    again, *_ = learned(settings)
    assert to_bytes(again) == to_bytes(network)


@gpu
def test_a_run_on_a_gpu_gives_the_same_bytes_twice():
    run = RunSettings(**SMALL, device="cuda", runtime="torch", optimiser="carried", precision="float16")
    one, other = (after(run, 2)[0] for _ in range(2))
    assert to_bytes(one.network) == to_bytes(other.network) and pick_device("cuda").type == "cuda"
