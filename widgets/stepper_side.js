// The side panel of a step: source, type of the selection, rule, shortcuts.
import { h, refill } from "./dom.js";
import { STEPPER_HELP } from "./stepper_keys.js";

/** The source of the redex: cell, line, and the underlined range. */
export function stepperSource() {
  const body = h("div", {});
  const el = h("section", { class: "rh-side-part", "aria-label": "source" }, body);
  return {
    el,
    show(span, isHidden = false) {
      if (isHidden) return refill(body, h("h4", {}, "Source"), h("p", { class: "rh-note" }, "Shown with the answer."));
      if (span === null || span === undefined) {
        refill(body, h("h4", {}, "Source"), h("p", { class: "rh-note" }, "This was made by a rule: it stands in no cell."));
        return undefined;
      }
      const [fromLine, fromColumn] = span.from;
      const [toLine, toColumn] = span.to;
      const lines = span.lines.map((text, i) => {
        const from = i < fromLine || i > toLine ? text.length : i === fromLine ? fromColumn : text.length - text.trimStart().length;
        const to = i === toLine ? toColumn : i > toLine ? from : text.length;
        return h(
          "div",
          { class: "rh-source-line" },
          h("span", { class: "rh-source-number" }, String(span.line + i)),
          text.slice(0, from),
          from < to ? h("span", { class: "rh-source-mark" }, text.slice(from, to)) : null,
          text.slice(Math.max(from, to)),
        );
      });
      const text = h("div", { class: "rh-source", tabindex: 0, role: "region", "aria-label": "the source" }, lines);
      refill(body, h("h4", {}, `Source: ${span.cell}, line ${span.line}`), text);
      const mark = text.querySelector(".rh-source-mark");
      const left = mark === null ? 0 : mark.offsetLeft - text.offsetLeft;
      if (left > text.clientWidth - 40) text.scrollLeft = left - 60;
      return undefined;
    },
  };
}

/** The type of the subterm pointed at. */
export function stepperType() {
  const el = h("section", { class: "rh-side-part", "aria-label": "type", "aria-live": "polite" });
  return {
    el,
    show(found) {
      el.hidden = found === null;
      if (found === null) return refill(el);
      if (found.words !== undefined) return refill(el, h("h4", {}, "Type"), h("p", { class: "rh-note" }, found.words));
      return refill(
        el,
        h("h4", {}, `Type, in the term ${found.side}`),
        h("div", { class: "rh-type" }, h("span", {}, found.text), h("span", { class: "rh-role-type" }, ` : ${found.type}`)),
        found.rule ? h("p", { class: "rh-note" }, "by the typing rule ", h("span", { class: "rh-role-rule" }, found.rule)) : null,
      );
    },
  };
}

/** The rule of a step: equation, side condition, and explanation. */
export function stepperRule() {
  const el = h("section", { class: "rh-side-part rh-rule", "aria-label": "rule", hidden: true, tabindex: "-1" });
  return {
    el,
    show(rule, isOpen) {
      el.hidden = !isOpen || rule === undefined;
      if (el.hidden) return refill(el);
      return refill(
        el,
        h("p", {}, h("span", { class: "rh-role-rule" }, rule.name), ` (${rule.figure}): ${rule.gloss}.`),
        rule.equation ? h("pre", { class: "rh-equation" }, rule.equation) : null,
        rule.condition ? h("p", { class: "rh-note" }, `where ${rule.condition}`) : null,
      );
    },
  };
}

/** The arrow between the panes, labelled with the rule; a click toggles its equation. */
export function stepperArrow(click) {
  const el = h("button", { type: "button", class: "rh-arrow", on: { click } });
  return {
    el,
    show({ name, figure, gloss, isHidden }, isOpen) {
      refill(el, h("span", { class: "rh-arrow-rule" }, `—${name}→`), figure === "" ? null : h("span", { class: "rh-note" }, figure));
      el.title = isHidden ? gloss : `${gloss} (e: ${isOpen ? "hide" : "show"} the equation)`;
      el.setAttribute("aria-label", isHidden ? gloss : `${name}, ${figure}: the equation`);
      el.setAttribute("aria-expanded", String(isOpen));
    },
  };
}

/** The keys, over the panes while it is open. */
export function stepperHelp(close) {
  const rows = STEPPER_HELP.map(([keys, words]) => h("tr", {}, h("th", { scope: "row" }, h("kbd", {}, keys)), h("td", {}, words)));
  const shut = h("button", { type: "button", on: { click: close } }, "Close");
  const el = h(
    "div",
    { class: "rh-over", role: "dialog", "aria-label": "keys", hidden: true },
    h("h4", {}, "Keys, while the stepper has the focus"),
    h("table", { class: "rh-keys" }, h("tbody", {}, rows)),
    h("p", { class: "rh-note" }, "Click on any place of a term for its type, on ▾ at its edge to fold lines."),
    shut,
  );
  return { el, focus: () => shut.focus({ preventScroll: true }) };
}

/** How terms are written and what is folded; `act.option(name, value)`, `act.foldOrigin(number, isFolded)`, `act.unfold()`. */
export function stepperOptions(origins, options, act) {
  const sizes = [0, 12, 100, 1000].map((count) =>
    h("option", { value: count, selected: count === options.entries }, count === 0 ? "never" : `up to ${count.toLocaleString("en")} entries`),
  );
  const entries = h("select", { on: { change: () => act.option("entries", Number(entries.value)) } }, sizes);
  const whole = h("input", { type: "checkbox", checked: options.whole, on: { change: () => act.option("whole", whole.checked) } });
  const boxes = origins
    .map((name, number) => [name, number])
    .slice(1)
    .map(([name, number]) => {
      const box = h("input", { type: "checkbox", on: { change: () => act.foldOrigin(number, box.checked) } });
      return { number, box, el: h("label", { class: "rh-chip" }, box, ` ${name}`) };
    });
  const el = h(
    "div",
    { class: "rh-over rh-options", role: "dialog", "aria-label": "how terms are written", hidden: true },
    h("label", {}, "Arrays written out: ", entries),
    h("label", {}, whole, " handlers and functions in full"),
    boxes.length === 0 ? null : h("div", {}, "Fold the lines of ", boxes.map((box) => box.el)),
    h(
      "div",
      { class: "rh-bar" },
      h("button", { type: "button", on: { click: act.unfold } }, "Unfold everything"),
      h("button", { type: "button", on: { click: act.close } }, "Close"),
    ),
  );
  return {
    el,
    show(folds) {
      for (const { number, box } of boxes) box.checked = folds.origins.has(number);
    },
    focus: () => entries.focus(),
  };
}
