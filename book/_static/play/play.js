/* The page on which one plays: a board, an opponent that searches in the page, and what it thinks.

   It mounts itself in every <div class="ws-play">, whose script of JSON lists the published networks:
   [{"game": ..., "name": ..., "file": ...}]. A network's file is a script that calls WarmStart.receive(file, base64);
   it is loaded when somebody wants to play against it. */
(function (root) {
  "use strict";
  const WarmStart = (root.WarmStart = root.WarmStart || {});
  const { element } = WarmStart;

  const BASE = document.currentScript ? new URL(".", document.currentScript.src).href : "";
  const GAMES = { connect4: "Connect Four", othello: "Othello", gobang: "Gobang" };
  const STRENGTHS = [10, 25, 50, 100, 200, 400, 1000];
  /** Milliseconds of searching before the page may breathe. */
  const SLICE = 30;

  // --- networks ----------------------------------------------------------------------------------------------------

  const received = {};
  const waiting = {};

  /** What a network's script calls. */
  function receive(file, base64) {
    received[file] = WarmStart.Network.fromBase64(base64);
  }

  /** The network of a file: a promise, because its script may have to be loaded first. */
  function loadNetwork(file) {
    if (!waiting[file]) {
      waiting[file] = new Promise((resolve, reject) => {
        const script = element("script", { src: BASE + file, onload: () => resolve(received[file]),
          onerror: () => reject(new Error(`the network ${file} is not beside this page`)) });
        document.head.append(script);
      });
    }
    return waiting[file];
  }

  // --- what a search knows, as layers of a board ---------------------------------------------------------------------

  const paired = (actions, numbers) => Object.fromEntries(actions.map((action, j) => [action, numbers[j]]));

  /** The network's value of the state after each move, for the player who makes it; the true result where it ends. */
  function valuesAfter(search, position) {
    return position.legal.map((action) => {
      const after = position.act(action);
      return -(after.isOver ? after.result : search.network.evaluate(after.cells).value);
    });
  }

  /** What a search found in a position, as layers for a board. */
  function layersOf(search, position) {
    const found = WarmStart.report(search, position.cells);
    if (!found) return [];
    const visited = found.actions.filter((_, j) => found.visits[j] > 0);
    const q = found.q.filter((_, j) => found.visits[j] > 0);
    const layers = [
      { key: "visits", label: "visits", form: "count", values: paired(found.actions, found.visits) },
      { key: "q", label: "Q", form: "value", values: paired(visited, q) },
    ];
    if (search.network) {
      const after = valuesAfter(search, position);
      layers.push({ key: "p", label: "network's P", form: "share", values: paired(found.actions, found.prior) });
      layers.push({ key: "v", label: "network's V", form: "value", values: paired(found.actions, after) });
    }
    if (search.rave) {
      layers.push({ key: "rave", label: "RAVE's Q", form: "value", values: paired(found.actions, found.qRave) });
    }
    return layers;
  }

  /** What a search found, in a sentence. */
  function summary(search, position) {
    const { actions, visits, value } = WarmStart.report(search, position.cells);
    const best = visits.indexOf(Math.max(...visits));
    const total = visits.reduce((sum, n) => sum + n, 0);
    return `${position.game.actionName(actions[best])} with ${visits[best]} of ${total} visits, ` +
      `value ${WarmStart.FORMS.value(value)} for the player to move`;
  }

  // --- the page ------------------------------------------------------------------------------------------------------

  class Play {
    constructor(host, opponents) {
      this.opponents = opponents;
      this.turn = 0;
      this.thought = null;
      this._build(host);
      this._offerOpponents();
      this.newGame();
    }

    _build(host) {
      const choose = (label, options, change) => {
        const select = element("select", { onchange: change },
          ...options.map(([value, text]) => element("option", { value }, text)));
        return [select, element("label", {}, `${label} `, select)];
      };
      const again = () => this.newGame();
      const [game, gameLabel] = choose("Game", Object.entries(GAMES), () => { this._offerOpponents(); again(); });
      const [opponent, opponentLabel] = choose("against", [], () => { this._offerMethods(); again(); });
      const [method, methodLabel] = choose("searching as", [], again);
      const [strength, strengthLabel] = choose("Strength", STRENGTHS.map((n) => [n, `${n} simulations`]), again);
      const [side, sideLabel] = choose("You are", [[0, "X, and begin"], [1, "O"]], again);
      strength.value = "100";
      Object.assign(this, { game, opponent, method, strength, side, methodLabel });
      const boardHost = element("div", { class: "ws-board" });
      const insideHost = element("div", {});
      this.board = new WarmStart.Board(boardHost, { move: (action) => this.play(action), undo: () => this.undo() });
      this.inside = new WarmStart.Board(insideHost);
      this.inside.layerKey = "visits";
      this.moves = element("input", { type: "text", spellcheck: "false", autocomplete: "off",
        onchange: () => this._goTo(this.moves.value) });
      this.insideText = element("p", {}, "Nothing yet: its first move is still to come.");
      this.thinking = element("details", { class: "ws-thinking", ontoggle: () => this._showThought() },
        element("summary", {}, "What it thought before its last move"), this.insideText, insideHost);
      const bar = (...children) => element("div", { class: "ws-bar" }, ...children);
      host.replaceChildren(
        bar(gameLabel, opponentLabel, methodLabel, strengthLabel, sideLabel),
        bar(element("button", { type: "button", "data-key": "new", onclick: again }, "New game"),
          element("button", { type: "button", "data-key": "hint", onclick: () => this.hint() }, "Hint")),
        element("div", { class: "ws-boards" }, boardHost, this.thinking),
        element("label", { class: "ws-moves" }, "Moves so far (type others to go to another position) ", this.moves),
      );
    }

    _offerOpponents() {
      const here = this.opponents.filter((opponent) => opponent.game.split("-")[0] === this.game.value);
      const options = here.map((opponent) => element("option", { value: opponent.file }, opponent.name));
      options.push(element("option", { value: "none" }, "a search without a network"));
      options.push(element("option", { value: "person" }, "somebody beside you"));
      this.opponent.replaceChildren(...options);
      this._offerMethods();
    }

    _offerMethods() {
      const methods = this.opponent.value === "none" ? WarmStart.UNGUIDED : WarmStart.METHODS;
      this.method.replaceChildren(
        ...Object.entries(methods).map(([key, { name }]) => element("option", { value: key }, name)));
      this.methodLabel.hidden = this.opponent.value === "person";
    }

    get position() {
      return this.line[this.line.length - 1];
    }

    get mine() {
      return this.opponent.value === "person" || this.position.toMove === Number(this.side.value);
    }

    /** A new search for the opponent chosen. */
    _search(network) {
      const options = { method: this.method.value, simulations: Number(this.strength.value) };
      return new WarmStart.Search(this.position.game, options, network, WarmStart.Stream.random());
    }

    /** Start again with what is chosen. */
    newGame() {
      const turn = ++this.turn;
      const file = this.opponent.value;
      const chosen = this.opponents.find((opponent) => opponent.file === file);
      const game = WarmStart.game(chosen ? chosen.game : this.game.value);
      this.line = [game.start()];
      this.thought = this.search = null;
      this._showThought();
      this._show("");
      if (file === "person") return;
      (chosen ? loadNetwork(file) : Promise.resolve(null)).then((network) => {
        if (turn !== this.turn) return;
        this.search = this._search(network);
        this._goOn("");
      }).catch((error) => this._show(`It cannot play: ${error.message}.`));
    }

    /** Go to the position after these moves. */
    _goTo(moves) {
      try {
        const { game } = this.position;
        const line = [game.start()];
        for (const move of game.split(moves)) line.push(line[line.length - 1].play(move));
        this.turn++;
        this.line = line;
        this._goOn("");
      } catch (error) {
        this.board.say(error.message);
      }
    }

    /** A move of the reader's. */
    play(action) {
      const name = this.position.game.actionName(action);
      const mover = this.position.toMove;
      this.line.push(this.position.act(action));
      this._goOn(this.search ? `You played ${name}.` : `${WarmStart.STONES[mover]} played ${name}.`);
    }

    /** Back to the reader's last choice. */
    undo() {
      this.turn++;
      if (this.line.length > 1) this.line.pop();
      while (this.line.length > 1 && !this.mine) this.line.pop();
      this._goOn("Taken back.");
    }

    /** Show where the game is, and let the opponent move if it is its turn. */
    _goOn(said) {
      if (this.position.isOver) this._show(`${said} ${this._verdict()}`);
      else if (this.mine) this._show(`${said} ${this._invitation()}`);
      else {
        this._show(`${said} It is thinking.`);
        if (this.search) this._think(said);
      }
    }

    _verdict() {
      const { winner } = this.position;
      if (winner === null) return "The game is drawn.";
      if (!this.search) return `${WarmStart.STONES[winner]} has won.`;
      return winner === Number(this.side.value) ? "You have won." : "You have lost.";
    }

    _invitation() {
      const { position } = this;
      const stone = WarmStart.STONES[position.toMove];
      if (position.legal[0] === position.game.cells) return `${stone} has no move here and must pass.`;
      return this.search ? `Your move, you are ${WarmStart.stoneName(position, position.toMove)}.` : `${stone} to move.`;
    }

    /** The opponent's move, searched in slices so that the page stays alive. */
    _think(said) {
      const turn = this.turn;
      const { position, search } = this;
      if (!search.network) search.clear(); // As in the thesis: without a network a fresh tree for every move.
      this._runSliced(search, position, turn, () => {
        const action = search.choose(position.cells);
        this.thought = { position, layers: layersOf(search, position), text: summary(search, position) };
        this.line.push(position.act(action));
        this._showThought();
        this._goOn(`${said} It plays ${position.game.actionName(action)}.`.trim());
      });
    }

    _runSliced(search, position, turn, done) {
      let left = Number(this.strength.value);
      const slice = () => {
        if (turn !== this.turn) return;
        for (const until = performance.now() + SLICE; left > 0 && performance.now() < until; left--) {
          search.simulate(position.cells);
        }
        if (left > 0) setTimeout(slice, 0);
        else done();
      };
      setTimeout(slice, 0);
    }

    /** Search the reader's own position by the opponent's means, with a tree of its own, and shade the board by it. */
    hint() {
      if (this.position.isOver || !this.mine) return;
      const { position, turn } = this;
      const search = this.search ? this._search(this.search.network) : new WarmStart.Search(position.game,
        { method: "mcts", simulations: Number(this.strength.value) }, null, WarmStart.Stream.random());
      this._runSliced(search, position, turn, () => {
        if (this.position !== position) return;
        if (!this.board.layerKey) this.board.layerKey = "visits";
        this._show(`Hint: ${summary(search, position)}.`, layersOf(search, position));
      });
    }

    _show(message, layers = []) {
      const busy = !this.position.isOver && !this.mine;
      this.board.show({ position: this.position, layers, playable: !this.position.isOver && this.mine, busy,
        message: message.trim() });
      this.moves.value = this.position.moveList;
      this.thinking.hidden = this.opponent.value === "person";
    }

    _showThought() {
      if (!this.thinking.open) return;
      this.insideText.textContent = this.thought ? `${this.thought.text}.` : "Nothing yet: its first move is still to come.";
      this.inside.host.hidden = !this.thought;
      if (this.thought) this.inside.show({ position: this.thought.position, layers: this.thought.layers, message: " " });
    }
  }

  /** What the JSON beside a place on the page says. */
  function given(host) {
    return JSON.parse(host.querySelector('script[type="application/json"]').textContent);
  }

  /** Run once the page is there. */
  function whenReady(start) {
    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
    else start();
  }

  Object.assign(WarmStart, { receive, loadNetwork, layersOf, summary, Play, given, whenReady });
  whenReady(() => document.querySelectorAll(".ws-play").forEach((host) => new Play(host, given(host))));
})(typeof globalThis !== "undefined" ? globalThis : this);
