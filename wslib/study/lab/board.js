/* The board of the book as a widget: what Python says is shown, what the reader does is told to Python.

   It stands below the book's scripts in one module; see board.py. */
/** Layers come as lists of [action, number], because JSON has no numbers for keys. */
const layersOf = (state) =>
  state.layers.map((layer) => ({ ...layer, values: Object.fromEntries(layer.values) }));

function render({ model, el }) {
  const host = document.createElement("div");
  el.classList.add("ws-lab");
  // Keys that are pressed on the board are the board's, not shortcuts of the notebook.
  host.setAttribute("data-lm-suppress-shortcuts", "true");
  el.append(host);
  const tell = (what) => (number) => model.send({ do: what, number });
  const board = new WarmStart.Board(host, model.get("alive")
    ? { move: tell("move"), undo: tell("undo"), place: tell("place"), layer: choose }
    : { layer: choose, plain: model.get("bare") });

  function choose(key) {
    model.set("layer", key);
    model.save_changes();
  }

  function show() {
    const state = model.get("state");
    if (!state.game) return;
    board.layerKey = model.get("layer");
    board.show({ position: positionOf(state), layers: layersOf(state), playable: state.playable, busy: state.busy,
      setup: state.setup, message: state.message });
  }

  model.on("change:state", show);
  model.on("change:layer", show);
  show();
  return () => {
    model.off("change:state", show);
    model.off("change:layer", show);
  };
}

export default { render };
