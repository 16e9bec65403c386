// Run in a page of the book: what a reader would stumble over, as lists of sentences, empty where all is well.
() => {
  const article = document.querySelector("article");
  const all = (selector, root = article) => [...root.querySelectorAll(selector)];
  const words = (element) => element.textContent.trim().replace(/\s+/g, " ").slice(0, 60);
  const wide = (box) => box.clientWidth > 0 && box.scrollWidth > box.clientWidth + 1;
  const scrolls = (box) => ["auto", "scroll"].includes(getComputedStyle(box).overflowX);
  const told = (box) => box.nextElementSibling?.classList.contains("ws-goes-on");

  const openCode = all("details.above-input[open]").map(words);
  const boxes = all("div, figure, mjx-container[display='true']").filter((box) => box.checkVisibility() && wide(box) && scrolls(box));
  // A box within a box: the inner one says it. Code has no need to: its lines are seen to be cut.
  const cutInSilence = boxes
    .filter((box) => !told(box) && !box.querySelector(".ws-scroll") && !box.closest(".highlight"))
    .filter((box) => !box.querySelector("mjx-container[display='true']"))
    .map((box) => `${box.className} of ${box.scrollWidth} px in ${box.clientWidth}: ${words(box)}`);
  const cutFormulas = all("div.math, mjx-container[display='true']").filter(wide).map(words);
  const pictures = all("figure.ws-figure, .cell_output svg[role='img'], img").filter((one) => one.checkVisibility());
  const firstFigure = pictures.length ? Math.round(pictures[0].getBoundingClientRect().top + scrollY) : null;

  const drawn = all("svg *").filter((part) => part.checkVisibility() && !part.closest("mjx-container, defs, .ws-walk"));
  const size = (text) => {
    const matrix = text.getScreenCTM();
    return parseFloat(getComputedStyle(text).fontSize) * Math.hypot(matrix.a, matrix.b);
  };
  const texts = drawn.filter((part) => part.tagName === "text" && words(part));
  const smallType = texts.filter((text) => size(text) < 11).map((text) => `${size(text).toFixed(1)} px: ${words(text)}`);

  // Relative luminance and contrast as in WCAG, against the page; what is less than half opaque is only a hint.
  const channels = (colour) => (colour.match(/[\d.]+/g) || []).map(Number);
  const luminance = ([r, g, b]) =>
    [r, g, b]
      .map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
      .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const page = luminance(channels(getComputedStyle(document.body).backgroundColor));
  const contrast = (colour) => {
    const one = luminance(channels(colour));
    return (Math.max(one, page) + 0.05) / (Math.min(one, page) + 0.05);
  };
  const least = document.documentElement.dataset.theme === "dark" ? 4.5 : 3;
  const marks = drawn
    .filter((part) => part.closest(".ws-figure") && part.matches("path, use, rect, circle, line, text"))
    .filter((part) => !part.closest("[id^=QuadMesh], [id^=patch], .ws-own-ground") && !part.closest("svg:has([id^=QuadMesh])"));
  const pale = marks.flatMap((part) => {
    const style = getComputedStyle(part);
    return ["fill", "stroke"]
      .filter((name) => style[name].startsWith("rgb") && channels(style[name])[3] !== 0)
      .filter((name) => Math.min(style.opacity, style[`${name}Opacity`]) > 0.5 && contrast(style[name]) < least)
      .map((name) => `${name} ${style[name]} has ${contrast(style[name]).toFixed(1)} : 1`);
  });
  const singleKeys = all(".ws-key").filter((key) => key.children.length < 2).map(words);
  // A board says its stones, however few they are.
  const speechless = all("figure.ws-figure [role='img']")
    .filter((figure) => !figure.closest(".ws-own-ground"))
    .map((figure) => figure.getAttribute("aria-label"))
    .filter((alt) => alt.length < 30 || /^(an? |the )?(figure|plot|chart|graph|heat ?map|lines|curves|bars|picture|diagram)\b/i.test(alt));
  const numbers = all("figcaption > .ws-number").map(words);
  return { openCode, cutInSilence, cutFormulas, numbers, firstFigure, smallType, pale: [...new Set(pale)], singleKeys, speechless };
};
