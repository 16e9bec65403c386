/* The book's search step by step as a widget; it stands below the book's scripts in one module (see board.py). */
function render({ model, el }) {
  el.classList.add("ws-lab", "ws-wide");
  const host = document.createElement("div");
  host.className = "ws-walk";
  host.setAttribute("data-lm-suppress-shortcuts", "true");
  el.append(host);

  function show() {
    const state = model.get("state");
    const walk = new WarmStart.Walk(host, { ...state, position: positionOf(state) });
    walk.method.value = state.method;
    walk.restart();
  }

  model.on("change:state", show);
  show();
  return () => model.off("change:state", show);
}

export default { render };
