/* What the network of one run saw, iteration by iteration: two boards and a slider.

   It mounts itself in every <div class="ws-sights">, whose script of JSON says {game, title, last, positions: [{moves,
   title, frames: [{value, p}]}]}: for each position a frame per iteration, the one before the first included; "value" is
   the network's, for the player to move, "p" its probabilities by action. */
(function (root) {
  "use strict";
  const WarmStart = (root.WarmStart = root.WarmStart || {});
  const { element, FORMS } = WarmStart;

  class Sights {
    constructor(host, given) {
      const game = WarmStart.game(given.game);
      this.views = given.positions.map(({ moves, title, frames }) => {
        const boardHost = element("div", {});
        const board = new WarmStart.Board(boardHost, { plain: true });
        board.layerKey = "p";
        return { board, title, frames, position: game.position(moves), host: boardHost };
      });
      this.slider = element("input", { type: "range", min: 0, max: given.last, step: 1, value: 0, "aria-label": "Iteration",
        oninput: () => this.goTo(Number(this.slider.value)) });
      const step = (text, label, by) => element("button", { type: "button", "aria-label": label,
        onclick: () => this.goTo(Number(this.slider.value) + by) }, text);
      this.head = element("p", { role: "status" });
      host.replaceChildren(
        element("p", {}, given.title),
        element("div", { class: "ws-bar" }, step("« Start", "To the start", -Infinity), step("‹ Back", "Back", -1),
          step("On ›", "On", 1), step("End »", "To the end", Infinity)),
        this.slider, this.head, element("div", { class: "ws-boards" }, ...this.views.map((view) => view.host)));
      this.goTo(given.last);
    }

    /** Show what the network saw after so many iterations. */
    goTo(iteration) {
      const last = Number(this.slider.max);
      const at = Math.max(0, Math.min(last, iteration));
      this.slider.value = at;
      this.head.textContent = at ? `After iteration ${at} of ${last}` : "Before the first iteration";
      this.slider.setAttribute("aria-valuetext", this.head.textContent);
      for (const { board, title, frames, position } of this.views) {
        const { value, p } = frames[at];
        const mover = WarmStart.STONES[position.toMove];
        const best = Object.keys(p).reduce((a, b) => (p[b] > p[a] ? b : a));
        board.show({ position, layers: [{ key: "p", label: "network's P", form: "share", values: p }],
          message: `${title} ${mover} is to move: ${position.game.actionName(Number(best))} is most likely ` +
            `(${FORMS.share(p[best])}), value ${FORMS.value(value)}.` });
      }
    }
  }

  WarmStart.Sights = Sights;
  WarmStart.whenReady(() =>
    document.querySelectorAll(".ws-sights").forEach((host) => new Sights(host, WarmStart.given(host))));
})(typeof globalThis !== "undefined" ? globalThis : this);
