/* How a simulation works, step by step on a tiny board: select, expand, evaluate, back up, with the numbers of each.

   It mounts itself in every <div class="ws-walk">, whose script of JSON names {game, moves, state, simulations, network}:
   the position that is searched, the state of the random stream, m, on which RAVE's β depends, and in base64 the file of a
   network, or nothing for the searches that do without. JupyterLab gives the position itself. */
(function (root) {
  "use strict";
  const WarmStart = (root.WarmStart = root.WarmStart || {});
  const { element, FORMS } = WarmStart;

  const BOX = 46;
  const LEVEL = 58;
  const OUTCOMES = { 1: "wins", 0: "draws", "-1": "loses" };
  const two = (number) => FORMS.value(number).replace("+", "");

  class Walk {
    constructor(host, given) {
      this.given = given;
      this.game = WarmStart.game(given.game);
      this.start = given.position || this.game.position(given.moves);
      this.network = given.network ? WarmStart.Network.fromBase64(given.network) : null;
      const boardHost = element("div", {});
      this.board = new WarmStart.Board(boardHost, { plain: true });
      this.method = element("select", { onchange: () => this.restart() },
        ...Object.entries(this.network ? WarmStart.METHODS : WarmStart.UNGUIDED).map(([key, { name }]) => element("option", { value: key }, name)));
      this.method.value = given.method || "rave";
      const button = (text, act) => element("button", { type: "button", onclick: act }, text);
      const bar = element("div", { class: "ws-bar" }, element("label", {}, "Search ", this.method),
        button("Next step", () => this.step()), button("Finish this simulation", () => this.finish()),
        button("Ten more", () => this.more(10)), button("Start again", () => this.restart()));
      this.text = element("p", { class: "ws-told", role: "status" });
      this.table = element("div", { class: "ws-table", tabindex: 0, role: "region", "aria-label": "The moves' numbers" });
      this.tree = element("div", { class: "ws-tree", tabindex: 0, role: "region", "aria-label": "The tree so far" });
      host.replaceChildren(bar, this.text, element("div", { class: "ws-boards" }, boardHost, this.table), this.tree);
      this.restart();
    }

    restart() {
      const options = { method: this.method.value, simulations: this.given.simulations };
      this.search = new WarmStart.Search(this.game, options, this.network, WarmStart.Stream.of(this.given.state));
      this.number = 0;
      this.steps = [];
      this._tell("The tree is empty. Each simulation selects a path, expands the tree by a state, evaluates it, and backs the " +
        "value up.", this.start, this.search.find(this.start.cells), []);
    }

    /** Go on by one step, with a new simulation where none is under way. */
    step() {
      if (!this.steps.length) this._begin();
      this.steps.shift()();
    }

    finish() {
      do this.step(); while (this.steps.length);
    }

    more(count) {
      for (let i = 0; i < count; i++) this.finish();
    }

    /** Walk to the next leaf, which changes no number yet, and line up the steps that tell of it. */
    _begin() {
      this.number++;
      const walk = this.search.descend(this.start.cells);
      const line = [this.start];
      for (const { node, edge } of walk.path) line.push(line[line.length - 1].act(node.actions[edge]));
      walk.line = line;
      walk.edges = walk.path.map(({ edge }) => edge);
      this.steps = walk.path.map((_, depth) => () => this._select(walk, depth));
      this.steps.push(() => this._expand(walk), () => this._evaluate(walk), () => this._backUp(walk));
    }

    // --- the four steps ---

    _select(walk, depth) {
      const { node, edge } = walk.path[depth];
      const position = walk.line[depth];
      const name = this.game.actionName(node.actions[edge]);
      const u = this.search.exploit(node)[edge];
      let text = `Simulation ${this.number}, select: ${this._where(walk, depth)} the largest score is that of ${name}. ` +
        `U(${name}) = Q + c P √N(s,·) / (1 + N(s,a)) = ${two(node.q[edge])} + ${this.search.c} · ` +
        `${two(node.prior[edge])} · √${node.n} / (1 + ${node.visits[edge]}) = ${two(u)}.`;
      if (this.search.rave) {
        const beta = this.search.beta(node);
        text += ` β = √(m / (3 N(s,·) + m)) = √(${this.search.equivalence} / (3 · ${node.n} + ` +
          `${this.search.equivalence})) = ${two(beta)}, so the score is (1 − β) U + β U_rave = ` +
          `${two(this.search.scores(node)[edge])}.`;
      }
      this._tell(text, position, node, walk.edges.slice(0, depth + 1), edge);
    }

    _where(walk, depth) {
      const moves = walk.line[depth].history.slice(this.start.history.length).map((a) => this.game.actionName(a));
      return moves.length ? `after ${moves.join(" ")}` : "at the root";
    }

    _expand(walk) {
      const position = walk.line[walk.line.length - 1];
      const text = position.isOver
        ? `Expand: nothing, because this is the end of a game (${position.caption}).`
        : `Expand: this state was not in the tree, and now is. Its ${position.legal.length} moves share the prior` +
          `${this.network ? ", until the network has been asked" : ""}.`;
      this._tell(`Simulation ${this.number}. ${text}`, position, walk.leaf, walk.edges);
    }

    _evaluate(walk) {
      const position = walk.line[walk.line.length - 1];
      const mover = WarmStart.STONES[position.toMove];
      const other = WarmStart.STONES[1 - position.toMove];
      Object.assign(walk, this.search.evaluate(walk.leaf));
      const used = (set) => Array.from(set.keys()).filter((action) => set[action])
        .map((action) => this.game.actionName(action)).join(" ") || "nothing";
      const parts = [];
      if (position.isOver) parts.push(`nothing is asked: ${mover}, to move, ${OUTCOMES[walk.value]}.`);
      else if (this.network) {
        parts.push(`the network gives the moves their P, and the state V = ${two(walk.leaf.networkValue)} for ${mover}, to move.`);
      }
      if (walk.playout) {
        parts.push(`a playout of ${walk.playout.plies} random plies, in which ${mover} plays ${used(walk.playout.mine)} and ` +
          `${other} plays ${used(walk.playout.theirs)}: ${mover} ${OUTCOMES[walk.playout.value]}.`);
        if (this.network) {
          const w = this.search.playoutShare;
          parts.push(`the value is (1 − w) V + w z = (1 − ${w}) · ${two(walk.leaf.networkValue)} + ${w} · ` +
            `${two(walk.playout.value)} = ${two(walk.value)}.`);
        }
      }
      const text = parts.join(" Then ");
      this._tell(`Simulation ${this.number}, evaluate: ${text}`, position, walk.leaf, walk.edges);
    }

    _backUp(walk) {
      const before = new Map();
      for (const { node } of walk.path) before.set(node, node.nRave);
      this.search.backUp(walk);
      let value = walk.value;
      const told = walk.path.map(({ node, edge }, depth) => ({ node, edge, depth })).reverse().map(({ node, edge, depth }) => {
        value = -value;
        const stone = WarmStart.STONES[walk.line[depth].toMove];
        const more = node.nRave - before.get(node);
        const rave = this.search.rave ? `, and RAVE counts ${more} ${more === 1 ? "move" : "moves"} of ${stone}` : "";
        return `${this.game.actionName(node.actions[edge])} gets ${FORMS.value(value)} for ${stone}${rave}`;
      });
      const text = told.length ? `${told.join("; ")}.` : "the leaf is the root, so no move gets the value.";
      this._tell(`Simulation ${this.number}, back up, with the sign changed at every ply: ${text}`, this.start,
        this.search.find(this.start.cells), []);
    }

    // --- what is shown ---

    _tell(text, position, node, path, edge = -1) {
      this.text.textContent = text;
      this.board.show({ position, layers: [], message: position.caption });
      this.table.innerHTML = node && node.actions.length ? this._table(node, edge) : "";
      this.tree.innerHTML = this._tree(path);
    }

    /** The numbers of a state's moves; the chosen row is marked. */
    _table(node, chosen) {
      const { rave } = this.search;
      const u = this.search.exploit(node);
      const scores = this.search.scores(node);
      const exploreRave = this.search.c * Math.sqrt(node.nRave + 1e-8);
      const heads = ["move", "N", "Q", "P", "U", ...(rave ? ["N_rave", "Q_rave", "U_rave", "score"] : [])];
      const rows = node.actions.map((action, j) => {
        const cells = [node.visits[j], two(node.q[j]), two(node.prior[j]), two(u[j])];
        if (rave) {
          const uRave = node.qRave[j] + (exploreRave * node.prior[j]) / (1 + node.visitsRave[j]);
          cells.push(node.visitsRave[j], two(node.qRave[j]), two(uRave), two(scores[j]));
        }
        const mark = j === chosen ? ' class="chosen" aria-current="true"' : "";
        return `<tr${mark}><th scope="row">${this.game.actionName(action)}</th><td>${cells.join("</td><td>")}</td></tr>`;
      });
      return `<table><thead><tr>${heads.map((head) => `<th scope="col">${head}</th>`).join("")}</tr></thead>` +
        `<tbody>${rows.join("")}</tbody></table>`;
    }

    /** The tree below the root as far as it has been visited; the path of this simulation stands out. */
    _tree(path) {
      const parts = [];
      const root = this.search.find(this.start.cells);
      if (!root) return "";
      let columns = 0;
      let depth = 0;
      const place = (node, level, label, onPath) => {
        depth = Math.max(depth, level);
        const places = [];
        node.children.forEach((child, j) => {
          const goesOn = onPath && path[level] === j;
          if (!child || !(node.visits[j] || goesOn)) return;
          const words = [this.game.actionName(node.actions[j]), `${node.visits[j]}  ${FORMS.value(node.q[j])}`];
          places.push([place(child, level + 1, words, goesOn), goesOn]);
        });
        const x = places.length ? (places[0][0] + places[places.length - 1][0]) / 2 : (columns++ + 0.5) * (BOX + 8);
        const y = 16 + level * LEVEL;
        for (const [below, goesOn] of places) {
          parts.unshift(`<line class="${goesOn ? "path" : ""}" x1="${x}" y1="${y + 14}" x2="${below}" y2="${y + LEVEL - 14}"/>`);
        }
        parts.push(`<rect class="${onPath ? "path" : ""}" x="${x - BOX / 2}" y="${y - 14}" width="${BOX}" height="28" rx="4"/>`,
          ...label.map((text, i) => `<text x="${x}" y="${y + (label.length > 1 ? i * 12 - 5 : 0)}">${text}</text>`));
        return x;
      };
      place(root, 0, [`${root.n} visits`], true);
      const [width, height] = [Math.max(columns * (BOX + 8), BOX + 8), depth * LEVEL + 34];
      return `<svg width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="The tree: ` +
        `${this.search.nodes.size} states; each box is a move with its visits and mean value">${parts.join("")}</svg>`;
    }
  }

  WarmStart.Walk = Walk;
  WarmStart.whenReady(() =>
    document.querySelectorAll(".ws-walk").forEach((host) => new Walk(host, WarmStart.given(host))));
})(typeof globalThis !== "undefined" ? globalThis : this);
