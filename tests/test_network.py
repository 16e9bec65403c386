"""The network: shapes, seeds, folding, and files of which only whole ones are read."""

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
import safetensors.torch
import torch
from learners import some_planes, trained
from torch import nn

from wslib.games import game
from wslib.network.model import Network, NetworkSettings, pick_device
from wslib.network.runtime import CompiledNetwork, TorchNetwork
from wslib.parameters import ParameterError, canonical_json
from wslib.prompt import network_file
from wslib.prompt.network_file import from_bytes, to_bytes

SHAPES = {
    "author": {"shape": "author", "channels": 8, "hidden": (16, 8)},
    "author, no hidden": {"shape": "author", "channels": 8, "hidden": ()},
    "residual": {"shape": "residual", "channels": 8, "hidden": (16,), "blocks": 2},
    "residual, no blocks": {"shape": "residual", "channels": 8, "hidden": (16,), "blocks": 0},
    "dense": {"shape": "dense", "channels": 24, "hidden": (), "blocks": 2},
}
GAMES = ("othello", "connect4", "gobang", "connect4-6x7", "othello-8x8")
small = pytest.mark.parametrize("options", SHAPES.values(), ids=SHAPES)


def same(a: Network, b: Network) -> bool:
    one, other = a.state_dict(), b.state_dict()
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


# --- shapes -----------------------------------------------------------------------------------------------------------


@small
@pytest.mark.parametrize("name", GAMES)
def test_it_says_a_distribution_over_all_actions_and_a_value_between_minus_one_and_one(name, options):
    network = Network(NetworkSettings(game=name, **options))
    priors, values = network.evaluate(some_planes(name))
    assert priors.shape == (20, game(name).actions) and values.shape == (20,)
    assert priors.dtype == values.dtype == np.float32
    assert priors.min() > 0 and priors.sum(axis=1) == pytest.approx(np.ones(20), abs=1e-6)
    assert np.abs(values).max() <= 1 and len(set(values.tolist())) > 10


@pytest.mark.parametrize(("name", "actions"), [("connect4", 6), ("gobang", 36), ("othello", 37)])
def test_the_author_s_shape_has_four_convolutions_and_two_layers_with_batch_norm_then_two_heads(name, actions):
    c, cells_left = 32, 2 * 2
    network = Network(NetworkSettings(game=name, channels=c, hidden=(256, 128)))
    convolutions = 9 * c + 3 * 9 * c * c + 4 * 2 * c  # no bias: batch norm has one
    dense = c * cells_left * 256 + 256 * 128 + 2 * (256 + 128)
    heads = (128 * actions + actions) + (128 + 1)
    assert sum(p.numel() for p in network.parameters()) == convolutions + dense + heads
    kinds = {nn.Conv2d: 4, nn.BatchNorm2d: 4, nn.BatchNorm1d: 2}
    assert {kind: sum(isinstance(m, kind) for m in network.modules()) for kind in kinds} == kinds
    assert [m.padding for m in network.modules() if isinstance(m, nn.Conv2d)] == [(1, 1), (1, 1), (0, 0), (0, 0)]


# --- seeds ------------------------------------------------------------------------------------------------------------


@small
def test_the_seed_decides_the_weights(options):
    settings = NetworkSettings(game="connect4", **options)
    assert same(Network(settings, seed=5), Network(settings, seed=5))
    one, other = Network(settings, seed=5), Network(settings, seed=6)
    for module, twin in zip(one.modules(), other.modules(), strict=True):
        if isinstance(module, nn.Conv2d | nn.Linear):
            assert not torch.equal(module.weight, twin.weight)


def test_initial_weights_have_the_spread_of_torch_s():
    settings = NetworkSettings(game="connect4", channels=32)
    for module in Network(settings).requires_grad_(False).modules():
        if isinstance(module, nn.Conv2d | nn.Linear) and module.weight.numel() > 1000:
            bound = module.weight[0].numel() ** -0.5
            assert 0.98 * bound < float(module.weight.abs().max()) <= bound
            assert float(module.weight.std()) == pytest.approx(bound / 3**0.5, rel=0.1)


@small
def test_torch_s_global_generator_is_left_alone(options):
    before = torch.random.get_rng_state()
    network = trained(NetworkSettings(game="connect4", **options))
    from_bytes(to_bytes(network))
    network.evaluate(some_planes("connect4"))
    assert torch.equal(before, torch.random.get_rng_state())


def test_torch_s_global_generator_decides_nothing():
    settings = NetworkSettings(game="connect4", channels=8, hidden=(16,), dropout=0.5)
    found = []
    for seed in (1, 2):
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            np.random.seed(seed)
            found.append(to_bytes(trained(settings)))
    assert found[0] == found[1]


# --- in play ----------------------------------------------------------------------------------------------------------


def test_evaluating_leaves_the_network_as_it_was():
    network = trained(NetworkSettings(game="connect4", channels=8, hidden=(16,)))
    for training in (True, False):
        network.train(training)
        before = to_bytes(network)
        said = network.evaluate(some_planes("connect4"))
        CompiledNetwork(network), TorchNetwork(network, "cpu")
        assert to_bytes(network) == before and network.training is training
        assert all(np.array_equal(a, b) for a, b in zip(said, network.evaluate(some_planes("connect4")), strict=True))


def test_auto_is_the_gpu_where_there_is_one():
    assert pick_device("cpu") == torch.device("cpu")
    assert pick_device().type == ("cuda" if torch.cuda.is_available() else "cpu")
    with pytest.raises(ParameterError, match="it should be 'auto', 'cpu' or 'cuda'"):
        pick_device("gpu")


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU here (torch.cuda.is_available() is false)")
def test_on_a_gpu_it_says_the_same():
    network, planes = trained(NetworkSettings(game="othello", channels=32)), some_planes("othello")
    wanted = network.evaluate(planes)
    on_gpu = network.to(pick_device("auto"))
    for said, right in zip(on_gpu.evaluate(planes), wanted, strict=True):
        assert np.abs(said - right).max() < 1e-4
    assert to_bytes(from_bytes(to_bytes(on_gpu))) == to_bytes(on_gpu)


# --- files ------------------------------------------------------------------------------------------------------------


@small
@pytest.mark.parametrize("name", GAMES)
def test_a_network_that_is_read_back_is_the_same_to_the_last_byte(name, options):
    network = trained(NetworkSettings(game=name, **options))
    content = to_bytes(network)
    again = from_bytes(content, game(name))
    assert again.settings == network.settings and same(again, network)
    assert to_bytes(again) == content
    planes = some_planes(name)
    for said, wanted in zip(again.evaluate(planes), network.evaluate(planes), strict=True):
        assert np.abs(said - wanted).max() < 1e-5, "torch's last bits depend on how weights lie in memory"
    for said, wanted in zip(
        CompiledNetwork(again).evaluate(planes), CompiledNetwork(network).evaluate(planes), strict=True
    ):
        assert np.array_equal(said, wanted), "what plays does not"


def test_the_same_network_gives_the_same_file_every_time():
    network = Network(NetworkSettings(game="connect4", channels=4, hidden=(8,)))
    assert len({to_bytes(network) for _ in range(40)}) == 1


CONTENT = to_bytes(Network(NetworkSettings(game="connect4", channels=4, hidden=(8,))))
HEADER = 8 + int.from_bytes(CONTENT[:8], "little")
NOT_ONE = "this is not a safetensors file"
NOT_OURS = "this safetensors file does not hold a network of this project"
NOT_WHOLE = "this file does not hold a whole network of this project: it is damaged"


def headed(header: object, rest: bytes = CONTENT[HEADER:]) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + rest


def foreign(about: str | None) -> bytes:
    metadata = {"warm-start": about} if about is not None else None
    return safetensors.torch.save({"weight": torch.zeros(3)}, metadata)


BROKEN = {
    "empty": (b"", NOT_ONE),
    "one byte": (b"\x00", NOT_ONE),
    "text": (b"not a network at all, but a text of some length", NOT_ONE),
    "a pickle": (pickle.dumps({"trap": [1, 2, 3]}), NOT_ONE),
    "a huge header": ((1 << 60).to_bytes(8, "little") + CONTENT[8:], NOT_ONE),
    "a header longer than the file": ((len(CONTENT)).to_bytes(8, "little") + CONTENT[8:], NOT_ONE),
    "a header of no length": (bytes(8) + CONTENT[8:], NOT_ONE),
    "a header that is no object": (headed([1, 2, 3]), NOT_ONE),
    "a header that is deeply nested": (headed(b"[" * 200_000), NOT_ONE),
    "a header that is no JSON": (headed(b"{" + b"x" * 50), NOT_ONE),
    "a header in no encoding": (headed(b"\xff\xfe" * 50), NOT_ONE),
    "no metadata": (foreign(None), NOT_OURS),
    "metadata of others": (foreign("hello"), NOT_OURS),
    "metadata that is a number": (foreign("3"), NOT_OURS),
    "another version": (foreign('{"format": "network 99"}'), NOT_OURS),
    "metadata that is a list": (headed({"__metadata__": [1]}), NOT_OURS),
    "no settings": (foreign('{"format": "network 2"}'), NOT_WHOLE),
    "a byte too many": (CONTENT + b"\x00", NOT_WHOLE),
    "a byte too few": (CONTENT[:-1], NOT_WHOLE),
    "half": (CONTENT[: len(CONTENT) // 2], NOT_WHOLE),
    "only the header": (CONTENT[:HEADER], NOT_WHOLE),
    "half of the header": (CONTENT[: HEADER // 2], NOT_ONE),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_what_is_no_whole_network_is_refused_in_one_sentence(kind):
    content, sentence = BROKEN[kind]
    with pytest.raises(ParameterError) as error:
        from_bytes(content)
    assert str(error.value) == sentence


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_weights_that_are_not_finite_numbers_are_neither_saved_nor_loaded(value, monkeypatch):
    network = Network(NetworkSettings(game="connect4", channels=4, hidden=(8,)))
    network.policy.bias.data[3] = value
    for half in (False, True):
        with pytest.raises(ParameterError, match=r"policy\.bias are not all finite numbers"):
            to_bytes(network, half=half)
    with monkeypatch.context() as patched:  # as a file from elsewhere may be
        patched.setattr(network_file, "_refuse_what_is_no_number", lambda weights: None)
        content = to_bytes(network)
    with pytest.raises(ParameterError, match=r"policy\.bias are not all finite numbers"):
        from_bytes(content)


def test_nothing_in_a_file_is_executed(tmp_path: Path):
    sprung = tmp_path / "sprung"
    trap = b"cposix\nmkdir\n(S'%s'\ntR." % str(sprung).encode()
    for content in (trap, headed({"__metadata__": {}}, trap)):
        with pytest.raises(ParameterError):
            from_bytes(content)
    assert not sprung.exists()
    pickle.loads(trap)
    assert sprung.exists(), "the trap works"


def test_no_flipped_bit_goes_unnoticed():
    wanted = from_bytes(CONTENT)
    random = np.random.default_rng(0)
    places = [*range(HEADER), *random.integers(HEADER, len(CONTENT), 200).tolist()]
    for place in places:
        damaged = bytearray(CONTENT)
        damaged[place] ^= 1 << int(random.integers(8))
        try:
            found = from_bytes(bytes(damaged))
        except ParameterError as error:
            assert str(error) in (NOT_ONE, NOT_OURS, NOT_WHOLE)
        else:
            # JSON has more than one way to write the same: then it must be the same network.
            assert same(found, wanted) and found.settings == wanted.settings, f"byte {place} of {CONTENT[:HEADER]}"


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ("othello", "this network plays Connect Four 6×6, not Othello 6×6"),
        ("connect4-6x7", "this network plays Connect Four 6×6, not Connect Four 6×7"),
        ("gobang", "this network plays Connect Four 6×6, not Gobang 6×6, 4 in a row"),
    ],
)
def test_the_network_of_another_game_or_size_is_refused(asked, sentence):
    with pytest.raises(ParameterError) as error:
        from_bytes(CONTENT, game(asked))
    assert str(error.value) == sentence


def test_a_small_file_with_the_settings_of_a_giant_is_refused_and_no_giant_made(monkeypatch: pytest.MonkeyPatch):
    small = Network(NetworkSettings(game="connect4", channels=1, hidden=(1,)))
    giant = NetworkSettings(game="connect4", channels=1024, hidden=(65536,) * 4).canonical()
    weights = small.state_dict()
    about = {"format": network_file.FORMAT, "settings": giant, "checksum": network_file._checksum(giant, weights)}
    content = safetensors.torch.save(weights, {network_file.ABOUT: canonical_json(about)})
    assert from_bytes(to_bytes(small)).settings == small.settings
    monkeypatch.setattr(Network, "__init__", lambda *_: pytest.fail("the giant was made"))
    with pytest.raises(ParameterError, match="it is damaged"):
        from_bytes(content)
