// The list of all steps by leg, and the filter of rules.
import { h, refill } from "./dom.js";
import { RoundRows, StepperRounds } from "./stepper_rounds.js";
import { rowsInSight, topFor } from "./stepper_rows.js";
import { besideMain, hiddenBy } from "./stepper_index.js";
import { counted } from "./stepper_pane.js";
import { revealedLegs } from "./stepper_predictions.js";

const LIST_ROW = 22;
const LIST_ARROWS = { plain: "·", forward: "↓", turn: "↺", backward: "↑" };
const LIST_DIRECTIONS = { plain: "reduction", forward: "in the forward pass", turn: "the turn", backward: "in the backward pass" };

/**
 * The list. Callbacks: `act.go(step)` on clicks, `act.hide(names)` for filters, `act.filter()` to toggle the filter panel
 * (`filter`), `act.all()` to show all steps or only the main ones, `act.rest(steps)` with the steps in view after scrolling, `act.isHidden(step)` for steps not to be revealed,
 * `act.opened(first, last)` with the steps of a round that was opened.
 * `words(step)` returns the caption of a step if known, else null. `at` has the current step, the first step not to be
 * revealed, and whether the filter is unchanged.
 */
export function stepperList(index, words, act) {
  const body = h("div", { class: "rh-list-body", role: "presentation" });
  const el = h("div", { class: "rh-list", role: "listbox", "aria-label": "steps", tabindex: "0" }, body);
  const chips = h("div", { class: "rh-chips" });
  const note = h("span", { class: "rh-note" });
  const toggle = h("button", { type: "button", class: "rh-small", "aria-haspopup": "dialog", on: { click: act.filter } }, "Filter");
  // Shows all steps, or hides those of calculation again.
  const main = besideMain(index.rules);
  const all = h("button", { type: "button", class: "rh-small", on: { click: act.all } });
  const shut = h("button", { type: "button", on: { click: act.filter } }, "Close");
  const filter = h(
    "div",
    { class: "rh-over rh-filter", role: "dialog", "aria-label": "which steps are shown", hidden: true },
    h("p", { class: "rh-note" }, "Steps of these rules are shown, walked through and played:"),
    chips,
    shut,
  );
  const head = h("div", { class: "rh-list-head" }, h("h4", {}, "Steps"), note, all, toggle);
  const part = h("div", { class: "rh-list-part" }, head, el);
  let legs = [];
  let rounds = new StepperRounds();
  // Whether the current step stays in sight while legs arrive.
  let isFollowing = false;
  let rows = new RoundRows(index.shown, legs, rounds);
  let now = 0;
  let timer = null;
  let more = 0;
  let horizon = Infinity;

  function choices() {
    const preset = (choice, text) => {
      const click = () => act.hide(hiddenBy(choice, index.rules));
      return h("button", { type: "button", class: "rh-small", on: { click } }, text);
    };
    refill(
      chips,
      h(
        "div",
        { class: "rh-chip-row" },
        preset("none", "All"),
        preset("pass", "Only RH rules and heap"),
        preset("bookkeeping", "Hide administrative steps"),
      ),
      index.rules.map((rule) => {
        const box = h("input", { type: "checkbox", checked: !index.hidden.has(rule.name) });
        box.addEventListener("change", () => {
          const names = new Set(index.hidden);
          if (box.checked) names.delete(rule.name);
          else names.add(rule.name);
          act.hide(names);
        });
        const name = h("span", { class: "rh-role-rule" }, rule.name);
        return h("label", { class: "rh-chip", title: rule.gloss }, box, name, ` ${rule.times.toLocaleString("en")}`);
      }),
    );
  }

  function reshape() {
    // Rounds would tell how long a loop goes on while the rules are to be predicted.
    rows = new RoundRows(index.shown, revealedLegs(legs, horizon), horizon === Infinity ? rounds : new StepperRounds());
    body.style.height = `${rowsInSight(0, el.clientHeight, rows.length, LIST_ROW).height}px`;
    draw();
  }

  function rebuild() {
    reshape();
    const hidden = index.hiddenCount();
    const every = counted(index.count, "step");
    const inMore = more > 0 ? ` · only the first ${legs.length.toLocaleString("en")} legs are told` : "";
    note.textContent = (hidden === 0 ? `${every}, none hidden` : `${hidden.toLocaleString("en")} of ${every} hidden`) + inMore;
    all.hidden = hidden === 0 && main.length === 0;
    all.textContent = hidden === 0 ? "Main steps" : "Show all";
    all.title = hidden === 0 ? "show only the rules of handlers, and the heap (a)" : `show all ${every} (a)`;
    toggle.textContent = hidden === 0 ? "Filter" : "Filter (on)";
    const focused = [...chips.querySelectorAll("input,button")].indexOf(document.activeElement);
    choices();
    if (focused >= 0) [...chips.querySelectorAll("input,button")][focused]?.focus();
    follow();
  }

  function follow() {
    if (rows.length > 0) {
      const top = topFor(rows.rowOf(now), el.scrollTop, el.clientHeight, rows.length, LIST_ROW);
      if (Math.abs(top - el.scrollTop) >= 1) el.scrollTop = top;
    }
    draw();
  }

  function draw() {
    // Hidden, as in JupyterLab while it loads a theme, it has no height, and it may be there again without another one.
    if (el.clientHeight === 0 && body.firstChild !== null) return;
    const sight = rowsInSight(el.scrollTop, el.clientHeight, rows.length, LIST_ROW);
    const elements = [];
    const steps = [];
    for (let row = sight.first; row < sight.last; row += 1) {
      const item = rows.at(row);
      const top = row * LIST_ROW + sight.shift;
      if (item.round !== undefined) elements.push(roundRow(item, top));
      else elements.push(item.step === null ? legRow(item.leg, top) : stepRow(item, top));
      if (item.step !== null) steps.push(item.step);
    }
    refill(body, elements);
    const none = index.count === 0 ? "No step was taken." : "All steps are hidden.";
    if (rows.length === 0) refill(body, h("p", { class: "rh-note" }, none));
    el.setAttribute("aria-activedescendant", body.querySelector("[aria-selected=true]")?.id ?? "");
    clearTimeout(timer);
    timer = setTimeout(() => act.rest(steps), 250);
  }

  function legRow([first, last, direction, depth, title, flow, isOpen], top) {
    const way = direction in LIST_ARROWS ? direction : "plain";
    const numbers = isOpen ? `${first + 1}–…` : first === last ? `${first + 1}` : `${first + 1}–${last + 1}`;
    return h(
      "div",
      {
        class: `rh-leg rh-leg-${way}`,
        role: "presentation",
        style: `top:${top}px;padding-left:${8 + 10 * Math.min(depth, 8)}px`,
        title: `${LIST_DIRECTIONS[way]}: ${title}`,
      },
      h("span", { class: "rh-leg-arrow", "aria-hidden": "true" }, LIST_ARROWS[way]),
      h("span", { class: "rh-leg-title" }, title),
      flow ? h("span", { class: "rh-leg-flow" }, String(flow)) : null,
      h("span", { class: "rh-note" }, numbers),
    );
  }

  function roundRow({ round, isOpen, level }, top) {
    const [first, last, , , , , isBackward] = rounds.found[round];
    const isNow = !isOpen && first <= now && now <= last;
    const words = `${rounds.name(round)}, ${rounds.loop(round)}`;
    return h(
      "div",
      {
        class: `rh-row rh-round rh-leg-${isBackward ? "backward" : "forward"}${isNow ? " rh-row-now" : ""}`,
        id: `${el.id}-round-${round}`,
        role: "option",
        "aria-selected": String(isNow),
        "aria-expanded": String(isOpen),
        style: `top:${top}px;padding-left:${8 + 10 * Math.min(level, 8)}px`,
        title: `${words}: click to ${isOpen ? "fold" : "open"}`,
        on: { click: () => [(isFollowing = false), flip(round)] },
      },
      h("span", { class: "rh-round-sign" }, isOpen ? "▾" : "▸"),
      isNow ? h("span", { class: "rh-row-number" }, `▸ ${now + 1}`) : null,
      h("span", { class: "rh-round-name" }, rounds.name(round)),
      h("span", { class: "rh-row-about" }, rounds.loop(round)),
      h("span", { class: "rh-note" }, first === last ? `${first + 1}` : `${first + 1}–${last + 1}`),
    );
  }

  function flip(round) {
    rounds.toggle(round);
    if (rounds.open.has(round)) act.opened(...rounds.found[round]);
    reshape();
  }

  function stepRow({ step, leg }, top) {
    const isHidden = act.isHidden(step);
    const rule = isHidden ? "?" : index.rules[index.rule[step]]?.name ?? "";
    const depth = leg === null ? 0 : Math.min(leg[3], 8);
    const told = isHidden ? null : words(step);
    return h(
      "div",
      {
        class: `rh-row${step === now ? " rh-row-now" : ""}`,
        id: `${el.id}-${step}`,
        role: "option",
        "aria-selected": String(step === now),
        "aria-posinset": step + 1,
        "aria-setsize": index.count,
        style: `top:${top}px;padding-left:${8 + 10 * depth}px`,
        title: told ?? "",
        on: { click: () => act.go(step) },
      },
      h("span", { class: "rh-row-number" }, step === now ? `▸ ${step + 1}` : String(step + 1)),
      h("span", { class: "rh-role-rule rh-row-rule" }, rule),
      h("span", { class: "rh-row-about" }, told ?? ""),
    );
  }

  el.id = `rh-list-${Math.random().toString(36).slice(2)}`;
  el.addEventListener("scroll", draw, { passive: true });
  choices();

  return {
    el: part,
    list: el,
    filter: { el: filter, focus: () => chips.querySelector("button").focus() },
    at(step, until, isFixed) {
      now = step;
      for (const button of [toggle, all]) button.setAttribute("aria-disabled", String(isFixed));
      if (until === horizon) return follow();
      horizon = until;
      return rebuild();
    },
    /** The legs and the rounds have arrived; these rounds are open. */
    setLegs(found, others, loops, open = []) {
      legs = found;
      more = others;
      rounds = new StepperRounds(loops);
      rebuild();
      for (const round of open) if (round in rounds.found && !rounds.open.has(round)) flip(round);
    },
    addLegs(found) {
      const known = new Map([...legs, ...found].map((leg) => [leg[0], leg]));
      legs = [...known.values()].sort((one, other) => one[0] - other[0]);
      reshape();
      if (isFollowing) follow();
    },
    rounds: () => rounds,
    /** Open or close the innermost round at a step; returns whether there is one. */
    flipAt(step) {
      const round = rounds.at(step);
      if (round === null) return false;
      isFollowing = true;
      flip(round);
      follow();
      return true;
    },
    rebuild,
    draw,
    clean: () => clearTimeout(timer),
  };
}
