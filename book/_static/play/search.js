/* The searches of the study, as wslib/search has them: the same stream gives the same visits.

   A simulation walks down from the root by the largest score (eq. 5.1 to 5.4), adds one state to the tree, takes that
   leaf's value, and backs it up. The value of a leaf is (1 - w) v_network + w v_playout (eq. 5.5, 5.6): the six guided
   searches are w and RAVE on or off. Without a network the prior is uniform and the value is a playout's.

   Sign convention: q of an action is seen by the player who chooses it; a value changes its sign at every ply on the
   way up. States reached by different move orders are one node. */
(function (root) {
  "use strict";
  const WarmStart = (root.WarmStart = root.WarmStart || {});

  const EPSILON = 1e-8;
  const METHODS = {
    baseline: { name: "Baseline", playout: 0, rave: false },
    rollout: { name: "Rollout", playout: 1, rave: false },
    rave: { name: "RAVE", playout: 0, rave: true },
    rora: { name: "RoRa", playout: 1, rave: true },
    wro: { name: "WRo", playout: null, rave: false },
    wrora: { name: "WRoRa", playout: null, rave: true },
  };
  /** Without a network; RAVE then counts what playouts played, too. */
  const UNGUIDED = {
    mcts: { name: "MCTS", playout: 1, rave: false },
    rave: { name: "RAVE", playout: 1, rave: true },
  };

  /** SplitMix64 in two halves of 32 bits: Python's random streams. */
  class Stream {
    constructor(high, low) {
      this.high = high >>> 0;
      this.low = low >>> 0;
    }

    /** From the state that wslib's stream(seed, ...) gives, as a decimal number in a text. */
    static of(text) {
      const state = BigInt(text);
      return new Stream(Number((state >> 32n) & 0xffffffffn), Number(state & 0xffffffffn));
    }

    static random() {
      return new Stream(Math.random() * 0x100000000, Math.random() * 0x100000000);
    }

    /** Go on by one word; its halves are left in wordHigh and wordLow. */
    next() {
      const low = this.low + 0x7f4a7c15;
      this.high = (this.high + 0x9e3779b9 + (low > 0xffffffff ? 1 : 0)) >>> 0;
      this.low = low >>> 0;
      wordHigh = this.high;
      wordLow = this.low;
      foldBy(30);
      times(0xbf58476d, 0x1ce4e5b9);
      foldBy(27);
      times(0x94d049bb, 0x133111eb);
      foldBy(31);
    }

    /** A number drawn uniformly from 0 to n - 1. */
    below(n) {
      this.next();
      return Math.floor((wordHigh * n) / 0x100000000);
    }
  }

  let wordHigh = 0;
  let wordLow = 0;

  /** word ^= word >> shift, for a shift below 32. */
  function foldBy(shift) {
    wordLow = (wordLow ^ ((wordLow >>> shift) | (wordHigh << (32 - shift)))) >>> 0;
    wordHigh = (wordHigh ^ (wordHigh >>> shift)) >>> 0;
  }

  /** word *= factor, modulo 2^64. */
  function times(high, low) {
    const a0 = wordLow & 0xffff;
    const a1 = wordLow >>> 16;
    const b0 = low & 0xffff;
    const b1 = low >>> 16;
    const first = a0 * b0;
    const middle = a0 * b1 + a1 * b0 + (first >>> 16);
    const carried = a1 * b1 + Math.floor(middle / 65536);
    wordHigh = (carried + (Math.imul(wordHigh, low) >>> 0) + (Math.imul(wordLow, high) >>> 0)) >>> 0;
    wordLow = (((middle & 0xffff) << 16) | (first & 0xffff)) >>> 0;
  }

  /** A state in the tree, and what is known of each of its actions: arrays along the legal actions, ascending. */
  class Node {
    constructor(game, cells) {
      const moves = game.legal(cells);
      this.cells = cells;
      this.status = game.outcome(cells, moves);
      this.passes = this.status === WarmStart.RUNNING && !moves.length;
      this.actions = this.status !== WarmStart.RUNNING ? [] : this.passes ? [game.cells] : moves;
      const count = this.actions.length;
      this.n = 0;
      this.nRave = 0;
      /** What the network said of this state, for the player to move; null without a network. */
      this.networkValue = null;
      this.prior = new Float64Array(count).fill(1 / count);
      this.visits = new Float64Array(count);
      this.sum = new Float64Array(count);
      this.q = new Float64Array(count);
      this.visitsRave = new Float64Array(count);
      this.sumRave = new Float64Array(count);
      this.qRave = new Float64Array(count);
      this.children = new Array(count).fill(null);
    }

    /** Count an action's edge once more. */
    count(edge, value) {
      this.n += 1;
      this.visits[edge] += 1;
      this.sum[edge] += value;
      this.q[edge] = this.sum[edge] / this.visits[edge];
    }

    /** Count a set of actions as if each had been the choice here; a forced pass has always been played. */
    countRave(played, value) {
      for (let edge = 0; edge < this.actions.length; edge++) {
        if (!this.passes && !played[this.actions[edge]]) continue;
        this.nRave += 1;
        this.visitsRave[edge] += 1;
        this.sumRave[edge] += value;
        this.qRave[edge] = this.sumRave[edge] / this.visitsRave[edge];
      }
    }
  }

  /** The searches of one player in one game. */
  class Search {
    /** options: method, simulations (for β), c, weight (WRo, WRoRa), equivalence; network has evaluate(cells), or is null. */
    constructor(game, options, network, stream) {
      const methods = network ? METHODS : UNGUIDED;
      const method = methods[options.method];
      if (!method) {
        const allowed = Object.keys(methods).join(", ");
        throw new Error(`${network ? "with" : "without"} a network the searches are ${allowed}, not '${options.method}'`);
      }
      this.game = game;
      this.network = network;
      this.stream = stream;
      this.name = method.name;
      this.rave = method.rave;
      const weight = options.weight === undefined ? 0.5 : options.weight;
      this.playoutShare = method.playout === null ? weight : method.playout;
      this.countsPlayouts = !network;
      this.c = options.c === undefined ? 1 : options.c;
      this.equivalence = options.equivalence || options.simulations || 100;
      this.clear();
    }

    /** Forget the tree. */
    clear() {
      this.nodes = new Map();
    }

    /** The node of a state, or undefined. */
    find(cells) {
      return this.nodes.get(String.fromCharCode(...cells.map((stone) => stone + 1)));
    }

    _add(cells) {
      const node = new Node(this.game, cells);
      this.nodes.set(String.fromCharCode(...cells.map((stone) => stone + 1)), node);
      return node;
    }

    /** Add simulations to the tree below a state. */
    run(cells, simulations) {
      for (let i = 0; i < simulations; i++) this.simulate(cells);
      return this.find(cells);
    }

    /** One simulation; returns what happened: the path, the leaf, and what was backed up. */
    simulate(cells) {
      const walk = this.descend(cells);
      Object.assign(walk, this.evaluate(walk.leaf));
      this.backUp(walk);
      return walk;
    }

    /** The score of each action of a node: eq. 5.1, with RAVE eq. 5.2 to 5.4. */
    scores(node) {
      const found = this.exploit(node);
      if (!this.rave) return found;
      const beta = this.beta(node);
      const exploreRave = this.c * Math.sqrt(node.nRave + EPSILON);
      for (let j = 0; j < found.length; j++) {
        const uRave = node.qRave[j] + (exploreRave * node.prior[j]) / (1 + node.visitsRave[j]);
        found[j] = (1 - beta) * found[j] + beta * uRave;
      }
      return found;
    }

    /** U of each action of a node, eq. 5.1. */
    exploit(node) {
      const explore = this.c * Math.sqrt(node.n + EPSILON);
      return node.q.map((q, j) => q + (explore * node.prior[j]) / (1 + node.visits[j]));
    }

    /** The weight of RAVE's score in a node, eq. 5.4. */
    beta(node) {
      return Math.sqrt(this.equivalence / (3 * node.n + this.equivalence));
    }

    /** Index of the largest value; ties are broken at random. */
    largest(values) {
      let best = -Infinity;
      let ties = 0;
      let chosen = 0;
      for (let i = 0; i < values.length; i++) {
        if (values[i] > best) {
          best = values[i];
          ties = 1;
          chosen = i;
        } else if (values[i] === best) ties++;
      }
      if (ties > 1) {
        for (let skip = this.stream.below(ties); skip > 0; ) if (values[++chosen] === best) skip--;
      }
      return chosen;
    }

    /** Walk from a state to the leaf of one simulation: one that was not in the tree, and now is, or a game's end. */
    descend(cells) {
      const path = [];
      let node = this.find(cells);
      if (!node) return { path, leaf: this._add(cells) };
      while (node.status === WarmStart.RUNNING) {
        const edge = this.largest(this.scores(node));
        path.push({ node, edge });
        if (!node.children[edge]) {
          const next = this.game.after(node.cells, node.actions[edge]);
          const known = this.find(next);
          node.children[edge] = known || this._add(next);
          if (!known) return { path, leaf: node.children[edge] };
        }
        node = node.children[edge];
      }
      return { path, leaf: node };
    }

    /** A leaf's value for the player to move there, its priors, and what RAVE is to count as played after it. */
    evaluate(leaf) {
      if (leaf.status !== WarmStart.RUNNING) return { value: leaf.status, playout: null };
      let value = 0;
      if (this.network) {
        const said = this.network.evaluate(leaf.cells);
        this._setPriors(leaf, said.policy);
        leaf.networkValue = value = said.value;
      }
      if (!(this.playoutShare > 0)) return { value, playout: null };
      const playout = this.game.playout(leaf.cells, this.stream);
      if (!this.network) return { value: playout.value, playout };
      return { value: (1 - this.playoutShare) * value + this.playoutShare * playout.value, playout };
    }

    /** The network's probabilities of the legal actions, renormalised; uniform where it gives them none. */
    _setPriors(node, policy) {
      if (node.passes) return;
      let total = 0;
      for (const action of node.actions) total += policy[action];
      if (total > 0) node.actions.forEach((action, j) => (node.prior[j] = policy[action] / total));
    }

    /** Add a leaf's value to every edge of the path. */
    backUp({ path, leaf, value, playout }) {
      let mine = new Uint8Array(this.game.actions);
      let theirs = new Uint8Array(this.game.actions);
      if (this.rave && this.countsPlayouts && playout) {
        mine = playout.mine.slice();
        theirs = playout.theirs.slice();
        leaf.countRave(mine, value);
      }
      for (let step = path.length - 1; step >= 0; step--) {
        const { node, edge } = path[step];
        value = -value;
        [mine, theirs] = [theirs, mine];
        node.count(edge, value);
        if (!this.rave) continue;
        if (!node.passes) mine[node.actions[edge]] = 1;
        node.countRave(mine, value);
      }
    }

    /** The move after a search: the most visited one, ties at random. */
    choose(cells) {
      const node = this.find(cells);
      return node.actions[this.largest(node.visits)];
    }
  }

  /** What a search knows of a state, move by move, as a table's columns; values are for the player to move. */
  function report(search, cells) {
    const node = search.find(cells);
    if (!node) return null;
    const value = node.n ? node.q.reduce((sum, q, j) => sum + q * node.visits[j], 0) / node.n : 0;
    const share = Array.from(node.visits, (n) => (node.n ? n / node.n : 1 / node.actions.length));
    return { actions: node.actions, visits: node.visits, share, prior: node.prior, q: node.q, u: search.exploit(node),
      score: search.scores(node), visitsRave: node.visitsRave, qRave: node.qRave, value,
      networkValue: node.networkValue };
  }

  Object.assign(WarmStart, { METHODS, UNGUIDED, Stream, Search, report });
})(typeof globalThis !== "undefined" ? globalThis : this);
