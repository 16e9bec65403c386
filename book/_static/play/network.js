/* A network of the study, read from its safetensors file and computed in float32, one position at a time.

   Every output is one chain of float32 sums in the order of wslib's own kernels (cells of the input, then its channels),
   so that a position gets the same numbers as in Python but for the rare last bit that rounding twice costs.

   Every layer, convolution or fully connected, is a list of links: which cell of the input meets which matrix of weights
   (a "tap") for which cell of the output. Weights lie as [tap][input channel][output channel]. */
(function (root) {
  "use strict";
  const WarmStart = (root.WarmStart = root.WarmStart || {});

  const FORMAT = "network 2";
  const NORM_EPSILON = Math.fround(1e-5);
  const fround = Math.fround;

  // --- the file --------------------------------------------------------------------------------------------------

  /** The number that sixteen bits of float16 stand for. */
  function fromHalf(bits) {
    const sign = bits & 0x8000 ? -1 : 1;
    const exponent = (bits >> 10) & 31;
    const fraction = bits & 1023;
    return exponent ? sign * (1024 + fraction) * 2 ** (exponent - 25) : sign * fraction * 2 ** -24;
  }

  /** The tensors of a safetensors file by name, as float32, and its metadata. */
  function readTensors(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const size = view.getUint32(0, true);
    const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + size)));
    const tensors = {};
    for (const [name, { dtype, shape, data_offsets: offsets }] of Object.entries(header)) {
      if (name === "__metadata__" || !dtype.startsWith("F")) continue;
      const begin = 8 + size + offsets[0];
      const numbers = new Float32Array(shape.reduce((product, n) => product * n, 1));
      for (let i = 0; i < numbers.length; i++) {
        numbers[i] = dtype === "F16" ? fromHalf(view.getUint16(begin + 2 * i, true)) : view.getFloat32(begin + 4 * i, true);
      }
      tensors[name] = { shape, numbers };
    }
    return { tensors, about: JSON.parse((header.__metadata__ || {})["warm-start"] || "null") };
  }

  // --- the layers ------------------------------------------------------------------------------------------------

  /** For each cell of a convolution's output its links, flat: cell of the input, tap, cell, tap, ... */
  function convolutionLinks(x, border) {
    const rows = x.rows + 2 * border - 2;
    const cols = x.cols + 2 * border - 2;
    const links = [];
    for (let row = 0; row < rows; row++) {
      for (let col = 0; col < cols; col++) {
        const here = [];
        for (let r = Math.max(0, row - border); r < Math.min(x.rows, row - border + 3); r++) {
          for (let c = Math.max(0, col - border); c < Math.min(x.cols, col - border + 3); c++) {
            here.push(r * x.cols + c, 3 * (r - row + border) + c - col + border);
          }
        }
        links.push(here);
      }
    }
    return { rows, cols, links };
  }

  /** One output cell that every cell of the input meets through a tap of its own. */
  function fullLinks(x) {
    const here = [];
    for (let cell = 0; cell < x.rows * x.cols; cell++) here.push(cell, cell);
    return { rows: 1, cols: 1, links: [here] };
  }

  /** Torch's (output, input, taps) as [tap][input][output]; several matrices lie side by side. */
  function turnWeights(matrices, inputs, taps) {
    const outputs = matrices.reduce((sum, m) => sum + m.shape[0], 0);
    const turned = new Float32Array(taps * inputs * outputs);
    let first = 0;
    for (const { shape, numbers } of matrices) {
      let from = 0;
      for (let o = 0; o < shape[0]; o++) {
        for (let i = 0; i < inputs; i++) {
          for (let tap = 0; tap < taps; tap++) turned[(tap * inputs + i) * outputs + first + o] = numbers[from++];
        }
      }
      first += shape[0];
    }
    return turned;
  }

  /** Batch norm by its running statistics: a scale and a shift of each channel. */
  function affine(tensors, name) {
    const of = (part) => tensors[`${name}.${part}`].numbers;
    const [gamma, beta, mean, variance] = [of("weight"), of("bias"), of("running_mean"), of("running_var")];
    const scale = gamma.map((g, c) => g / fround(Math.sqrt(fround(variance[c] + NORM_EPSILON))));
    const shift = beta.map((b, c) => b - fround(mean[c] * scale[c]));
    return { scale, shift };
  }

  /** Names of the layers before the heads, each with its batch norm, in order; and which blocks they open and end. */
  function plannedLayers(settings) {
    const layers = [];
    const add = (name, norm, more) => layers.push({ name, norm, opens: false, ends: false, ...more });
    const dense = settings.shape === "dense";
    if (settings.shape === "author") {
      [1, 1, 0, 0].forEach((border, i) => add(`trunk.${3 * i}`, `trunk.${3 * i + 1}`, { border }));
    } else {
      const at = dense ? 1 : 0;
      add(`trunk.${at}`, `trunk.${at + 1}`, { border: 1 });
      for (let b = 0; b < settings.blocks; b++) {
        const block = `trunk.${at + 3 + b}.layers`;
        add(`${block}.0`, `${block}.1`, { border: 1, opens: true });
        add(`${block}.3`, `${block}.4`, { border: 1, ends: true });
      }
    }
    settings.hidden.forEach((_, i) => add(`hidden.${4 * i}`, `hidden.${4 * i + 1}`, {}));
    return layers;
  }

  /** A layer that is ready to be computed: its links, weights, scale and shift. */
  function makeLayer(tensors, plan, x) {
    const matrices = plan.heads ? plan.heads.map((name) => tensors[`${name}.weight`]) : [tensors[`${plan.name}.weight`]];
    const convolves = matrices[0].shape.length === 4;
    const place = convolves ? convolutionLinks(x, plan.border) : fullLinks(x);
    const weights = turnWeights(matrices, x.channels, convolves ? 9 : x.rows * x.cols);
    const channels = matrices.reduce((sum, m) => sum + m.shape[0], 0);
    const layer = { ...plan, ...place, channels, weights, inputs: x.channels };
    if (plan.heads) {
      layer.shift = Float32Array.from(plan.heads.flatMap((name) => [...tensors[`${name}.bias`].numbers]));
      layer.scale = new Float32Array(channels).fill(1);
    } else Object.assign(layer, affine(tensors, plan.norm));
    layer.outputs = new Float32Array(place.rows * place.cols * channels);
    return layer;
  }

  /** Sum of products of one cell of the output, every sum rounded to float32. */
  function sumProducts(layer, links, x, y, y0) {
    const { inputs, channels, weights } = layer;
    y.fill(0, y0, y0 + channels);
    for (let l = 0; l < links.length; l += 2) {
      const x0 = links[l] * inputs;
      for (let c = 0; c < inputs; c++) {
        const value = x[x0 + c];
        if (value === 0) continue;
        const w0 = (links[l + 1] * inputs + c) * channels;
        for (let o = 0; o < channels; o++) y[y0 + o] += value * weights[w0 + o];
      }
    }
  }

  /** A layer's outputs: products, batch norm (or a bias), what a block adds, ReLU. */
  function compute(layer, x, added) {
    const { channels, scale, shift, outputs: y, heads } = layer;
    for (let cell = 0; cell < layer.links.length; cell++) {
      const y0 = cell * channels;
      sumProducts(layer, layer.links[cell], x, y, y0);
      for (let o = 0; o < channels; o++) {
        let a = fround(y[y0 + o] * scale[o] + shift[o]);
        if (added) a += added[y0 + o];
        y[y0 + o] = heads || a > 0 ? a : 0;
      }
    }
    return y;
  }

  // --- exponentials, as wslib/_numbers has them ------------------------------------------------------------------

  const LN_2_HIGH = 0.69314718036912381649;
  const LN_2_LOW = 1.90821492927058770002e-10;
  const SERIES = [];
  for (let n = 13; n > 1; n--) {
    let factorial = 1;
    for (let i = 2; i <= n; i++) factorial *= i;
    SERIES.push(1 / factorial);
  }

  /** e^x from sums and products in a fixed order, which every browser rounds alike. */
  function exponential(x) {
    x = Math.min(Math.max(x, -700), 700);
    const k = Math.floor(x * 1.4426950408889634 + 0.5);
    const r = x - k * LN_2_HIGH - k * LN_2_LOW;
    let series = 0;
    for (const factor of SERIES) series = factor + series * r;
    return (1 + (r + series * r * r)) * 2 ** k;
  }

  function tanh(x) {
    const t = exponential(-2 * Math.abs(x));
    return (Math.sign(x) * (1 - t)) / (1 + t);
  }

  // --- the network -----------------------------------------------------------------------------------------------

  /** A network for play. */
  class Network {
    /** From the bytes of a safetensors file, float16 or float32. */
    constructor(bytes) {
      const { tensors, about } = readTensors(bytes);
      if (!about || about.format !== FORMAT) throw new Error("this file does not hold a network of this project");
      const settings = about.settings;
      this.game = WarmStart.game(settings.game);
      this.settings = settings;
      this.layers = [];
      let x = { rows: this.game.rows, cols: this.game.cols, channels: 1 };
      for (const plan of [...plannedLayers(settings), { heads: ["policy", "value"] }]) {
        x = makeLayer(tensors, plan, x);
        this.layers.push(x);
      }
    }

    /** From the same bytes in base64, as a script carries them. */
    static fromBase64(text) {
      return new Network(Uint8Array.from(atob(text), (character) => character.charCodeAt(0)));
    }

    /** Probabilities of all actions, and the value, of a state; both for the player to move. */
    evaluate(cells) {
      let x = Float32Array.from(cells);
      let before = null;
      for (const layer of this.layers) {
        if (layer.opens) before = x;
        x = compute(layer, x, layer.ends ? before : null);
      }
      const actions = this.game.actions;
      const policy = new Float64Array(actions);
      let largest = x[0];
      for (let a = 1; a < actions; a++) largest = Math.max(largest, x[a]);
      let total = 0;
      for (let a = 0; a < actions; a++) total += policy[a] = exponential(x[a] - largest);
      return { policy: Float32Array.from(policy, (chance) => chance / total), value: fround(tanh(x[actions])) };
    }
  }

  WarmStart.Network = Network;
})(typeof globalThis !== "undefined" ? globalThis : this);
