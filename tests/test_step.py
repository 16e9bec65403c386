"""The compiled training step: gradients against torch's in double precision, Adam, batch norm, dropout, its numbers."""

import warnings

import numpy as np
import pytest
import torch
from learners import made_up_examples
from torch import nn
from torch.nn import functional as F

from wslib._compiled import kernel, stream
from wslib._numbers import exp_, gamma, log_
from wslib.games import game
from wslib.network import fit as fitting
from wslib.network.fit import FitSettings, _gathered, _shuffled, _turned, fit
from wslib.network.kernels import Batch, Fit, backward, draw_masks, forward, judge, show, train_batch, turn_weights
from wslib.network.lanes import LANES, WIDTH, aligned
from wslib.network.layout import LAYER, layout_of
from wslib.network.model import Network, NetworkSettings
from wslib.network.runtime import CompiledNetwork

SHAPES = [
    {"game": "connect4"},
    {"game": "othello", "channels": 64, "hidden": (40, 70)},
    {"game": "gobang", "channels": 20, "hidden": (33,)},
    {"game": "othello-8x8", "channels": 8, "hidden": ()},
    {"game": "connect4-6x7", "shape": "residual", "channels": 32, "blocks": 2},
    {"game": "othello", "shape": "residual", "channels": 12, "blocks": 1, "hidden": ()},
    {"game": "connect4", "shape": "dense", "channels": 48, "blocks": 2},
    {"game": "tictactoe", "shape": "dense", "channels": 16, "blocks": 0, "hidden": (16,)},
]
every_shape = pytest.mark.parametrize("options", SHAPES, ids=lambda options: " ".join(map(str, options.values())))
SHARE = 0.3


class Bench:
    """One batch of examples, a network with unusual norms, and the arrays of a step."""

    def __init__(self, options: dict, boards: int, seed: int = 0):
        self.network = Network(NetworkSettings(**{"dropout": SHARE, **options}), seed=3)
        generator = torch.Generator().manual_seed(seed)
        with torch.no_grad():
            for module in self.network.modules():
                if isinstance(module, nn.BatchNorm1d | nn.BatchNorm2d):
                    module.weight.uniform_(0.5, 1.5, generator=generator)
                    module.bias.uniform_(-0.3, 0.3, generator=generator)
        self.board, self.boards = game(options["game"]), boards
        settings = FitSettings(batch=max(boards, 2))
        self.examples = _gathered(self.board, settings, [made_up_examples(self.board, boards, seed)])
        _shuffled(settings, self.examples, np.array([stream(seed, "order")]))
        self.layout = layout = layout_of(self.network.settings)
        self.seen = self.examples._replace(cells=layout.seen(self.examples.cells))
        self.weights, self.running = layout.pack(self.network)
        self.batch = Batch(aligned(layout.size * boards), aligned(layout.size * boards), aligned(layout.statistics))
        turned, gradients, means, squares = (aligned(layout.weights) for _ in range(4))
        self.fit = Fit(self.weights, turned, gradients, means, squares, np.ones(2), aligned(layout.size * boards),
                       aligned(layout.masks * boards), aligned(layout.statistics), self.running)  # fmt: skip
        self.losses, self.chances = np.zeros(2), np.zeros(self.board.actions)
        self.dropped = round(SHARE * fitting.SHARES)
        self.kept = np.float32(1 / (1 - self.dropped / fitting.SHARES))

    def gradients(self) -> dict[str, np.ndarray]:
        """The step up to its gradients, by the names of the parameters."""
        plan, batch, fit = self.layout.plan, self.batch, self.fit
        e = self.seen
        show(plan, e.planes, e.cells, e.order, 0, self.boards, batch.outputs)
        draw_masks(fit.masks, stream(0, "masks"), np.uint64(self.dropped), self.kept)
        turn_weights(plan, fit)
        forward(plan, self.boards, batch, fit, True)
        judge(plan, self.boards, batch, fit.deltas, e, 0, self.losses, self.chances)
        backward(plan, self.boards, batch, fit, self.kept)
        return {name: fit.gradients[places] for name, places in self.layout.places.items()}

    def masks(self) -> list[torch.Tensor]:
        """The masks of each dropout as torch would multiply them: (boards, channels)."""
        found = []
        for layer in self.layout.plan.layers[self.layout.plan.layers["mask_at"] >= 0]:
            size, at = int(layer["panels"]) * WIDTH, int(layer["mask_at"]) * self.boards
            mask = self.fit.masks[at : at + size * self.boards].reshape(-1, self.boards, WIDTH)
            found.append(torch.from_numpy(mask.transpose(1, 0, 2).reshape(self.boards, size).copy()))
        return found

    def torch_s(self) -> tuple[Network, list[float]]:
        """The same step by torch's autograd in double precision, with the same masks; the losses."""

        class Masked(nn.Module):
            def __init__(self, mask: torch.Tensor):
                super().__init__()
                self.mask = mask.double()

            def forward(self, x: torch.Tensor) -> torch.Tensor:
                return x * self.mask[:, : x.shape[1]]

        masks = iter(self.masks())
        for number, module in enumerate(self.network.hidden):
            if isinstance(module, nn.Dropout):
                self.network.hidden[number] = Masked(next(masks))
        network = self.network.double().train()
        x, pi, z = (part.double() for part in _turned(self.examples))
        logs, values = network(x.reshape(-1, 1, self.board.rows, self.board.cols))
        losses = -(pi * logs).sum(1).mean(), F.mse_loss(values, z)
        sum(losses).backward()
        return network, [float(loss.detach()) for loss in losses]


@every_shape
@pytest.mark.parametrize("boards", [64, 37, 6])
def test_gradients_are_torch_s_in_double_precision(options, boards):
    # A sum within rounding of 0 may be on the other side of ReLU's corner there: of three draws one must do.
    apart = []
    for seed in range(3):
        bench = Bench(options, boards, seed)
        ours = bench.gradients()
        network, losses = bench.torch_s()
        assert bench.losses == pytest.approx(losses, rel=1e-5)
        theirs = {name: parameter.grad.numpy() for name, parameter in network.named_parameters()}
        assert ours.keys() == theirs.keys()
        apart.append(max(np.abs(ours[n] - g).max() / max(np.abs(g).max(), 2e-3) for n, g in theirs.items()))
        for name, norm in dict(network.named_modules()).items():
            if isinstance(norm, nn.BatchNorm1d | nn.BatchNorm2d):
                assert bench.running[bench.layout.means[name]] == pytest.approx(norm.running_mean.numpy(), abs=2e-6)
                assert bench.running[bench.layout.variances[name]] == pytest.approx(norm.running_var.numpy(), rel=2e-5)
        if apart[-1] <= 5e-6:
            return
    raise AssertionError(f"relative to the largest gradient of its tensor the worst is off by {min(apart):.1e}")


@every_shape
def test_what_fills_channels_up_to_whole_blocks_stays_zero(options):
    bench = Bench(options, 16)
    e, used = bench.seen, np.zeros(bench.layout.weights, bool)
    for places in bench.layout.places.values():
        used[places] = True
    for step in range(3):
        train_batch(bench.layout.plan, 16, bench.batch, bench.fit, e, 0, 0.01, stream(step, "m"),
                    np.uint64(bench.dropped), bench.kept, bench.losses, bench.chances)  # fmt: skip
    assert not bench.weights[~used].any() and not bench.fit.squares[~used].any()
    assert np.count_nonzero(bench.weights[used]) > 0.9 * used.sum()


def test_every_number_of_a_tensor_has_a_place_of_its_own():
    for options in SHAPES:
        layout = layout_of(NetworkSettings(**options))
        places = np.concatenate([p.ravel() for p in layout.places.values()])
        assert len(np.unique(places)) == len(places) and places.max() < layout.weights
        network = Network(NetworkSettings(**options), seed=1)
        weights, running = layout.pack(network)
        again = Network(NetworkSettings(**options), seed=2)
        layout.unpack(again, weights, running, 0)
        assert all(torch.equal(a, b) for a, b in zip(network.parameters(), again.parameters(), strict=True))


def test_blocks_and_tables_stay_within_their_arrays():
    for options in SHAPES:
        layout = layout_of(NetworkSettings(**options))
        plan = layout.plan
        assert plan.layers.dtype == LAYER
        for layer in plan.layers:
            outputs = int(layer["cells"] * layer["panels"])
            ends = ((layer["forward"], outputs, int(layer["inputs"]), int(layer["blocks"])),
                    (layer["backward"], int(layer["inputs"]), outputs, int(layer["blocks"])),
                    (layer["gradient"], int(layer["blocks"]), int(layer["inputs"]), outputs))  # fmt: skip
            for at, count, first, second in ends:
                bounds = plan.tables[at : at + count + 1]
                assert (np.diff(bounds) >= 0).all() and bounds[-1] <= len(plan.tables)
                pairs = plan.tables[bounds[0] : bounds[-1]].reshape(-1, 2)
                assert pairs.min() >= 0 and pairs[:, 0].max() < first and pairs[:, 1].max() < second
            assert layer["w_at"] + layer["blocks"] * WIDTH * WIDTH <= layer["norm_at"] < layout.weights
            assert layer["y_at"] + outputs * WIDTH <= layout.size and layer["y_at"] % LANES == 0


# --- Adam ---------------------------------------------------------------------------------------------------------


def test_steps_are_adam_s():
    """Three steps of a whole fit beside Adam's formulas in double precision, fed with the same gradients."""
    bench = Bench({"game": "connect4", "channels": 8, "hidden": (16,)}, 32)
    weights = bench.weights.astype(float)
    m, v = np.zeros_like(weights), np.zeros_like(weights)
    for t in range(1, 4):
        before = bench.weights.copy()
        train_batch(bench.layout.plan, 32, bench.batch, bench.fit, bench.seen, 0, 0.005, stream(t, "m"),
                    np.uint64(bench.dropped), bench.kept, bench.losses, bench.chances)  # fmt: skip
        g = bench.fit.gradients.astype(float)
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        step = 0.005 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
        sure = np.abs(g) > 1e-7 * np.abs(g).max()
        assert np.abs(bench.weights - before + step)[sure].max() < 2e-6
        assert np.abs(step).max() > 1e-3
    assert bench.fit.powers == pytest.approx([0.9**3, 0.999**3])


def test_a_carried_memory_goes_on_where_it_was():
    def fitted(passes: list[int]) -> tuple[Network, dict]:
        network, memory = Network(NetworkSettings(game="connect4", channels=8, hidden=(16,), dropout=0.0)), {}
        for number, epochs in enumerate(passes):
            settings = FitSettings(epochs=epochs, batch=50, symmetries="none", optimiser="carried")
            memory = fit(network, settings, [made_up_examples(game("connect4"), 50)], (number,), memory).optimiser
        return network, memory

    (one, memory), (two, memories) = fitted([2]), fitted([1, 1])
    assert memory.keys() == {"means", "squares", "powers"} and memory["powers"][0] == memories["powers"][0]
    # One batch holds all examples, so their order moves no more than rounding does.
    assert all(torch.allclose(a, b, atol=1e-4) for a, b in zip(one.parameters(), two.parameters(), strict=True))
    fresh, _ = fitted([1])
    assert not torch.allclose(next(one.parameters()), next(fresh.parameters()), atol=1e-4)


# --- dropout ------------------------------------------------------------------------------------------------------


def test_dropout_keeps_its_share_and_no_two_masks_go_together():
    size, kept = 200_000, np.float32(1 / (1 - SHARE))
    masks = []
    for number in range(4):
        mask = np.empty(size, np.float32)
        draw_masks(mask, stream(number, "dropout"), np.uint64(round(SHARE * fitting.SHARES)), kept)
        assert set(np.unique(mask)) == {np.float32(0), kept}
        assert abs((mask > 0).mean() - (1 - SHARE)) < 4 * np.sqrt(SHARE * (1 - SHARE) / size)
        masks.append(mask > 0)
    for a in range(4):
        for b in range(a):
            assert abs(np.corrcoef(masks[a], masks[b])[0, 1]) < 4 / np.sqrt(size)
        assert abs(np.corrcoef(masks[a][1:], masks[a][:-1])[0, 1]) < 4 / np.sqrt(size)


def test_a_fit_draws_new_masks_at_every_step(monkeypatch):
    seen = []
    original = fitting.train_pass

    def watched(plan, boards, batch, fitted, *more):
        step = original(plan, boards, batch, fitted, *more)
        seen.append(fitted.masks.copy())
        return step

    monkeypatch.setattr(fitting, "train_pass", watched)
    network = Network(NetworkSettings(game="connect4", channels=8, hidden=(64,)))
    fit(network, FitSettings(epochs=3, batch=32), [made_up_examples(game("connect4"), 32)], ("a",), {})
    assert len({mask.tobytes() for mask in seen}) == 3


# --- numbers ------------------------------------------------------------------------------------------------------


@kernel
def _many(x, exps, logs):
    for i in range(len(x)):
        exps[i], logs[i] = exp_(x[i]), log_(abs(x[i]))


@kernel
def _gammas(streams, shape, found):
    for i in range(len(found)):
        found[i] = gamma(streams, 0, shape)


def test_exponentials_and_logarithms_are_right_to_two_units_in_the_last_place():
    random = np.random.default_rng(0)
    x = np.concatenate([random.uniform(-690, 690, 50_000), random.uniform(-2, 2, 50_000), np.ldexp(1.0, range(-9, 9))])
    exps, logs = np.empty_like(x), np.empty_like(x)
    _many(x, exps, logs)
    for found, wanted in ((exps, np.exp(x)), (logs, np.log(np.abs(x)))):
        assert (np.abs(found - wanted) <= 2 * np.spacing(np.abs(wanted))).all()


@pytest.mark.parametrize("shape", [0.1, 1.0, 3.0])
def test_gamma_numbers_have_their_mean_and_variance(shape):
    found = np.empty(100_000)
    _gammas(np.array([stream(1, "gamma", shape)]), shape, found)
    assert found.min() >= 0
    assert found.mean() == pytest.approx(shape, abs=4 * np.sqrt(shape / len(found)))
    assert found.var() == pytest.approx(shape, rel=0.06)


# --- what could change the bits ------------------------------------------------------------------------------------


def test_a_fit_begins_with_small_numbers_kept():
    torch.set_flush_denormal(True)
    try:
        fitting.refuse_flushed_numbers()
        assert fitting._product(np.float32(2e-38), np.float32(0.25)) > 0, "it was set right"
        torch.set_flush_denormal(True)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(torch, "set_flush_denormal", lambda on: False)
            with pytest.raises(RuntimeError, match="flushes numbers below"):
                CompiledNetwork(Network(NetworkSettings(game="connect4", channels=4)))
    finally:
        torch.set_flush_denormal(False)


def test_a_processor_without_fused_multiply_add_is_told_of(monkeypatch):
    class Target:
        def __init__(self, features: str):
            self.features = features

        def codegen(self):
            return self

        def magic_tuple(self):
            return "x86_64", "host", self.features

    for features, told in (("+avx2,+fma,-avx512f", 0), ("+avx,-fma,-avx512f", 1)):
        monkeypatch.setattr(fitting.cpu_target.__class__, "target_context", Target(features), raising=False)
        fitting._warn_without_fma.cache_clear()
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            fitting._warn_without_fma()
        assert sum("a hundred times slower" in str(w.message) for w in warned) == told
    fitting._warn_without_fma.cache_clear()
