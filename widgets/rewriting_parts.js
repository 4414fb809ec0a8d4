// The parts of a step: terms as lines with marks, cells in a table, and the text printed so far.
import { h, refill } from "./dom.js";
import { marksByLine, runsOf } from "./stepper_marks.js";

const REWRITING_WORDS = { redex: "is reduced", focus: "is performed", contractum: "comes of it", changed: "goes on" };
const REWRITING_SHARP = ["focus", "changed"];
const REWRITING_CLASS = /^[a-z]+$/;

/** The meanings of the kinds of marks; `captured`: a continuation has just been captured. */
export function rewritingWords(captured) {
  return captured ? { ...REWRITING_WORDS, changed: "is k" } : REWRITING_WORDS;
}

/** A term; `show` takes its lines, their marks, and what these mean. */
export function rewritingPane(label, word, roles) {
  const keys = h("span", {});
  const body = h("div", { class: "rh-rewriting-lines" });
  const probe = h("span", { class: "rh-rewriting-probe", "aria-hidden": "true" }, "m".repeat(20));
  const page = h("div", { class: "rh-rewriting-page", tabindex: "0", role: "region", "aria-label": label }, body, probe);
  const el = h("div", { class: "rh-rewriting-pane" }, h("div", { class: "rh-rewriting-label" }, h("b", {}, word), keys), page);

  function lineElement(line, marks) {
    const runs = runsOf(line, marks).map(({ text, role, kinds }) => {
      const names = [role > 0 ? `rh-role-${roles[role]}` : "", ...kinds.map(({ kind }) => `rh-mark-${kind}`)];
      const classes = names.filter((name) => REWRITING_CLASS.test(name.replaceAll("-", "")));
      return classes.length === 0 ? text : h("span", { class: classes.join(" ") }, text);
    });
    return h("div", { class: "rh-rewriting-line" }, runs);
  }

  return {
    el,
    columns() {
      const one = probe.getBoundingClientRect().width / 20 || 7;
      return Math.floor((page.clientWidth - 16) / one);
    },
    show({ lines, marks }, words = REWRITING_WORDS) {
      const byLine = marksByLine(marks);
      refill(body, lines.map((line, n) => lineElement(line, byLine.get(n) ?? [])));
      const kinds = Object.keys(REWRITING_WORDS).filter((kind) => kind in marks);
      refill(keys, kinds.map((kind) => h("span", { class: "rh-rewriting-key" }, h("span", { class: `rh-mark-${kind}` }, "ab"), ` ${words[kind]}`)));
      const sharp = kinds.filter((kind) => REWRITING_SHARP.includes(kind));
      const looked = sharp.length > 0 ? sharp : kinds;
      rewritingReveal(page, body, Math.min(...looked.map((kind) => marks[kind][0]), Infinity));
    },
  };
}

/** Scroll a page as little as needed to show a line. */
function rewritingReveal(page, body, line) {
  const element = Number.isFinite(line) ? body.children[line] : undefined;
  if (element === undefined) return;
  const [top, height] = [element.offsetTop, element.offsetHeight];
  const isInSight = top >= page.scrollTop && top + 4 * height <= page.scrollTop + page.clientHeight;
  if (!isInSight) page.scrollTop = Math.max(0, top - 2 * height);
}

/** The cells; `show` takes `[name, content, whether the step changes it]` for each. */
export function rewritingCells() {
  const body = h("tbody", {});
  const head = h("tr", {}, h("th", { scope: "col" }, "cell"), h("th", { scope: "col" }, "after the step"));
  const el = h("div", { class: "rh-rewriting-cells", role: "region", "aria-label": "cells", tabindex: "0", hidden: true }, h("table", {}, h("thead", {}, head), body));
  return {
    el,
    show(cells) {
      el.hidden = cells.length === 0;
      const row = ([name, content, isChanged]) =>
        h("tr", { class: isChanged ? "rh-rewriting-changed" : null }, h("td", { class: "rh-role-location" }, name), h("td", {}, content));
      refill(body, cells.map(row));
      body.querySelector(".rh-rewriting-changed")?.scrollIntoView({ block: "nearest", inline: "nearest" });
    },
  };
}

/** The printed text; takes `[step, text]` for each print. */
export function rewritingPrinted(printed) {
  const text = h("pre", { tabindex: "0" });
  const el = h("div", { class: "rh-rewriting-printed", hidden: printed.length === 0 }, h("b", {}, "printed"), text);
  return { el, show: (at) => (text.textContent = printed.filter(([step]) => step <= at).map(([, words]) => words).join("\n")) };
}
