/* The rules of Othello, Connect Four and Gobang at every size up to 8×8, as wslib/games has them.

   A state is an Int8Array with a number per cell, row by row from the top: 1 for a stone of the player to move, -1 for
   one of the opponent, 0 for an empty cell. Every result is seen by the player to move, as in Python. An action is a
   cell (Gobang, Othello), a column (Connect Four), or in Othello the pass, numbered rows * cols.

   A plain script: all scripts of this folder share the one global name WarmStart, so that they work from file://. */
(function (root) {
  "use strict";
  const WarmStart = (root.WarmStart = root.WarmStart || {});

  const RUNNING = 2;
  const FIRST = 0;
  const STONES = "XO";
  const LETTERS = "abcdefgh";
  const TITLES = { othello: "Othello", connect4: "Connect Four", gobang: "Gobang" };
  const NAMES = ["othello", "connect4", "gobang", "tictactoe"];
  // The four directions of ascending cells, then their opposites in the same order.
  const DIRECTIONS = [[0, 1], [1, -1], [1, 0], [1, 1], [0, -1], [-1, 1], [-1, 0], [-1, -1]];

  /** A game at one size; make one with WarmStart.game(name). */
  class Game {
    constructor(name, rows, cols, k) {
      this.name = name;
      this.rows = rows;
      this.cols = cols;
      this.k = k;
      this.cells = rows * cols;
      this.rays = [];
      for (let cell = 0; cell < this.cells; cell++) {
        this.rays.push(DIRECTIONS.map(([down, right]) => this._ray(cell, down, right)));
      }
    }

    /** The cells from a cell (itself left out) to the edge in one direction. */
    _ray(cell, down, right) {
      const found = [];
      let row = Math.floor(cell / this.cols) + down;
      let col = (cell % this.cols) + right;
      for (; row >= 0 && row < this.rows && col >= 0 && col < this.cols; row += down, col += right) {
        found.push(row * this.cols + col);
      }
      return found;
    }

    get id() {
      return `${this.name}-${this.rows}x${this.cols}` + (this.k ? `-k${this.k}` : "");
    }

    get title() {
      const usual = this.name === "othello" || (this.name === "connect4" && this.k === 4);
      return `${TITLES[this.name]} ${this.rows}×${this.cols}` + (usual ? "" : `, ${this.k} in a row`);
    }

    start() {
      return new Position(this, this.firstCells(), FIRST, []);
    }

    /** The position after these moves: a text such as "d3 c5" or "4453", or an array of names. */
    position(moves) {
      const list = typeof moves === "string" ? this.split(moves) : moves || [];
      return list.reduce((position, move) => position.play(move), this.start());
    }

    /** The single moves of a move list, with or without spaces or commas between them. */
    split(moves) {
      const one = this.name === "connect4" ? "\\d" : "[a-hA-H]\\d|pass|PASS|Pass|--";
      const wrong = moves.replace(new RegExp(`${one}|[\\s,]`, "g"), "");
      if (wrong) {
        const example = this.name === "connect4" ? "4 4 5 3" : "c2 b2 b3";
        throw new Error(`a move list of ${this.title} looks like '${example}': what is '${wrong.slice(0, 20)}'?`);
      }
      return moves.match(new RegExp(one, "g")) || [];
    }

    /** The notation of a move: "d3" (column and row, from the top left), a column "4", or "pass". */
    actionName(action) {
      if (!(Number.isInteger(action) && action >= 0 && action < this.actions)) {
        throw new Error(`${this.title} has the actions 0 to ${this.actions - 1}, not ${action}`);
      }
      if (this.name === "connect4") return String(action + 1);
      if (action === this.cells) return "pass";
      return LETTERS[action % this.cols] + (Math.floor(action / this.cols) + 1);
    }

    /** The action of a move given by name. */
    actionNumber(move) {
      const text = move.trim().toLowerCase().replace("--", "pass");
      for (let action = 0; action < this.actions; action++) {
        if (this.actionName(action) === text) return action;
      }
      const last = this.name === "othello" ? this.cells - 1 : this.actions - 1;
      const names = `${this.actionName(0)} to ${this.actionName(last)}` + (this.name === "othello" ? " and pass" : "");
      throw new Error(`'${move}' is no move of ${this.title}: its moves are ${names}`);
    }

    /** Whether the stones of one side (1 or -1) hold a line of k or more. */
    hasLine(cells, side) {
      for (let cell = 0; cell < this.cells; cell++) {
        if (cells[cell] === side && this.endsLine(cells, cell, side)) return true;
      }
      return false;
    }

    /** Whether a line of k or more of one side runs through this cell, which has a stone of it. */
    endsLine(cells, cell, side) {
      const rays = this.rays[cell];
      for (let d = 0; d < 4; d++) {
        if (1 + run(cells, rays[d], side) + run(cells, rays[d + 4], side) >= this.k) return true;
      }
      return false;
    }

    /** RUNNING, or the result for the player to move; moves is what legal() says. Othello has its own. */
    outcome(cells, moves) {
      // The line is looked for among the stones of the player who has just moved: the one to move has lost.
      if (this.hasLine(cells, -1)) return -1;
      return moves.length ? RUNNING : 0;
    }

    /** The cell that shows an action: where its stone goes; -1 for a pass or a full column. */
    cellOf(cells, action) {
      return action < this.cells ? action : -1;
    }
  }

  /** How many stones of one side a ray begins with. */
  function run(cells, ray, side) {
    let length = 0;
    while (length < ray.length && cells[ray[length]] === side) length++;
    return length;
  }

  /** The state as the other player sees it. */
  function turned(cells) {
    const after = new Int8Array(cells.length);
    for (let cell = 0; cell < cells.length; cell++) after[cell] = -cells[cell];
    return after;
  }

  class Othello extends Game {
    get actions() {
      return this.cells + 1;
    }

    firstCells() {
      const cells = new Int8Array(this.cells);
      const r = this.rows / 2;
      const c = this.cols / 2;
      cells[(r - 1) * this.cols + c] = cells[r * this.cols + c - 1] = 1;
      cells[(r - 1) * this.cols + c - 1] = cells[r * this.cols + c] = -1;
      return cells;
    }

    /** How many discs of the other side a disc on this cell turns over on a ray. */
    _flipsOn(cells, ray, side) {
      const length = run(cells, ray, -side);
      return length && length < ray.length && cells[ray[length]] === side ? length : 0;
    }

    /** The cells where a side flips at least one disc, ascending. */
    legal(cells, side = 1) {
      const found = [];
      for (let cell = 0; cell < this.cells; cell++) {
        if (cells[cell] === 0 && this.rays[cell].some((ray) => this._flipsOn(cells, ray, side) > 0)) found.push(cell);
      }
      return found;
    }

    /** Put a disc of a side on a cell and turn discs over, in place. */
    _put(cells, cell, side) {
      for (const ray of this.rays[cell]) {
        const flips = this._flipsOn(cells, ray, side);
        for (let i = 0; i < flips; i++) cells[ray[i]] = side;
      }
      cells[cell] = side;
    }

    outcome(cells, moves) {
      if (moves.length || this.legal(cells, -1).length) return RUNNING;
      return Math.sign(cells.reduce((sum, stone) => sum + stone, 0));
    }

    after(cells, action) {
      if (action === this.cells) return turned(cells);
      const next = cells.slice();
      this._put(next, action, 1);
      return turned(next);
    }

    playout(cells, stream) {
      const board = cells.slice();
      const used = [new Uint8Array(this.actions), new Uint8Array(this.actions)];
      let side = 1;
      let plies = 0;
      for (;;) {
        let moves = this.legal(board, side);
        if (!moves.length) {
          side = -side;
          moves = this.legal(board, side);
          if (!moves.length) break;
          plies++;
        }
        const cell = moves[stream.below(moves.length)];
        this._put(board, cell, side);
        used[side === 1 ? 0 : 1][cell] = 1;
        side = -side;
        plies++;
      }
      const value = Math.sign(board.reduce((sum, stone) => sum + stone, 0));
      return { value, plies, mine: used[0], theirs: used[1] };
    }
  }

  class ConnectFour extends Game {
    get actions() {
      return this.cols;
    }

    firstCells() {
      return new Int8Array(this.cells);
    }

    legal(cells) {
      const found = [];
      for (let column = 0; column < this.cols; column++) if (cells[column] === 0) found.push(column);
      return found;
    }

    cellOf(cells, action) {
      for (let cell = this.cells - this.cols + action; cell >= 0; cell -= this.cols) if (cells[cell] === 0) return cell;
      return -1;
    }

    after(cells, action) {
      const next = cells.slice();
      next[this.cellOf(cells, action)] = 1;
      return turned(next);
    }

    playout(cells, stream) {
      // The lowest empty cell of every column that has one. A word of bits counts them by cell, and so do we.
      return drawToTheEnd(this, cells, stream, (board) => {
        const open = [];
        for (let column = 0; column < this.cols; column++) {
          if (board[column] === 0) open.push(this.cellOf(board, column));
        }
        return open.sort((a, b) => a - b);
      });
    }
  }

  class Gobang extends Game {
    get actions() {
      return this.cells;
    }

    firstCells() {
      return new Int8Array(this.cells);
    }

    legal(cells) {
      const found = [];
      for (let cell = 0; cell < this.cells; cell++) if (cells[cell] === 0) found.push(cell);
      return found;
    }

    after(cells, action) {
      const next = cells.slice();
      next[action] = 1;
      return turned(next);
    }

    playout(cells, stream) {
      // Python takes a drawn cell out of its list and puts the last one in its place: the order decides what is drawn.
      const open = this.legal(cells);
      return drawToTheEnd(this, cells, stream, () => open, (at) => {
        const last = open.pop();
        if (at < open.length) open[at] = last;
      });
    }
  }

  /** Random moves until a line or a full board; open(board) lists the cells that may be taken. */
  function drawToTheEnd(game, cells, stream, open, taken) {
    const board = cells.slice();
    const used = [new Uint8Array(game.actions), new Uint8Array(game.actions)];
    let side = 1;
    let plies = 0;
    for (;;) {
      const choices = open(board);
      if (!choices.length) return { value: 0, plies, mine: used[0], theirs: used[1] };
      const at = stream.below(choices.length);
      const cell = choices[at];
      if (taken) taken(at);
      board[cell] = side;
      used[side === 1 ? 0 : 1][cell % game.actions] = 1;
      plies++;
      if (game.endsLine(board, cell, side)) return { value: side, plies, mine: used[0], theirs: used[1] };
      side = -side;
    }
  }

  /** A state with whose turn it is and the moves that led to it. */
  class Position {
    constructor(game, cells, toMove, history) {
      this.game = game;
      this.cells = cells;
      this.toMove = toMove;
      this.history = history;
      const moves = game.legal(cells);
      const outcome = game.outcome(cells, moves);
      /** -1, 0 or 1 for the player to move once the game is over, else null. */
      this.result = outcome === RUNNING ? null : outcome;
      /** The legal actions, ascending; none once the game is over. */
      this.legal = outcome !== RUNNING ? [] : moves.length ? moves : [game.cells];
    }

    get isOver() {
      return this.result !== null;
    }

    /** 0 or 1 for the player who has won; null while the game runs, and after a draw. */
    get winner() {
      if (!this.result) return null;
      return this.result > 0 ? this.toMove : 1 - this.toMove;
    }

    get moves() {
      return this.legal.map((action) => this.game.actionName(action));
    }

    /** The board as the players have it by name: 1 for the first player, -1 for the second, 0 for empty. */
    get board() {
      return this.toMove === FIRST ? this.cells : turned(this.cells);
    }

    get moveList() {
      return this.history.map((action) => this.game.actionName(action)).join(" ");
    }

    /** Whose turn it is, or how the game ended. */
    get caption() {
      if (!this.isOver) return `${STONES[this.toMove]} to move`;
      return this.winner === null ? "drawn" : `${STONES[this.winner]} has won`;
    }

    /** The position after a move, given by its name: play("4"), play("d3"), play("pass"). */
    play(move) {
      if (typeof move !== "string") {
        const example = this.game.actionName(0);
        throw new Error(`a move is named by a text, as play('${example}'), not by ${move}: an action is played by its ` +
          "number with act");
      }
      return this.act(this.game.actionNumber(move));
    }

    /** The position after an action, given by its number. */
    act(action) {
      if (!this.legal.includes(action)) {
        const name = this.game.actionName(action);
        if (this.isOver) throw new Error(`${name} cannot be played: the game is over`);
        throw new Error(`${name} is not legal here; legal: ${this.moves.join(" ")}`);
      }
      return new Position(this.game, this.game.after(this.cells, action), 1 - this.toMove, [...this.history, action]);
    }
  }

  /** Make a game: "othello", "connect4-6x7", "gobang-8x8-k5", or a name with {rows, cols, k}. */
  function game(name, size = {}) {
    const match = /^([a-z0-9]+?)(?:-(\d+)x(\d+))?(?:-k(\d+))?$/.exec(name);
    if (!match || !NAMES.includes(match[1])) {
      throw new Error(`there is no game '${name}': the games are ${NAMES.join(", ")} (with a size: 'connect4-6x7')`);
    }
    const usual = match[1] === "tictactoe" ? 3 : 6;
    const number = (given, written, otherwise) => given || (written ? Number(written) : otherwise);
    const rows = number(size.rows, match[2], usual);
    const cols = number(size.cols, match[3], usual);
    const k = number(size.k, match[4], 0);
    if (match[1] === "othello") {
      if (k) throw new Error("Othello has no lines: leave out k");
      if (![rows, cols].every((n) => [4, 6, 8].includes(n))) {
        throw new Error(`Othello is played on boards with 4, 6 or 8 rows and columns, not ${rows}×${cols}`);
      }
      return new Othello("othello", rows, cols, 0);
    }
    if (![rows, cols].every((n) => n >= 1 && n <= 8)) {
      throw new Error(`a board has 1 to 8 rows and columns, not ${rows}×${cols}`);
    }
    const line = k || (match[1] === "tictactoe" ? 3 : 4);
    const longest = Math.max(rows, cols);
    if (line < 2 || line > longest) {
      throw new Error(`k in a row on a ${rows}×${cols} board needs 2 ≤ k ≤ ${longest}, not ${line}`);
    }
    return match[1] === "connect4" ? new ConnectFour("connect4", rows, cols, line) : new Gobang("gobang", rows, cols, line);
  }

  Object.assign(WarmStart, { RUNNING, FIRST, STONES, Game, Position, game });
})(typeof globalThis !== "undefined" ? globalThis : this);
