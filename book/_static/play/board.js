/* A board to look at and to click on: every game and size, as an SVG with a grid of buttons over it.

   It knows positions and numbers about moves, and nothing of the page around it, of opponents or of searches:

     const board = new WarmStart.Board(element, {move: (action) => ..., undo: () => ...});
     board.show({position, layers, playable: true});

   A layer is a number for each of some actions, to shade the board by: {key, label, form, values: {action: number}}
   with the form "share" (in per cent), "count", or "value" (in [-1, 1], for the player to move). Arrow keys walk over
   the cells, Enter plays; u, p and f take back, pass and flip. */
(function (root) {
  "use strict";
  const WarmStart = (root.WarmStart = root.WarmStart || {});

  const CELL = 40;
  const RADIUS = 16;
  const MARGIN = 22;
  const EDGE = 3;
  /** The colours of the games, those of wslib/draw/boards.py. */
  const LOOKS = {
    othello: { board: "#2f7d55", empty: "#2f7d55", line: "#1d5438", stones: ["#161616", "#f7f7f2"],
      rims: ["#000000", "#555555"], hot: "#ffe45c", cold: "#12263f", mark: "#ffb000" },
    connect4: { board: "#2b5c9e", empty: "#e6ebf2", line: "#1d4273", stones: ["#b3261e", "#ffd23f"],
      rims: ["#6d120d", "#9a7500"], hot: "#1b7f5c", cold: "#5b3a8c", mark: "#ffffff" },
    gobang: { board: "#ead2a2", empty: "#ead2a2", line: "#a5854c", stones: ["#161616", "#fdfdfa"],
      rims: ["#000000", "#555555"], hot: "#c2410c", cold: "#1e4f96", mark: "#c2185b" },
  };
  const ARROWS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  const KEYS = { u: "undo", p: "pass", f: "flip" };

  // --- numbers and colours -----------------------------------------------------------------------------------------

  const FORMS = {
    share: (number) => `${Math.round(100 * number)} %`,
    count: (number) => String(number),
    value: (number) => (number < 0 ? "\u2212" : "+") + Math.abs(number).toFixed(2),
  };

  const channels = (colour) => [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));

  /** A colour on the way from one to another: a plain one, because text on it must know what it stands on. */
  function mixed(colour, other, share) {
    const to = channels(other);
    const found = channels(colour).map((channel, i) => Math.round(channel + (to[i] - channel) * share));
    return "#" + found.map((channel) => channel.toString(16).padStart(2, "0")).join("");
  }

  /** Black or white, whichever stands out more on this colour (relative luminance as in WCAG). */
  function inkOn(ground) {
    const [red, green, blue] = channels(ground).map((c) => (c > 10 ? ((c / 255 + 0.055) / 1.055) ** 2.4 : c / 3295));
    return (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05) ** 2 > 0.05 * 1.05 ? "#000000" : "#ffffff";
  }

  // --- drawing -----------------------------------------------------------------------------------------------------

  function stone(game, player, x, y, radius) {
    const look = LOOKS[game.name];
    const disc = `<circle cx="${x}" cy="${y}" r="${radius}" fill="${look.stones[player]}" stroke="${look.rims[player]}"/>`;
    if (game.name !== "connect4") return disc;
    // Colours alone do not tell the players apart for everybody: the letters that they have in print do.
    const pen = `fill="none" stroke="${inkOn(look.stones[player])}" stroke-width="${radius / 7}"`;
    const d = radius * 0.38;
    if (player === 1) return `${disc}<circle cx="${x}" cy="${y}" r="${d * 1.15}" ${pen}/>`;
    return `${disc}<path d="M${x - d} ${y - d}l${2 * d} ${2 * d}m0 ${-2 * d}l${-2 * d} ${2 * d}" ${pen}/>`;
  }

  function words(x, y, text, size, fill) {
    const room = fill ? Math.min(size, (1.3 * CELL) / Math.max(text.length, 1)) : size;
    return `<text x="${x}" y="${y}" font-size="${room}" text-anchor="middle" dominant-baseline="central" ` +
      `fill="${fill || "currentColor"}">${text}</text>`;
  }

  function ground(game, x, y, fill) {
    const { line } = LOOKS[game.name];
    if (game.name === "connect4") {
      return `<circle cx="${x + CELL / 2}" cy="${y + CELL / 2}" r="${RADIUS}" fill="${fill}" stroke="${line}"/>`;
    }
    return `<rect x="${x}" y="${y}" width="${CELL}" height="${CELL}" fill="${fill}" stroke="${line}"/>`;
  }

  function element(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
      else if (value === true) made.setAttribute(name, "");
      else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
    }
    made.append(...children);
    return made;
  }

  class Board {
    /** handlers: move(action) where one may play, undo() where moves can be taken back, place(cell) where a state with
        setup lets stones be placed by hand, layer(key) to hear of the shading chosen; plain for a board without anything
        below it but its caption. */
    constructor(host, handlers = {}) {
      this.host = host;
      this.handlers = handlers;
      this.layerKey = "";
      this.flipped = false;
      this.focused = 0;
      this.state = { position: null, layers: [], playable: false, message: "" };
      host.classList.add("wsb");
    }

    /** Show a position; what is left out of the state stays as it was. */
    show(state) {
      const before = this.state.position && this.state.position.game.id;
      Object.assign(this.state, state);
      if (this.state.position.game.id !== before) this._build();
      this._draw();
    }

    // --- what stands in the page ---

    _build() {
      const { game } = this.state.position;
      this.left = game.name === "connect4" ? EDGE : MARGIN;
      this.width = this.left + game.cols * CELL + EDGE;
      this.height = MARGIN + game.rows * CELL + EDGE;
      this.focused = 0;
      this.picture = element("div", { class: "wsb-picture", "aria-hidden": "true" });
      const percent = (part, whole) => `${(100 * part) / whole}%`;
      this.grid = element("div", { class: "wsb-grid", role: "grid", onkeydown: (event) => this._key(event),
        onpointerleave: () => this._point(null), onfocusout: () => this._point(null) });
      this.grid.style.left = percent(this.left, this.width);
      this.grid.style.top = percent(MARGIN, this.height);
      this.grid.style.width = percent(game.cols * CELL, this.width);
      this.grid.style.height = percent(game.rows * CELL, this.height);
      this.buttons = [];
      for (let row = 0; row < game.rows; row++) {
        const line = element("div", { role: "row" });
        for (let col = 0; col < game.cols; col++) line.append(this._button(row * game.cols + col));
        this.grid.append(line);
      }
      this.tip = element("div", { class: "wsb-tip", hidden: true, "aria-hidden": "true" });
      this.status = element("p", { class: "wsb-status", role: "status" });
      const view = element("div", { class: "wsb-view" }, this.picture, this.grid, this.tip);
      view.style.maxWidth = `${Math.round(1.25 * this.width)}px`;
      this.host.replaceChildren(view, this.status, this._bar(game));
    }

    _button(place) {
      const button = element("button", { type: "button", role: "gridcell", tabindex: place ? -1 : 0,
        onclick: () => this._click(place), onpointerenter: () => this._point(place),
        onfocus: () => this._focus(place) });
      this.buttons.push(button);
      return button;
    }

    _bar(game) {
      const bar = element("div", { class: "wsb-bar", hidden: Boolean(this.handlers.plain) });
      const add = (key, text) => {
        this[key] = element("button", { type: "button", "data-key": key, onclick: () => this._press(key) }, text);
        bar.append(this[key]);
      };
      if (this.handlers.undo) add("undo", "Undo");
      if (this.handlers.move && game.name === "othello") add("pass", "Pass");
      else this.pass = null;
      add("flip", "Flip");
      this.choice = element("select", { onchange: () => this._choose(this.choice.value) });
      this.chooser = element("label", {}, "Shade by ", this.choice);
      bar.append(this.chooser);
      return bar;
    }

    // --- drawing a state ---

    /** The cell of the board that is seen at a place; the other way round it is the same. */
    _cellAt(place) {
      const { game } = this.state.position;
      if (!this.flipped) return place;
      if (game.name !== "connect4") return game.cells - 1 - place;
      const col = place % game.cols;
      return place - col + game.cols - 1 - col;
    }

    /** The action that a click on a cell means. */
    _actionAt(cell) {
      const { game } = this.state.position;
      return game.name === "connect4" ? cell % game.cols : cell;
    }

    _layer() {
      return this.state.layers.find((layer) => layer.key === this.layerKey) || null;
    }

    _draw() {
      this._offerLayers();
      this.picture.innerHTML = this._svg();
      this._label();
      const { position, playable, message } = this.state;
      const text = message || position.caption;
      if (this.status.textContent !== text) this.status.textContent = text;
      if (this.undo) this.undo.disabled = !position.history.length || Boolean(this.state.busy);
      if (this.pass) this.pass.disabled = !(playable && position.legal[0] === position.game.cells);
      this.host.classList.toggle("wsb-busy", Boolean(this.state.busy));
    }

    _offerLayers() {
      const { layers } = this.state;
      const wanted = layers.map((layer) => layer.key).join();
      if (this.choice.dataset.wanted !== wanted) {
        this.choice.dataset.wanted = wanted;
        this.choice.replaceChildren(element("option", { value: "" }, "nothing"),
          ...layers.map((layer) => element("option", { value: layer.key }, layer.label)));
      }
      this.choice.value = this._layer() ? this.layerKey : "";
      this.chooser.hidden = !layers.length;
    }

    _svg() {
      const { position, playable } = this.state;
      const { game } = position;
      const look = LOOKS[game.name];
      const parts = [`<rect width="${game.cols * CELL}" height="${game.rows * CELL}" rx="3" fill="${look.board}" ` +
        `stroke="${look.line}" stroke-width="3"/>`];
      const shades = this._shades();
      const last = this._lastCell();
      const marked = new Set(playable ? position.legal.map((action) => game.cellOf(position.cells, action)) : []);
      const board = position.board;
      for (let place = 0; place < game.cells; place++) {
        const cell = this._cellAt(place);
        const x = (place % game.cols) * CELL;
        const y = Math.floor(place / game.cols) * CELL;
        const { strength, text } = shades.get(cell) || { strength: 0, text: "" };
        let fill = mixed(look.empty, strength > 0 ? look.hot : look.cold, Math.abs(strength));
        parts.push(ground(game, x, y, fill));
        if (board[cell]) {
          const player = board[cell] > 0 ? 0 : 1;
          parts.push(stone(game, player, x + CELL / 2, y + CELL / 2, RADIUS));
          fill = look.stones[player];
        } else if (marked.has(cell) && !text) {
          parts.push(`<circle class="wsb-legal" cx="${x + CELL / 2}" cy="${y + CELL / 2}" r="4" fill="${inkOn(fill)}"/>`);
        }
        if (cell === last) {
          parts.push(`<rect class="wsb-last" x="${x + 2}" y="${y + 2}" width="${CELL - 4}" height="${CELL - 4}" rx="5" ` +
            `fill="none" stroke="${look.mark}" stroke-width="3"/>`);
        }
        if (text) parts.push(words(x + CELL / 2, y + CELL / 2, text, 13, inkOn(fill)));
      }
      return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${this.width} ${this.height}">` +
        `${this._coordinates().join("")}<g transform="translate(${this.left} ${MARGIN})">${parts.join("")}` +
        `<g class="wsb-ghost"></g></g></svg>`;
    }

    _coordinates() {
      const { game } = this.state.position;
      const parts = [];
      for (let col = 0; col < game.cols; col++) {
        const name = game.actionName(this._actionAt(this._cellAt(col)));
        parts.push(words(this.left + (col + 0.5) * CELL, MARGIN / 2, game.name === "connect4" ? name : name[0], 13));
      }
      for (let row = 0; row < game.rows && game.name !== "connect4"; row++) {
        const name = game.actionName(this._cellAt(row * game.cols));
        parts.push(words(this.left / 2, MARGIN + (row + 0.5) * CELL, name[1], 13));
      }
      return parts;
    }

    /** For each cell that the chosen layer has a number for, how strongly it is shaded, and the number as text. */
    _shades() {
      const found = new Map();
      const layer = this._layer();
      if (!layer) return found;
      const { position } = this.state;
      const strongest = Math.max(...Object.values(layer.values).map(Math.abs)) || 1;
      for (const [action, number] of Object.entries(layer.values)) {
        const cell = position.game.cellOf(position.cells, Number(action));
        const tiny = layer.form !== "value" && number < (layer.form === "share" ? 0.005 : 1);
        found.set(cell, { strength: number / strongest, text: tiny ? "" : FORMS[layer.form](number).replace(" ", "") });
      }
      return found;
    }

    /** The cell of the last stone; -1 at the start and after a pass. */
    _lastCell() {
      const { position } = this.state;
      const { game, history } = position;
      if (!history.length) return -1;
      const action = history[history.length - 1];
      if (game.name !== "connect4") return action < game.cells ? action : -1;
      let cell = action;
      while (!position.cells[cell]) cell += game.cols;
      return cell;
    }

    // --- words for those who do not see it ---

    _label() {
      const { position, playable } = this.state;
      const { game } = position;
      const last = this._lastCell();
      const landing = new Set(position.legal.map((action) => game.cellOf(position.cells, action)));
      this.grid.setAttribute("aria-label", `${game.title}, ${position.caption}`);
      this.buttons.forEach((button, place) => {
        const cell = this._cellAt(place);
        const said = [this._name(cell), this._content(cell)];
        if (cell === last) said.push("last move");
        if (playable && landing.has(cell)) said.push("legal");
        if (landing.has(cell)) said.push(...this.numbers(this._actionAt(cell)));
        button.setAttribute("aria-label", said.join(", "));
        const free = this.state.setup || (playable && position.legal.includes(this._actionAt(cell)));
        button.setAttribute("aria-disabled", String(!free));
      });
    }

    _name(cell) {
      const { game } = this.state.position;
      if (game.name !== "connect4") return game.actionName(cell);
      return `column ${(cell % game.cols) + 1}, row ${game.rows - Math.floor(cell / game.cols)} from below`;
    }

    _content(cell) {
      const stone = this.state.position.board[cell];
      return stone ? WarmStart.STONES[stone > 0 ? 0 : 1] : "empty";
    }

    /** What all layers say of an action, in words. */
    numbers(action) {
      return this.state.layers
        .filter((layer) => layer.values[action] !== undefined)
        .map((layer) => `${layer.label} ${FORMS[layer.form](layer.values[action])}`);
    }

    /** Say something to everybody, below the board. */
    say(message) {
      this.state.message = message;
      this.status.textContent = message;
    }

    // --- what the reader does ---

    _click(place) {
      const { position, playable } = this.state;
      const action = this._actionAt(this._cellAt(place));
      this._focus(place);
      if (this.state.setup && this.handlers.place) this.handlers.place(this._cellAt(place));
      if (!playable || !this.handlers.move) return;
      if (position.legal.includes(action)) this.handlers.move(action);
      else this.say(`${position.game.actionName(action)} is not legal here.`);
    }

    _choose(key) {
      this.layerKey = key;
      this._draw();
      if (this.handlers.layer) this.handlers.layer(key);
    }

    _press(key) {
      if (this[key] && this[key].disabled) return;
      if (key === "undo") this.handlers.undo();
      else if (key === "pass") this.handlers.move(this.state.position.game.cells);
      else {
        this.flipped = !this.flipped;
        this._draw();
      }
    }

    _key(event) {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const { game } = this.state.position;
      if (KEYS[event.key] && this[KEYS[event.key]]) this._press(KEYS[event.key]);
      else if (ARROWS[event.key]) {
        const row = Math.floor(this.focused / game.cols) + ARROWS[event.key][0];
        const col = (this.focused % game.cols) + ARROWS[event.key][1];
        if (row >= 0 && row < game.rows && col >= 0 && col < game.cols) this.buttons[row * game.cols + col].focus();
      } else return;
      event.preventDefault();
    }

    _focus(place) {
      this.buttons[this.focused].setAttribute("tabindex", "-1");
      this.buttons[place].setAttribute("tabindex", "0");
      this.focused = place;
      this._point(place);
    }

    /** The pointer or the focus is at a place (or nowhere): a stone as if it were played, and the numbers there. */
    _point(place) {
      const { position, playable } = this.state;
      const { game } = position;
      const action = place === null ? -1 : this._actionAt(this._cellAt(place));
      const legal = position.legal.includes(action);
      const at = legal ? this._cellAt(game.cellOf(position.cells, action)) : -1;
      const [x, y] = [((at % game.cols) + 0.5) * CELL, (Math.floor(at / game.cols) + 0.5) * CELL];
      const ghost = this.picture.querySelector(".wsb-ghost");
      ghost.innerHTML = legal && playable ? stone(game, position.toMove, x, y, RADIUS) : "";
      const numbers = legal ? this.numbers(action) : [];
      this.tip.hidden = !numbers.length;
      if (!numbers.length) return;
      this.tip.textContent = `${game.actionName(action)}: ${numbers.join(" · ")}`;
      // Below the cell in the upper half of the board, above it in the lower.
      const row = Math.floor(at / game.cols);
      const above = row >= game.rows / 2;
      const edge = (100 * (MARGIN + (row + (above ? 0 : 1)) * CELL)) / this.height;
      this.tip.style.top = above ? "" : `${edge}%`;
      this.tip.style.bottom = above ? `${100 - edge}%` : "";
    }
  }

  /** A player's letter and colour: "X (black)". */
  function stoneName({ game }, player) {
    const colours = game.name === "connect4" ? ["red", "yellow"] : ["black", "white"];
    return `${WarmStart.STONES[player]} (${colours[player]})`;
  }

  Object.assign(WarmStart, { Board, LOOKS, FORMS, element, stoneName });
})(typeof globalThis !== "undefined" ? globalThis : this);
