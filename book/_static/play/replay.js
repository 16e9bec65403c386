/* Recorded games to step through: a board, a slider, and how the expectations of both players went.

   It mounts itself in every <div class="ws-replay">, whose script of JSON lists games:
   [{game, title, players, moves, frames: [{visits, q, value, perfect, truth}]}], a frame for each position. "value" is
   what the search of the player to move expects, "perfect" the value under perfect play or null, "truth" that of each
   move; all are seen by the player to move. */
(function (root) {
  "use strict";
  const WarmStart = (root.WarmStart = root.WarmStart || {});
  const { element } = WarmStart;

  const WIDTH = 320;
  const HEIGHT = 110;
  const OUTCOMES = { 1: "wins", 0: "draws", "-1": "loses" };

  class Replay {
    constructor(host, games) {
      this.games = games;
      this.ply = 0;
      const boardHost = element("div", {});
      this.board = new WarmStart.Board(boardHost);
      this.board.layerKey = "visits";
      this.choice = element("select", { onchange: () => this.open(Number(this.choice.value)) },
        ...games.map(({ title }, i) => element("option", { value: i }, title)));
      this.slider = element("input", { type: "range", min: 0, step: 1, "aria-label": "Ply",
        oninput: () => this.goTo(Number(this.slider.value)) });
      const step = (text, label, by) => element("button", { type: "button", "aria-label": label,
        onclick: () => this.goTo(this.ply + by) }, text);
      this.curve = element("div", { class: "ws-curve" });
      const legend = "Above: what the search of the player to move expects, turned so that X's win is up. " +
        "Dots: the value under perfect play, where it is known.";
      const beside = element("div", {}, element("div", { class: "ws-bar" }, step("« Start", "To the start", -Infinity),
        step("‹ Back", "Back", -1), step("On ›", "On", 1), step("End »", "To the end", Infinity)), this.slider, this.curve,
        element("p", { class: "ws-small" }, legend));
      host.replaceChildren(element("div", { class: "ws-bar" }, element("label", {}, "Game ", this.choice)),
        element("div", { class: "ws-boards" }, boardHost, beside));
      this.open(0);
    }

    /** Open a game at its start. */
    open(number) {
      this.recorded = this.games[number];
      const game = WarmStart.game(this.recorded.game);
      this.line = [game.start()];
      for (const move of game.split(this.recorded.moves)) this.line.push(this.line[this.line.length - 1].play(move));
      this.slider.max = this.line.length - 1;
      this.goTo(0);
    }

    /** Show the position after so many plies. */
    goTo(ply) {
      this.ply = Math.max(0, Math.min(this.line.length - 1, ply));
      const position = this.line[this.ply];
      const message = this._sentence(position);
      this.slider.value = this.ply;
      this.slider.setAttribute("aria-valuetext", message);
      this.board.show({ position, layers: this._layers(), message });
      this.curve.innerHTML = this._curve();
    }

    _layers() {
      const { visits, q, truth } = this.recorded.frames[this.ply];
      return [
        { key: "visits", label: "visits", form: "count", values: visits },
        { key: "q", label: "Q", form: "value", values: q },
        { key: "truth", label: "perfect value", form: "value", values: truth },
      ].filter((layer) => layer.key !== "truth" || Object.keys(layer.values).length);
    }

    _sentence(position) {
      const { frames, players } = this.recorded;
      const { value, perfect } = frames[this.ply];
      const at = `Ply ${this.ply} of ${this.line.length - 1}`;
      if (position.isOver) return `${at}: the game is over, ${position.caption}.`;
      const mover = WarmStart.STONES[position.toMove];
      const next = this.line[this.ply + 1].history[this.ply];
      const truth = perfect === null ? "" : ` Under perfect play ${mover} ${OUTCOMES[perfect]}.`;
      return `${at}: ${mover} (${players[position.toMove]}) expects ${WarmStart.FORMS.value(value)} and plays ` +
        `${position.game.actionName(next)}.${truth}`;
    }

    /** The values of all positions for X as a curve, perfect values as dots, and where we are. */
    _curve() {
      const { frames } = this.recorded;
      const x = (ply) => 22 + (ply * (WIDTH - 32)) / Math.max(1, frames.length - 1);
      const y = (value) => HEIGHT / 2 - value * (HEIGHT / 2 - 12);
      const forX = (value, ply) => (this.line[ply].toMove === 0 ? value : -value);
      const points = frames.map(({ value }, ply) => `${x(ply).toFixed(1)},${y(forX(value, ply)).toFixed(1)}`);
      const dots = frames.map(({ perfect }, ply) => perfect === null ? "" :
        `<circle class="truth" cx="${x(ply).toFixed(1)}" cy="${y(forX(perfect, ply))}" r="2.6"/>`);
      const levels = [["X", 1], ["0", 0], ["O", -1]].map(([name, value]) =>
        `<line x1="18" x2="${WIDTH - 6}" y1="${y(value)}" y2="${y(value)}" stroke="currentColor" opacity="0.25"/>` +
        `<text x="8" y="${y(value)}" font-size="11" text-anchor="middle" dominant-baseline="central" ` +
        `fill="currentColor">${name}</text>`);
      const now = `<line class="now" x1="${x(this.ply)}" x2="${x(this.ply)}" y1="4" y2="${HEIGHT - 4}" stroke-width="2"/>`;
      return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="What the players expected, for X, ply by ply">` +
        `${levels.join("")}${now}<polyline points="${points.join(" ")}" fill="none" stroke="currentColor" ` +
        `stroke-width="1.6"/>${dots.join("")}</svg>`;
    }
  }

  WarmStart.Replay = Replay;
  WarmStart.whenReady(() =>
    document.querySelectorAll(".ws-replay").forEach((host) => new Replay(host, WarmStart.given(host))));
})(typeof globalThis !== "undefined" ? globalThis : this);
