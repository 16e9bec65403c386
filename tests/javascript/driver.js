// Answers questions about the book's JavaScript under node: JSON in, JSON out (see tests/test_javascript.py).
"use strict";
const fs = require("fs");
const path = require("path");
const vm = require("vm");

const SCRIPTS = path.join(__dirname, "..", "..", "book", "_static", "play");
for (const name of ["rules.js", "search.js", "network.js", "board.js"]) {
  const file = path.join(SCRIPTS, name);
  vm.runInThisContext(fs.readFileSync(file, "utf8"), { filename: file });
}
const { game, Network, Search, Stream, report } = globalThis.WarmStart;

const sentence = (call) => {
  try {
    return call();
  } catch (error) {
    return `Error: ${error.message}`;
  }
};

const TASKS = {
  looks: () => globalThis.WarmStart.LOOKS,

  // Each position along a line of moves, as the rules see it.
  rules: ({ lines }) =>
    lines.map(({ name, moves }) => {
      const board = game(name);
      let position = board.start();
      const seen = [];
      for (const move of [...board.split(moves), null]) {
        seen.push({ board: Array.from(position.board), moves: position.moves, legal: position.legal,
          mover: position.toMove, result: position.result, winner: position.winner, caption: position.caption });
        if (move !== null) position = position.play(move);
      }
      return { id: board.id, title: board.title, list: position.moveList, seen };
    }),

  says: ({ calls }) => calls.map(({ name, moves, size }) => sentence(() => game(name, size || {}).position(moves).caption)),

  stream: ({ state, count }) => {
    const drawn = Stream.of(state);
    return Array.from({ length: count }, (_, i) => drawn.below((i + 1) ** 4));
  },

  // What a network says of positions.
  network: ({ file, positions }) => {
    const network = Network.fromBase64(file);
    return positions.map((moves) => {
      const { policy, value } = network.evaluate(network.game.position(moves).cells);
      return { policy: Array.from(policy), value };
    });
  },

  // Searches one after the other from each position of a line; without `kept` the tree is cleared before each.
  searches: ({ file, tasks }) => {
    const network = file ? Network.fromBase64(file) : null;
    return tasks.map(({ name, moves, options, state, plies }) => {
      const board = game(name);
      const search = new Search(board, options, options.guided ? network : null, Stream.of(state));
      let position = board.position(moves);
      const found = [];
      for (let ply = 0; ply < plies && !position.isOver; ply++) {
        if (!options.kept) search.clear();
        search.run(position.cells, options.simulations);
        const { visits, q, visitsRave, qRave } = report(search, position.cells);
        const action = search.choose(position.cells);
        found.push({ visits: Array.from(visits), q: Array.from(q), visitsRave: Array.from(visitsRave),
          qRave: Array.from(qRave), action });
        position = position.act(action);
      }
      return found;
    });
  },

  // Milliseconds of one search.
  time: ({ file, options }) => {
    const network = Network.fromBase64(file);
    const cells = network.game.start().cells;
    const times = [];
    for (let round = 0; round < 5; round++) {
      const search = new Search(network.game, options, network, Stream.of("1"));
      const begin = performance.now();
      search.run(cells, options.simulations);
      times.push(performance.now() - begin);
    }
    return times;
  },
};

const asked = JSON.parse(fs.readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(TASKS[asked.task](asked)));
