/* A position as Python writes it. */
function positionOf(state) {
  const game = WarmStart.game(state.game);
  const side = state.to_move ? -1 : 1;
  const cells = Int8Array.from(state.board, (stone) => side * stone);
  return new WarmStart.Position(game, cells, state.to_move, state.history);
}
