"""The network's arithmetic: evaluation of positions, and the training step from the planes to the new weights.

A batch goes forward through the layers of a :class:`~wslib.network.layout.Plan`: products of blocks, batch norm by the
batch's statistics, ReLU, dropout; then come softmax, tanh and the losses, the way back, and Adam. For play, batch norm
takes the running statistics and nothing else differs.

Sign convention: values and outcomes ``z`` are seen by the player to move.
"""

from typing import NamedTuple

import numpy as np

from wslib._compiled import GAMMA, S32, inlined, kernel, scramble
from wslib._numbers import exp_, log_
from wslib.network.lanes import (
    LANES,
    ROWS,
    VECTORS,
    WIDTH,
    fma,
    load,
    root,
    splat,
    store,
    tile,
    transpose,
    where_positive,
)

F = np.float32
ZERO_F, ONE_F = F(0), F(1)
EPSILON, MOMENTUM = F(1e-5), F(0.1)
"""Batch norm: what is added to a variance, and the weight of a batch in the running statistics."""
BETA_1, BETA_2, ADAM_EPSILON = F(0.9), F(0.999), F(1e-8)
"""Adam's constants, as Kingma and Ba give them."""


class Batch(NamedTuple):
    """What passes through the layers, at each layer's place."""

    products: np.ndarray
    """(size × boards,) float32: sums of products, before batch norm; ``size`` is the layout's."""
    outputs: np.ndarray
    """(size × boards,) float32: what a layer gives to the next."""
    affine: np.ndarray
    """(statistics,) float32: scale and shift by which each channel's products become its outputs."""


class Fit(NamedTuple):
    """What training needs beyond that."""

    weights: np.ndarray
    """(weights,) float32, as are the next four: all weights, where the layout has them."""
    turned: np.ndarray
    """Every block of the weights transposed, for the way back."""
    gradients: np.ndarray
    """Gradients of the loss by the weights."""
    means: np.ndarray
    """Adam's first moments."""
    squares: np.ndarray
    """Adam's second moments."""
    powers: np.ndarray
    """(2,) float64: powers of Adam's two betas."""
    deltas: np.ndarray
    """(size × boards,) float32: gradients by the outputs, then by the products, at each layer's place."""
    masks: np.ndarray
    """(masks × boards,) float32: dropout's factors, 0 or 1/(1 - share)."""
    statistics: np.ndarray
    """(statistics,) float32: each channel's mean in this batch, and one over its standard deviation."""
    running: np.ndarray
    """(statistics,) float32: running means and variances."""


class Examples(NamedTuple):
    """Positions with their targets, and how to turn them."""

    planes: np.ndarray
    """(n, cells) float32: +1 on own, -1 on the opponent's cells."""
    policy: np.ndarray
    """(n, actions) float32: what the policy is to learn."""
    z: np.ndarray
    """(n,) float32: the game's result for the player to move."""
    cells: np.ndarray
    """(symmetries, numbers of the input): the cell that each shows on a board turned so, or -1."""
    actions: np.ndarray
    """(symmetries, actions): where what becomes an action's number comes from."""
    order: np.ndarray
    """(shown, 2): which example comes when, and by which symmetry it is turned."""


@kernel
def multiply(a, a_at, a_block, turned, rows, b, b_at, b_block, depth, tables, table, outputs, c, c_at, c_block, adds):
    """``c[o] = sum over the pairs (i, j) of o of a[i] b[j]``, for blocks; see :func:`wslib.network.lanes.tile`."""
    row_step, tiles = 1 if turned else WIDTH, (rows + ROWS - 1) // ROWS
    for o in range(outputs):
        first, last, c_here = tables[table + o], tables[table + o + 1], c_at + o * c_block
        for v in range(0, WIDTH, VECTORS * LANES):
            for t in range(tiles):  # of equal height: a low one would not fill the processor
                r = rows * t // tiles
                count = rows * (t + 1) // tiles - r
                tile(count, a, a_at + r * row_step, a_block, turned, b, b_at + v, b_block, depth, tables, first, last,
                     c, c_here + r * WIDTH + v, adds)  # fmt: skip


@kernel
def show(plan, planes, cells, order, start, boards, outputs):
    """The input: what each board of a batch, turned, has in the cells that the first layer looks at."""
    blocks, depth = plan.layers[0].inputs, plan.layers[0].depth
    for b in range(boards):
        plane, shown = planes[order[start + b, 0]], cells[order[start + b, 1]]
        for block in range(blocks):
            at = (block * boards + b) * WIDTH
            for k in range(depth):
                cell = shown[block * depth + k]
                here = plane[max(cell, 0)]  # read in any case, so that nothing branches
                outputs[at + k] = here if cell >= 0 else ZERO_F


@inlined
def sum_products(plan, n, boards, weights, batch):
    """``y[j] = sum of x[i] W[w]``."""
    layer, block = plan.layers[n], boards * WIDTH
    multiply(batch.outputs, layer.x_at * boards, block, False, boards, weights, layer.w_at, WIDTH * WIDTH, layer.depth,
             plan.tables, layer.forward, layer.cells * layer.panels, batch.products, layer.y_at * boards, block,
             False)  # fmt: skip


@kernel
def activate(plan, n, boards, batch, masks, drops):
    """``a = max(0, scale y + shift + added) mask``; without batch norm plainly ``y + bias``.

    Without ``drops`` the masks are not looked at.
    """
    layer = plan.layers[n]
    panels, cells, block, y_at, normed = layer.panels, layer.cells, boards * WIDTH, layer.y_at * boards, layer.normed
    adds, added_at, mask_at = layer.added_at >= 0, layer.added_at * boards, layer.mask_at * boards
    for channel in range(0, panels * WIDTH, LANES):
        scale = load(batch.affine, layer.stats_at + channel)
        shift = load(batch.affine, layer.stats_at + panels * WIDTH + channel)
        for cell in range(cells):
            begin = (cell * panels + channel // WIDTH) * block + channel % WIDTH
            for at in range(begin, begin + block, WIDTH):
                a = fma(load(batch.products, y_at + at), scale, shift)
                if adds:
                    a = a + load(batch.outputs, added_at + at)
                if normed:
                    a = where_positive(a, a)
                if drops:
                    a = a * load(masks, mask_at + at)
                store(batch.outputs, y_at + at, a)


@inlined
def channel_sum(values, begin, cells, step, block):
    """Sum of sixteen channels over cells and boards, in four chains."""
    s0 = s1 = s2 = s3 = splat(ZERO_F)
    whole = block - block % (4 * WIDTH)
    for cell in range(cells):
        at = begin + cell * step
        for b in range(at, at + whole, 4 * WIDTH):
            s0 = s0 + load(values, b)
            s1 = s1 + load(values, b + WIDTH)
            s2 = s2 + load(values, b + 2 * WIDTH)
            s3 = s3 + load(values, b + 3 * WIDTH)
        for b in range(at + whole, at + block, WIDTH):
            s0 = s0 + load(values, b)
    return (s0 + s1) + (s2 + s3)


@inlined
def channel_squares(values, mean, begin, cells, step, block):
    """Sum of squared differences of sixteen channels from their means over cells and boards, in four chains."""
    s0 = s1 = s2 = s3 = splat(ZERO_F)
    whole = block - block % (4 * WIDTH)
    for cell in range(cells):
        at = begin + cell * step
        for b in range(at, at + whole, 4 * WIDTH):
            d0, d1 = load(values, b) - mean, load(values, b + WIDTH) - mean
            d2, d3 = load(values, b + 2 * WIDTH) - mean, load(values, b + 3 * WIDTH) - mean
            s0, s1, s2, s3 = fma(d0, d0, s0), fma(d1, d1, s1), fma(d2, d2, s2), fma(d3, d3, s3)
        for b in range(at + whole, at + block, WIDTH):
            d0 = load(values, b) - mean
            s0 = fma(d0, d0, s0)
    return (s0 + s1) + (s2 + s3)


@kernel
def normalise(plan, n, boards, batch, fit):
    """Batch norm's scale and shift by the statistics of this batch, which the running statistics follow."""
    layer = plan.layers[n]
    channels, block, count = layer.panels * WIDTH, boards * WIDTH, layer.cells * boards
    share, momentum = splat(ONE_F / F(count)), splat(MOMENTUM)
    for channel in range(0, channels, LANES):
        begin = layer.y_at * boards + channel // WIDTH * block + channel % WIDTH
        at, shift_at = layer.stats_at + channel, layer.stats_at + channels + channel
        mean = channel_sum(batch.products, begin, layer.cells, layer.panels * block, block) * share
        squares = channel_squares(batch.products, mean, begin, layer.cells, layer.panels * block, block)
        inverse = splat(ONE_F) / root(squares * share + splat(EPSILON))
        store(fit.statistics, at, mean)
        store(fit.statistics, shift_at, inverse)
        old_mean, old_variance = load(fit.running, at), load(fit.running, shift_at)
        variance = squares * splat(ONE_F / F(count - 1))
        store(fit.running, at, fma(momentum, mean - old_mean, old_mean))
        store(fit.running, shift_at, fma(momentum, variance - old_variance, old_variance))
        scale = load(fit.weights, layer.norm_at + channel) * inverse
        store(batch.affine, at, scale)
        store(batch.affine, shift_at, load(fit.weights, layer.norm_at + channels + channel) - mean * scale)


@kernel
def forward(plan, boards, batch, fit, drops):
    """A batch through all layers, in training."""
    for n in range(len(plan.layers)):
        layer = plan.layers[n]
        sum_products(plan, n, boards, fit.weights, batch)
        if layer.normed:
            normalise(plan, n, boards, batch, fit)
        else:
            channels = layer.panels * WIDTH
            for channel in range(channels):
                batch.affine[layer.stats_at + channel] = ONE_F
                batch.affine[layer.stats_at + channels + channel] = fit.weights[layer.norm_at + channels + channel]
        activate(plan, n, boards, batch, fit.masks, drops and layer.mask_at >= 0)


@inlined
def place(at, boards, channel):
    """Where a channel of a board lies whose first one is at ``at``."""
    return at + channel // WIDTH * boards * WIDTH + channel % WIDTH


@inlined
def softmax(outputs, at, boards, actions, chances):
    """Write e^(output - largest) of a board's actions to ``chances``; returns their sum and the largest output."""
    largest = outputs[at]
    for a in range(actions):
        output = outputs[place(at, boards, a)]
        largest = output if output > largest else largest
        chances[a] = output
    for a in range(actions):  # side by side in memory, so that several are computed at once
        chances[a] = exp_(chances[a] - np.float64(largest))
    total = 0.0
    for a in range(actions):
        total += chances[a]
    return total, np.float64(largest)


@inlined
def tanh(x):
    """By e^(-2|x|)."""
    t = exp_(-2.0 * abs(x))
    return np.copysign((1.0 - t) / (1.0 + t), x)


@kernel
def judge(plan, boards, batch, deltas, examples, start, losses, chances):
    """Cross-entropy of the policy plus squared error of the value: add up both losses, write the outputs' gradient."""
    layer = plan.layers[len(plan.layers) - 1]
    actions = examples.policy.shape[1]
    policy_loss = value_loss = 0.0
    for b in range(boards):
        at = layer.y_at * boards + b * WIDTH
        example, turn = examples.order[start + b]
        total, largest = softmax(batch.outputs, at, boards, actions, chances)
        log_total, mass = log_(total) + largest, 0.0
        for a in range(actions):
            mass += np.float64(examples.policy[example, examples.actions[turn, a]])
        for a in range(actions):
            here, target = place(at, boards, a), np.float64(examples.policy[example, examples.actions[turn, a]])
            policy_loss -= target * (np.float64(batch.outputs[here]) - log_total)
            deltas[here] = F((chances[a] / total * mass - target) / boards)
        here = place(at, boards, actions)  # behind the policy comes the value
        value = tanh(np.float64(batch.outputs[here]))
        miss = value - np.float64(examples.z[example])
        value_loss += miss * miss
        deltas[here] = F(2.0 * miss / boards * (1.0 - value * value))
    losses[0] += policy_loss / boards
    losses[1] += value_loss / boards


@kernel
def normalise_back(plan, n, boards, batch, fit, factor):
    """From the gradient by a layer's outputs to that by its products, in place, with gamma's and beta's.

    ``factor`` is what dropout has multiplied the outputs by that it kept.
    """
    layer = plan.layers[n]
    panels, cells, block, y_at = layer.panels, layer.cells, boards * WIDTH, layer.y_at * boards
    adds, added_at, channels = layer.added_at >= 0, layer.added_at * boards, panels * WIDTH
    kept, share, zero = splat(factor), splat(ONE_F / F(cells * boards)), splat(ZERO_F)
    for channel in range(0, channels, LANES):
        mean = load(fit.statistics, layer.stats_at + channel)
        inverse = load(fit.statistics, layer.stats_at + channels + channel)
        s0 = s1 = t0 = t1 = zero
        for cell in range(cells):
            begin = y_at + (cell * panels + channel // WIDTH) * block + channel % WIDTH
            for at in range(begin, begin + block - block % (2 * WIDTH), 2 * WIDTH):
                d0 = where_positive(load(batch.outputs, at), load(fit.deltas, at))
                d1 = where_positive(load(batch.outputs, at + WIDTH), load(fit.deltas, at + WIDTH))
                s0, s1 = s0 + d0, s1 + d1
                t0 = fma(d0, load(batch.products, at) - mean, t0)
                t1 = fma(d1, load(batch.products, at + WIDTH) - mean, t1)
            if boards % 2:
                at = begin + block - WIDTH
                d0 = where_positive(load(batch.outputs, at), load(fit.deltas, at))
                s0, t0 = s0 + d0, fma(d0, load(batch.products, at) - mean, t0)
        beta, gamma = (s0 + s1) * kept, (t0 + t1) * kept * inverse
        store(fit.gradients, layer.norm_at + channel, gamma)
        store(fit.gradients, layer.norm_at + channels + channel, beta)
        # dy = scale (d - mean of d - x̂ mean of d x̂), where x̂ = (y - mean) inverse: a line in d and y.
        scale = load(fit.weights, layer.norm_at + channel) * inverse
        slope = zero - scale * inverse * gamma * share
        rest = zero - scale * beta * share - mean * slope
        by_delta = scale * kept
        for cell in range(cells):
            begin = (cell * panels + channel // WIDTH) * block + channel % WIDTH
            for at in range(begin, begin + block, WIDTH):
                d = where_positive(load(batch.outputs, y_at + at), load(fit.deltas, y_at + at))
                if adds:
                    store(fit.deltas, added_at + at, d)
                store(fit.deltas, y_at + at, fma(d, by_delta, fma(load(batch.products, y_at + at), slope, rest)))


@kernel
def backward(plan, boards, batch, fit, factor):
    """The gradients of all weights, from that of the outputs."""
    block, square = boards * WIDTH, WIDTH * WIDTH
    for n in range(len(plan.layers) - 1, -1, -1):
        layer = plan.layers[n]
        x_at, y_at = layer.x_at * boards, layer.y_at * boards
        if layer.normed:
            normalise_back(plan, n, boards, batch, fit, factor if layer.mask_at >= 0 else ONE_F)
        else:
            for channel in range(0, layer.panels * WIDTH, LANES):
                begin = y_at + channel // WIDTH * block + channel % WIDTH
                total = channel_sum(fit.deltas, begin, layer.cells, layer.panels * block, block)
                store(fit.gradients, layer.norm_at + layer.panels * WIDTH + channel, total)
        rows = (layer.depth + 7) // 8 * 8
        multiply(batch.outputs, x_at, block, True, rows, fit.deltas, y_at, block, boards, plan.tables, layer.gradient,
                 layer.blocks, fit.gradients, layer.w_at, square, False)  # fmt: skip
        if n > 0:
            multiply(fit.deltas, y_at, block, False, boards, fit.turned, layer.w_at, square, WIDTH, plan.tables,
                     layer.backward, layer.inputs, fit.deltas, x_at, block, layer.joins != 0)  # fmt: skip


@kernel
def turn_weights(plan, fit):
    """Each block of weights transposed."""
    for n in range(1, len(plan.layers)):
        layer = plan.layers[n]
        for at in range(layer.w_at, layer.w_at + layer.blocks * WIDTH * WIDTH, WIDTH * WIDTH):
            for r in range(0, WIDTH, LANES):
                for c in range(0, WIDTH, LANES):
                    transpose(fit.weights, at + r * WIDTH + c, fit.turned, at + c * WIDTH + r)


@kernel
def adam(fit, rate):
    """Kingma and Ba's step; their corrections of the moments are running products."""
    fit.powers[0] *= 0.9
    fit.powers[1] *= 0.999
    size = splat(F(-rate / (1.0 - fit.powers[0])))
    scale = splat(F(np.sqrt(1.0 / (1.0 - fit.powers[1]))))
    beta_2, rest_1, rest_2 = splat(BETA_2), splat(ONE_F - BETA_1), splat(ONE_F - BETA_2)
    epsilon = splat(ADAM_EPSILON)
    for at in range(0, len(fit.weights), LANES):
        g, m = load(fit.gradients, at), load(fit.means, at)
        m = fma(rest_1, g - m, m)
        s = fma(rest_2 * g, g, beta_2 * load(fit.squares, at))
        store(fit.means, at, m)
        store(fit.squares, at, s)
        store(fit.weights, at, fma(size, m / fma(root(s), scale, epsilon), load(fit.weights, at)))


@kernel
def draw_masks(masks, state, threshold, kept):
    """Dropout: each number has a word of the stream; it is kept where the word's upper half reaches the threshold."""
    for k in range(len(masks)):
        masks[k] = kept if (scramble(state + np.uint64(k + 1) * GAMMA) >> S32) >= threshold else ZERO_F


@kernel
def train_batch(plan, boards, batch, fit, examples, start, rate, state, threshold, kept, losses, chances):
    """One step of training on the examples from ``start`` on; ``losses`` grows by the two losses."""
    show(plan, examples.planes, examples.cells, examples.order, start, boards, batch.outputs)
    if threshold > 0:
        draw_masks(fit.masks, state, threshold, kept)
    turn_weights(plan, fit)
    forward(plan, boards, batch, fit, threshold > 0)
    judge(plan, boards, batch, fit.deltas, examples, start, losses, chances)
    backward(plan, boards, batch, fit, kept)
    adam(fit, rate)


@kernel
def train_pass(plan, boards, batch, fit, examples, rate, stream, step, threshold, kept, losses, chances):
    """One pass over the examples in batches of equal size; what is left over waits for the next shuffle.

    ``step`` counts the steps of this fit; each has as many words of the stream as there are masks.
    """
    for start in range(0, len(examples.order) - boards + 1, boards):
        state = stream + np.uint64(step) * np.uint64(len(fit.masks)) * GAMMA
        train_batch(plan, boards, batch, fit, examples, start, rate, state, threshold, kept, losses, chances)
        step += 1
    return step


@kernel
def evaluate(plan, boards, batch, weights, planes, cells, order, priors, values, chances):
    """Policy and value of these boards; each depends on its own planes alone."""
    show(plan, planes, cells, order, 0, boards, batch.outputs)
    for n in range(len(plan.layers)):
        sum_products(plan, n, boards, weights, batch)
        activate(plan, n, boards, batch, weights, False)
    layer, actions = plan.layers[len(plan.layers) - 1], priors.shape[1]
    for b in range(boards):
        at = layer.y_at * boards + b * WIDTH
        total, _ = softmax(batch.outputs, at, boards, actions, chances)
        for a in range(actions):
            priors[b, a] = F(chances[a] / total)
        values[b] = F(tanh(np.float64(batch.outputs[place(at, boards, actions)])))


@kernel
def cross_entropy(policy, priors):
    """Mean over positions of ``-sum policy log prior``: (n, actions) each; of a policy and itself, its entropy."""
    total = 0.0
    for row in range(len(policy)):
        for a in range(policy.shape[1]):
            total -= np.float64(policy[row, a]) * log_(max(np.float64(priors[row, a]), 1e-12))
    return total / len(policy)


@kernel
def squared_error(values, z):
    """Mean over positions of ``(value - z)²``: (n,) each."""
    total = 0.0
    for row in range(len(values)):
        miss = np.float64(values[row]) - np.float64(z[row])
        total += miss * miss
    return total / len(values)
