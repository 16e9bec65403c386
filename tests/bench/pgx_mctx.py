"""The other side of the benchmark of guided self-play: pgx's Connect Four (6×7), searched by mctx, both in JAX.

Runs in the environment `.venv-bench-jax`. Its argument is an npz file with the weights of our network, batch norm
folded, and with positions and their evaluations, which are checked first: both sides compute the same function. Then it
answers requests, a line of JSON each: `{"moves", "seed"}` in, `{"work", "games", "cpu", "wall"}` out. Between requests
it sleeps.

A game that has ended starts anew at once, so the batch is always full and every one of its simulations counts.
"""

import json
import sys

import jax
import jax.numpy as jnp
import mctx
import numpy as np
import pgx
from pgx.experimental import auto_reset
from timing import repeat

BATCH = 50
SIMULATIONS = 100
PRECISION = 1e-4  # how far the two networks' outputs may be apart

env = pgx.make("connect_four")
start, step = jax.vmap(env.init), jax.vmap(env.step)
step_on = jax.vmap(auto_reset(env.step, env.init))


def network(weights, x):
    """Logits and values for planes (n, rows, cols): +1 the mover's stones, -1 the opponent's."""
    x = x[..., None]
    for number, padding in enumerate(("SAME", "SAME", "VALID", "VALID")):
        kernel, bias = weights[f"convolution{number}"], weights[f"convolution{number}_bias"]
        x = jax.lax.conv_general_dilated(x, kernel, (1, 1), padding, dimension_numbers=("NHWC", "HWIO", "NHWC"))
        x = jax.nn.relu(x + bias)
    x = x.reshape(len(x), -1)
    for number in range(2):
        x = jax.nn.relu(x @ weights[f"hidden{number}"] + weights[f"hidden{number}_bias"])
    value = jnp.tanh(x @ weights["value"] + weights["value_bias"])
    return x @ weights["policy"] + weights["policy_bias"], value[:, 0]


def evaluate(weights, state):
    seen = state.observation.astype(jnp.float32)
    logits, value = network(weights, seen[..., 0] - seen[..., 1])
    return jnp.where(state.legal_action_mask, logits, jnp.finfo(jnp.float32).min), value


def simulate(weights, key, action, state):
    """One step of the tree, as mctx asks for it: the opponent moves next, so values change their sign."""
    mover = state.current_player
    state = step(state, action)
    logits, value = evaluate(weights, state)
    over = state.terminated
    found = mctx.RecurrentFnOutput(
        reward=state.rewards[jnp.arange(len(mover)), mover],
        discount=jnp.where(over, 0.0, -1.0),
        prior_logits=logits,
        value=jnp.where(over, 0.0, value),
    )
    return found, state


@jax.jit
def move(weights, state, key):
    """Search all games of the batch and play a move in each, drawn from the visits."""
    key_search, key_step = jax.random.split(key)
    logits, value = evaluate(weights, state)
    root = mctx.RootFnOutput(prior_logits=logits, value=value, embedding=state)
    found = mctx.muzero_policy(
        weights, key_search, root, simulate, SIMULATIONS,
        invalid_actions=~state.legal_action_mask, dirichlet_fraction=0.0, temperature=1.0,
    )  # fmt: skip
    return step_on(state, found.action, jax.random.split(key_step, BATCH))


def play(weights, moves, seed):
    """This many moves of the batch from the start; how many games have ended."""
    key, begin = jax.random.split(jax.random.PRNGKey(seed))
    state, ended = start(jax.random.split(begin, BATCH)), 0
    for turn in range(moves):
        state = move(weights, state, jax.random.fold_in(key, turn))
        ended += int(state.terminated.sum())
    return ended


def check(weights, stored):
    """Refuse to measure a network that is not ours."""
    logits, values = network(weights, jnp.asarray(stored["planes"]))
    apart = max(
        np.abs(np.asarray(jax.nn.softmax(logits)) - stored["priors"]).max(),
        np.abs(np.asarray(values) - stored["values"]).max(),
    )
    if not apart < PRECISION:
        raise SystemExit(f"the two networks' outputs differ by {apart:.2g}")
    return float(apart)


if __name__ == "__main__":
    stored = dict(np.load(sys.argv[1]))
    weights = {name: jnp.asarray(stored[name]) for name in stored if name not in ("planes", "priors", "values")}
    apart = check(weights, stored)
    play(weights, 2, 0)  # compiles
    print(json.dumps({"apart": apart}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        games, time = repeat(lambda _, asked=request: play(weights, **asked), 0.001)
        print(json.dumps({"work": SIMULATIONS * BATCH * request["moves"], "games": sum(games), **time}), flush=True)
