// Run in a page of the book: what a reader would stumble over, as lists of sentences, empty where all is well.
() => {
  const article = document.querySelector("article");
  const all = (selector, root = article) => [...root.querySelectorAll(selector)];
  const words = (element) => element.textContent.trim().replace(/\s+/g, " ").slice(0, 60);
  const wide = (box) => box.clientWidth > 0 && box.scrollWidth > box.clientWidth + 1;
  const scrolls = (box) => ["auto", "scroll"].includes(getComputedStyle(box).overflowX);
  const told = (box) => box.nextElementSibling?.classList.contains("ws-goes-on");

  const openCode = all("details.above-input[open]").map(words);
  const boxes = all("div, figure").filter((box) => wide(box) && scrolls(box));
  // A box within a box: the inner one says it. Code has no need to: its lines are seen to be cut.
  const cutInSilence = boxes
    .filter((box) => !told(box) && !box.querySelector(".ws-scroll") && !box.closest(".highlight"))
    .filter((box) => !box.matches(".math"))
    .map((box) => `${box.className} of ${box.scrollWidth} px in ${box.clientWidth}: ${words(box)}`);
  const cutFormulas = all("div.math, mjx-container[display='true']").filter(wide).map(words);
  const numbers = all("figcaption > .ws-number").map(words);
  return { openCode, cutInSilence, cutFormulas, numbers };
};
