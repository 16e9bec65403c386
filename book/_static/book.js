// The book's own behaviour: a switch for the code of a page, and a word beside whatever goes on to the side.
"use strict";

(function () {
  const CODE = "details.hide.above-input";
  const SCROLLS =
    ".ws-scroll, .ws-explorer-scroll, .pst-scrollable-table-container, .cell_output > .output.text_html, " +
    "mjx-container[display=\"true\"]";

  function codeSwitch() {
    const cells = [...document.querySelectorAll(CODE)];
    const title = document.querySelector("article h1");
    if (!cells.length || !title) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "ws-code-switch";
    const say = () => {
      const open = cells.every((cell) => cell.open);
      button.textContent = open ? "Hide all code" : "Show all code";
      button.setAttribute("aria-pressed", String(open));
    };
    button.addEventListener("click", () => {
      const open = !cells.every((cell) => cell.open);
      cells.forEach((cell) => (cell.open = open));
    });
    cells.forEach((cell) => cell.addEventListener("toggle", say));
    say();
    const line = document.querySelector("article .ws-downloads");
    if (line) line.append(" · ", button);
    else title.after(button);
  }

  // What is wider than its box says so, and can be reached by the keyboard.
  function sayThatItScrolls(box) {
    const inner = box.querySelector(".ws-scroll");
    const wide = !inner && box.clientWidth > 0 && box.scrollWidth > box.clientWidth + 1;
    const told = box.nextElementSibling?.classList.contains("ws-goes-on") ? box.nextElementSibling : null;
    if (wide && !told) {
      const words = document.createElement("p");
      words.className = "ws-goes-on";
      words.textContent = "Goes on to the right: scroll →";
      box.after(words);
      box.tabIndex = 0;
    }
    if (!wide && told) told.remove();
    const left = box.scrollWidth - box.clientWidth - box.scrollLeft;
    box.classList.toggle("ws-more-right", wide && left > 2);
    box.classList.toggle("ws-more-left", wide && box.scrollLeft > 2);
  }

  function watchWidths() {
    const boxes = document.querySelectorAll(SCROLLS);
    const observer = new ResizeObserver((entries) => entries.forEach((entry) => sayThatItScrolls(entry.target)));
    boxes.forEach((box) => {
      observer.observe(box);
      box.addEventListener("scroll", () => sayThatItScrolls(box), { passive: true });
    });
  }

  function start() {
    codeSwitch();
    const formulas = window.MathJax && window.MathJax.startup && window.MathJax.startup.promise;
    Promise.resolve(formulas).then(watchWidths);
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
