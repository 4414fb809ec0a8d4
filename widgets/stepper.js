// A trace, step by step: what each step reduces and what comes of it, side by side.
import { copyText, h, refill } from "./dom.js";
import { stepperBar } from "./stepper_bar.js";
import { stepperHeap } from "./stepper_heap.js";
import { StepIndex } from "./stepper_index.js";
import { addressOf, stepNamed, stepperCommand } from "./stepper_keys.js";
import { stepperList } from "./stepper_list.js";
import { counted, stepperPane } from "./stepper_pane.js";
import { stepperHelp, stepperOptions, stepperRule, stepperSource, stepperType } from "./stepper_side.js";
import { StepperWindows } from "./stepper_states.js";

const STEPPER_REST_MS = 120;
const STEPPER_KEEP_MS = 400;
const STEPPER_GONE = "The kernel no longer knows this trace. What was looked at can still be shown; for the rest run the cell again.";
const BEFORE_WIDE = ["redex"];
const BEFORE_SHARP = ["focus"];
const BEFORE_MARKS = [...BEFORE_WIDE, ...BEFORE_SHARP];
const AFTER_WIDE = ["contractum"];
const AFTER_SHARP = ["changed", "forward", "backward"];
const AFTER_MARKS = [...AFTER_WIDE, ...AFTER_SHARP];
const STEPPER_MARK_WORDS = {
  redex: "redex",
  focus: "what the rule looks at",
  contractum: "contractum",
  changed: "changed",
  forward: "Qᶠ, on the way forward",
  backward: "Qᵇ, on the way back",
};

/** Fill `el` with the stepper of `host.opening`; what comes back takes it out of use. */
export function stepper(host, el) {
  const opening = host.opening;
  const steps = opening.steps;
  const index = new StepIndex(opening.fired, opening.rules, opening.puts);
  const windows = new StepperWindows(steps);
  const abouts = new Map();
  const heaps = new Map([[0, opening.heap.map(({ location, content }) => ({ location, content, changed_by: null }))]]);
  const kept = host.recall("view", {});
  const options = { entries: 12, whole: false, ...stepperPick(kept, ["entries", "whole"]) };
  const folds = { origins: new Set(kept.origins ?? []), blocks: new Set() };
  let at = Math.max(0, Math.min(steps - 1, Number(host.recall("step", 0)) || 0));
  let speed = kept.speed ?? 1;
  let follow = -1;
  let direction = 1;
  let isPlaying = false;
  let isOverAll = false;
  let isRuleOpen = kept.rule ?? false;
  let caret = null;
  let picked = null;
  let refused = null;
  let drawn = null;
  let isClean = false;
  const timers = { rest: null, play: null, keep: null, heap: null, say: null };
  const keeping = {};
  index.hide(new Set(kept.hidden ?? []));

  const key = () => JSON.stringify([options.entries, options.whole]);
  const rule = () => opening.rules[index.rule[at]];

  // ---- what there is on the page
  const act = {
    command,
    slide: (step) => go(step, { isResting: true }),
    jump(text) {
      const step = stepNamed(text, at + 1, steps);
      if (step === null) return say(`“${text}” names no step: write 17, #17, +10, first or last.`);
      el.focus({ preventScroll: true });
      return go(step - 1);
    },
    speed(number) {
      speed = number;
      keepView();
      if (isPlaying) tick();
    },
    follow(number) {
      follow = number;
      refresh();
    },
    search,
    option(name, value) {
      options[name] = value;
      forget();
      keepView();
      refresh();
      pump();
    },
    foldOrigin(number, isFolded) {
      if (isFolded) folds.origins.add(number);
      else folds.origins.delete(number);
      refold();
    },
    unfold() {
      folds.origins.clear();
      folds.blocks.clear();
      refold();
    },
    close: () => el.focus({ preventScroll: true }),
  };
  const bar = stepperBar(opening, speed, act);
  const status = h("div", { class: "rh-status", role: "status", "aria-live": "polite" });
  const notice = h("div", { class: "rh-notice" });
  const sides = [
    stepperPane("the term before the step", opening.roles, opening.origins, sideAct(0)),
    stepperPane("the term after the step", opening.roles, opening.origins, sideAct(1)),
  ];
  const labels = [h("span", { class: "rh-pane-label" }), h("span", { class: "rh-pane-label" })];
  const arrow = h("button", { type: "button", class: "rh-arrow", "aria-expanded": "false", on: { click: () => command("equation") } });
  const equation = stepperRule();
  const source = stepperSource();
  const types = stepperType();
  const heap = stepperHeap();
  const list = stepperList(index, (step) => abouts.get(step) ?? null, { go, hide, filter: () => toggle(list.filter, list.filter.el.hidden), rest: listRests });
  const help = stepperHelp(() => toggle(help, false));
  const view = stepperOptions(opening.origins, options, { ...act, close: () => toggle(view, false) });
  const panes = h(
    "div",
    { class: "rh-panes" },
    h("div", { class: "rh-side" }, h("div", { class: "rh-pane-head" }, labels[0]), sides[0].el),
    h("div", { class: "rh-between" }, arrow),
    h("div", { class: "rh-side" }, h("div", { class: "rh-pane-head" }, labels[1]), sides[1].el),
  );
  const details = h("div", { class: "rh-details", tabindex: "-1" }, types.el, source.el, heap.el);
  const overs = [help, view, list.filter];
  const below = h("div", { class: "rh-below" }, list.el, details);
  const title = h("p", { class: "rh-outcome" }, stepperOutcome(opening));
  const frame = h("div", { class: "rh-stepper-frame" }, title, bar.el, status, notice, equation.el, panes, below, ...overs.map((over) => over.el));
  el.append(frame);
  el.tabIndex = 0;
  el.setAttribute("data-lm-suppress-shortcuts", "true");
  el.setAttribute("role", "group");
  el.setAttribute("aria-label", `stepper over ${counted(steps, "step")}`);
  el.addEventListener("keydown", pressed);
  types.show(null);
  source.el.hidden = steps === 0;
  if (steps === 0) el.classList.add("rh-no-steps");

  // ---- moving
  function go(step, { isResting = false } = {}) {
    if (step === null || step === undefined || steps === 0) return;
    const to = Math.max(0, Math.min(steps - 1, step));
    if (to !== at) {
      direction = to > at ? 1 : -1;
      at = to;
      forget();
      keep("step", at);
    }
    refused = null;
    refresh();
    clearTimeout(timers.rest);
    if (isResting) timers.rest = setTimeout(pump, STEPPER_REST_MS);
    else pump();
  }

  function goOr(step, words) {
    if (step === null) say(words);
    else go(step);
  }

  function move(by, isAll) {
    const to = index.move(at, by, isAll);
    if (to === null && isPlaying) stop();
    go(to ?? at);
  }

  function command(name, isAll = false) {
    if (isPlaying && !["play", "help", "options", "copy", "equation"].includes(name)) stop();
    const wanted = follow < 0 ? index.rule[at] : follow;
    const named = opening.rules[wanted]?.name;
    switch (name) {
      case "first":
        return go(isAll ? 0 : index.end(false));
      case "last":
        return go(isAll ? steps - 1 : index.end(true));
      case "previous":
        return move(-1, isAll);
      case "next":
        return move(1, isAll);
      case "back-ten":
        return move(-10, isAll);
      case "on-ten":
        return move(10, isAll);
      case "next-rule":
        return goOr(index.nextOfRule(wanted, at, 1), `No step behind this one is of ${named}.`);
      case "previous-rule":
        return goOr(index.nextOfRule(wanted, at, -1), `No step before this one is of ${named}.`);
      case "next-heap":
        return goOr(index.nextPut(at, 1), "No step behind this one changes the heap.");
      case "previous-heap":
        return goOr(index.nextPut(at, -1), "No step before this one changes the heap.");
      case "play":
        return isPlaying ? stop() : play(isAll);
      case "jump":
        return bar.focusJump();
      case "search":
        return bar.focusSearch();
      case "equation":
        isRuleOpen = !isRuleOpen;
        keepView();
        return refresh();
      case "options":
        return toggle(view, view.el.hidden);
      case "help":
        return toggle(help, help.el.hidden);
      case "copy":
        if (steps === 0) return undefined;
        return copyText(addressOf(at + 1, steps, rule().name)).then(() => say(`Copied: step #${at + 1}. Paste it into the field of any stepper over this trace.`));
      case "fold":
        return foldHere();
      case "caret":
        return nextCaret();
      case "leave":
        return leave();
      default:
        return undefined;
    }
  }

  function pressed(event) {
    const target = event.target;
    const isField = /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) && target.type !== "checkbox";
    const name = stepperCommand(event);
    if (isField) {
      if (event.key === "Escape") {
        el.focus({ preventScroll: true });
        event.preventDefault();
      }
      event.stopPropagation();
      return;
    }
    if (name === null) return;
    if (/^(BUTTON|INPUT)$/.test(target.tagName) && (name === "play" || name === "enter")) return event.stopPropagation();
    if (caret !== null && caretMoves(name)) return handled(event);
    if (name === "up" || name === "down") {
      if (target !== list.list) return undefined;
      move(name === "up" ? -1 : 1, false);
      return handled(event);
    }
    if (name === "enter") return undefined;
    if (name === "leave" && caret === null && picked === null && overs.every((over) => over.el.hidden)) return undefined;
    command(name, event.altKey);
    return handled(event);
  }

  function handled(event) {
    event.preventDefault();
    event.stopPropagation();
  }

  // ---- playing
  function play(isAll) {
    if (steps === 0) return;
    if (index.move(at, 1, isAll) === null) go(index.end(false));
    isPlaying = true;
    isOverAll = isAll;
    tick();
    refresh();
    pump();
  }

  function stop() {
    isPlaying = false;
    clearTimeout(timers.play);
    refresh();
  }

  function tick() {
    clearTimeout(timers.play);
    timers.play = setTimeout(() => {
      if (!isPlaying) return;
      if (index.move(at, 1, isOverAll) === null || refused !== null) return stop();
      // While the kernel works on the step that is to be seen now, none is jumped over.
      if (windows.has(key(), at)) go(index.move(at, 1, isOverAll));
      return tick();
    }, 1000 / speed);
  }

  // ---- asking
  function pump() {
    if (isClean || !host.alive()) return;
    const count = windows.inFlight.size;
    const isHere = steps > 0 ? windows.has(key(), at) : windows.only(key()) !== null;
    if (!isHere) {
      const isTwice = refused !== null && refused.at === at && refused.key === key();
      const plan = count < 2 && !isTwice ? windows.plan(key(), at, direction, missed === at) : null;
      if (plan !== null) fetchWindow(plan, at);
      return;
    }
    if (count > 0 || steps === 0) return;
    const coming = index.coming(at, isPlaying ? Math.max(8, Math.ceil(4 * speed)) : 4, direction, isPlaying && isOverAll);
    const step = windows.ahead(key(), [...coming, ...index.coming(at, 1, -direction)]);
    const plan = step === null || (refused !== null && refused.key === key()) ? null : windows.plan(key(), step, step < at ? -1 : 1);
    if (plan !== null) fetchWindow(plan, null);
  }

  let missed = null;

  function fetchWindow(plan, wanted) {
    const asked = key();
    const ticket = windows.begin(asked, plan);
    const question = { ask: "window", from: plan.from, count: plan.count, entries: options.entries, whole: options.whole };
    return host.ask(question).then(
      (answer) => {
        windows.end(ticket, answer);
        answer.details.forEach((detail, i) => abouts.set(answer.from + i, stepperAbout(detail)));
        missed = wanted !== null && !windows.has(asked, wanted) ? wanted : null;
        if (isClean) return;
        list.draw();
        if (drawn === null || drawn.isStale) refresh();
        pump();
      },
      (error) => {
        windows.end(ticket, null);
        if (isClean) return;
        refused = { at, key: asked, words: error.message };
        refresh();
      },
    );
  }

  function listRests(inSight) {
    if (isClean || !host.alive() || windows.inFlight.size > 0 || isPlaying || refused !== null) return;
    const step = inSight.find((each) => !abouts.has(each) && !windows.has(key(), each));
    const plan = step === undefined ? null : windows.plan(key(), step, 1, true);
    if (plan !== null) fetchWindow({ from: plan.from, count: Math.min(plan.count, 40) }, null);
  }

  function heapNow() {
    const state = Math.min(at + 1, steps);
    const puts = index.putsBefore(state);
    const known = heaps.get(puts);
    if (known !== undefined || steps === 0) return { contents: known ?? heaps.get(0), isCurrent: true };
    clearTimeout(timers.heap);
    timers.heap = setTimeout(() => {
      if (isClean || !host.alive()) return;
      host.ask({ ask: "heap", state }).then(
        ({ contents }) => {
          heaps.set(puts, contents);
          if (heaps.size > 200) heaps.delete([...heaps.keys()].find((each) => each !== 0 && each !== puts));
          if (!isClean) showHeap();
        },
        () => {},
      );
    }, 60);
    return { contents: lastContents, isCurrent: false };
  }

  let lastContents = heaps.get(0);

  function showHeap() {
    const { contents, isCurrent } = heapNow();
    lastContents = contents;
    heap.show(contents, windows.step(key(), at)?.detail.change ?? null, isCurrent);
  }

  async function search(text, way) {
    const sought = text.trim();
    if (sought === "" || steps === 0) return;
    const start = at;
    say(`Searching for “${sought}” …`);
    try {
      let from = at + way;
      while (from >= 0 && from < steps) {
        const { step, reached } = await host.ask({ ask: "find", text: sought, from, backwards: way < 0 });
        if (isClean || at !== start) return;
        if (step !== null) {
          say("");
          go(step);
          return;
        }
        if (reached === undefined) break;
        from = reached;
        say(`Searching for “${sought}” … at step ${from + 1}`);
      }
      say(`No step ${way > 0 ? "behind" : "before"} this one is about “${sought}”.`);
    } catch (error) {
      if (!isClean) say(error.message);
    }
  }

  // ---- what a reader points at
  function sideAct(side) {
    return {
      place(line, column) {
        caret = caret === null ? null : { side, line, column };
        askType(side, line, column);
      },
      fold(fold) {
        const set = fold.kind === "origin" ? folds.origins : folds.blocks;
        if (set.has(fold.key)) set.delete(fold.key);
        else set.add(fold.key);
        refold();
      },
    };
  }

  function askType(side, line, column) {
    if (drawn === null || drawn.isStale) return;
    const state = steps === 0 ? 0 : at + side;
    const asked = { at, side, line, column };
    picked = { ...asked, ranges: [] };
    host.ask({ ask: "type", state, line, column, entries: options.entries, whole: options.whole }).then(
      (found) => {
        if (isClean || picked === null || picked.at !== at || picked.side !== side || picked.line !== line || picked.column !== column) return;
        picked = { ...asked, ranges: found.range };
        types.show({ ...found, side: side === 0 ? "before" : "after" });
        details.scrollTop = 0;
        outline();
      },
      (error) => {
        if (isClean || picked === null || picked.at !== at || picked.line !== line || picked.column !== column) return;
        types.show({ words: error.message });
        picked = { ...asked, ranges: [] };
        outline();
      },
    );
    outline();
  }

  function outline() {
    sides.forEach((pane, side) => {
      const marks = {};
      if (picked !== null && picked.side === side) marks.picked = picked.ranges;
      if (caret !== null && caret.side === side) marks.caret = [caret.line, caret.column, caret.column + 1];
      pane.outline(marks);
    });
  }

  function forget() {
    picked = null;
    caret = caret === null ? null : { ...caret, line: null };
    types.show(null);
  }

  function nextCaret() {
    const side = caret === null ? 0 : 1 - caret.side;
    if (drawn === null || (steps === 0 && side === 1)) return;
    caret = { side, line: null, column: 0 };
    settleCaret();
    say("Arrows move the caret and tell types; t: the other side; Esc: leave.");
  }

  function settleCaret() {
    if (caret === null || drawn === null) return;
    const pane = sides[caret.side];
    if (caret.line === null) {
      const starts = pane.starts();
      const kind = [...BEFORE_SHARP, ...AFTER_SHARP, ...BEFORE_WIDE, ...AFTER_WIDE].find((name) => name in starts);
      const start = kind === undefined ? { line: 0, column: 0 } : starts[kind];
      caret = { ...caret, ...start };
    }
    pane.reveal(caret.line, caret.column);
    askType(caret.side, caret.line, caret.column);
  }

  function caretMoves(name) {
    const pane = sides[caret.side];
    const rows = pane.rows();
    const lines = pane.lines();
    if (rows.length === 0 || caret.line === null) return false;
    const row = rows.findIndex((each) => each.from <= caret.line && caret.line < each.to);
    const by = { previous: [0, -1], next: [0, 1], up: [-1, 0], down: [1, 0], first: [0, -Infinity], last: [0, Infinity] }[name];
    if (by === undefined) return false;
    const line = rows[Math.max(0, Math.min(rows.length - 1, row + by[0]))].line;
    const text = lines[line][0];
    const least = text.length - text.trimStart().length;
    const column = Math.max(least, Math.min(text.length - 1, caret.column + by[1]));
    caret = { side: caret.side, line, column: Math.max(0, column) };
    settleCaret();
    return true;
  }

  function leave() {
    const open = overs.find((over) => !over.el.hidden);
    if (open !== undefined) return toggle(open, false);
    caret = null;
    picked = null;
    types.show(null);
    say("");
    return outline();
  }

  function foldHere() {
    const row = caret === null ? undefined : sides[caret.side].rows().find((each) => each.from <= caret.line && caret.line < each.to);
    if (row !== undefined) {
      const origin = sides[caret.side].lines()[row.line][2];
      if (row.fold !== null) return sideAct(caret.side).fold(row.fold);
      if (origin) return sideAct(caret.side).fold({ kind: "origin", key: origin });
      return say("Nothing can be folded here.");
    }
    if (opening.origins.length < 2) return say("Nothing in this trace was declared as a net or function.");
    const isAny = folds.origins.size > 0;
    folds.origins.clear();
    if (!isAny) opening.origins.forEach((_, number) => number > 0 && folds.origins.add(number));
    return refold();
  }

  function refold() {
    view.show(folds);
    keepView();
    drawn = null;
    refresh();
  }

  // ---- showing
  function refresh() {
    if (isClean) return;
    const canRule = follow < 0 ? index.rule[at] : follow;
    bar.show({
      at,
      isPlaying,
      canBack: steps > 0 && at > 0,
      canOn: steps > 0 && at < steps - 1,
      canRule: [index.nextOfRule(canRule, at, -1) !== null, index.nextOfRule(canRule, at, 1) !== null],
      canHeap: [index.nextPut(at, -1) !== null, index.nextPut(at, 1) !== null],
    });
    list.at(at);
    showStep();
    showArrow();
    showHeap();
    showNotice();
  }

  function showStep() {
    const data = steps === 0 ? onlyState() : windows.step(key(), at);
    const now = `${key()} ${at}`;
    if (data === null) {
      panes.classList.add("rh-waiting");
      if (drawn !== null) drawn.isStale = true;
      return;
    }
    if (drawn !== null && drawn.now === now && !drawn.isStale && drawn.rule === isRuleOpen) return;
    const isMoved = drawn === null || drawn.now !== now || drawn.rule !== isRuleOpen;
    drawn = { now, isStale: false, rule: isRuleOpen };
    panes.classList.remove("rh-waiting");
    const { detail } = data;
    equation.show(rule(), isRuleOpen);
    frame.classList.toggle("rh-with-rule", isRuleOpen && steps > 0);
    settlePanes(data, isMoved);
    if (steps > 0) source.show(detail.span);
    if (caret !== null) settleCaret();
    else outline();
    clearTimeout(timers.say);
    status.setAttribute("aria-live", isPlaying ? "off" : "polite");
    refill(status, statusLine(detail));
  }

  function settlePanes({ before, after, detail }, isMoved) {
    const tall = [sides[0].prepare(before, detail.marks_before ?? {}, folds), sides[1].prepare(after, detail.marks_after ?? {}, folds)];
    const fits = tall.every((rows, side) => rows <= sides[side].visible());
    sides[0].settle(fits, BEFORE_WIDE, BEFORE_SHARP, isMoved);
    sides[1].settle(fits, AFTER_WIDE, AFTER_SHARP, isMoved);
  }

  function onlyState() {
    const lines = windows.only(key());
    return lines === null ? null : { before: lines, after: [], detail: { marks_before: {}, marks_after: {}, span: null, about: "", became: "" } };
  }

  function statusLine(detail) {
    if (steps === 0) return [h("b", {}, "No step was taken"), ": this is a value already."];
    const isHidden = index.hidden.has(rule().name) ? " (hidden by the filter)" : "";
    const words = stepperAbout(detail);
    return [
      h("b", {}, `Step ${(at + 1).toLocaleString("en")} of ${steps.toLocaleString("en")}: `),
      h("span", { class: "rh-role-rule" }, rule().name),
      isHidden,
      words === "" ? null : [", ", h("span", { class: "rh-status-about" }, words)],
    ];
  }

  function showArrow() {
    arrow.hidden = steps === 0;
    const { marks_before: before, marks_after: after } = windows.step(key(), at)?.detail ?? { marks_before: {}, marks_after: {} };
    refill(labels[0], steps === 0 ? "the value" : "before", BEFORE_MARKS.map((kind) => kind in before && stepperMarkKey(kind)));
    refill(labels[1], at === steps - 1 && opening.value !== null ? "after: the value" : "after", AFTER_MARKS.map((kind) => kind in after && stepperMarkKey(kind)));
    if (steps === 0) return;
    refill(arrow, h("span", { class: "rh-arrow-rule" }, `—${rule().name}→`), h("span", { class: "rh-note" }, rule().figure));
    arrow.title = `${rule().gloss} (e: ${isRuleOpen ? "hide" : "show"} the equation)`;
    arrow.setAttribute("aria-label", `${rule().name}, ${rule().figure}: ${isRuleOpen ? "hide" : "show"} the equation`);
    arrow.setAttribute("aria-expanded", String(isRuleOpen));
  }

  function showNotice() {
    if (!host.alive()) {
      const isShown = steps === 0 || windows.has(key(), at);
      const words = isShown ? STEPPER_GONE : `${STEPPER_GONE} Step ${at + 1} was not looked at.`;
      refill(notice, h("p", { class: "rh-gone", role: "alert" }, words));
      return;
    }
    if (refused !== null) {
      const again = h("button", { type: "button", class: "rh-small", on: { click: () => go(at) } }, "Ask again");
      refill(notice, h("p", { class: "rh-gone", role: "alert" }, refused.words, " ", again));
      return;
    }
    refill(notice);
  }

  function say(words) {
    clearTimeout(timers.say);
    if (words === "") {
      const data = steps === 0 ? onlyState() : windows.step(key(), at);
      if (data !== null) refill(status, statusLine(data.detail));
      return;
    }
    refill(status, words);
    timers.say = setTimeout(() => say(""), 6000);
  }

  function toggle(panel, isOpen) {
    for (const over of overs) over.el.hidden = true;
    panel.el.hidden = !isOpen;
    if (isOpen) panel.focus();
    else el.focus({ preventScroll: true });
  }

  function hide(names) {
    index.hide(names);
    keepView();
    list.rebuild();
    refresh();
  }

  // ---- what is kept over a reload of the page
  function keep(name, value) {
    keeping[name] = value;
    timers.keep ??= setTimeout(keepNow, STEPPER_KEEP_MS);
  }

  function keepNow() {
    clearTimeout(timers.keep);
    timers.keep = null;
    for (const [name, value] of Object.entries(keeping)) {
      host.keep(name, value);
      delete keeping[name];
    }
  }

  function keepView() {
    keep("view", { ...options, origins: [...folds.origins], hidden: [...index.hidden], speed, rule: isRuleOpen });
  }

  // ---- the beginning and the end
  const sizes = new ResizeObserver(() => {
    if (isClean || drawn === null || drawn.isStale) return;
    const data = steps === 0 ? onlyState() : windows.step(key(), at);
    if (data !== null) settlePanes(data, true);
    list.draw();
  });
  sizes.observe(panes);
  host.onDeath(() => {
    if (isPlaying) stop();
    if (!isClean) refresh();
  });
  view.show(folds);
  list.rebuild();
  refresh();
  pump();
  if (steps > 0 && host.alive()) {
    host.ask({ ask: "legs" }).then(
      ({ legs, more }) => !isClean && list.setLegs(legs, more ?? 0),
      () => {},
    );
  }

  return () => {
    keepNow();
    isClean = true;
    for (const timer of Object.values(timers)) clearTimeout(timer);
    sizes.disconnect();
    list.clean();
    el.removeEventListener("keydown", pressed);
  };
}

function stepperPick(record, names) {
  return Object.fromEntries(names.filter((name) => name in record).map((name) => [name, record[name]]));
}

function stepperAbout({ about, became }) {
  if (about === "") return became;
  return became === "" ? about : `${about} → ${became}`;
}

function stepperMarkKey(kind) {
  return h("span", { class: "rh-key" }, h("span", { class: `rh-mark-${kind}` }, "ab"), ` ${STEPPER_MARK_WORDS[kind]}`);
}

function stepperOutcome({ subject, value, type, steps, stuck }) {
  const end =
    value === null
      ? h("span", { class: "rh-role-error" }, `stuck after ${counted(steps, "step")}`)
      : [h("b", { class: "rh-code-word" }, value), h("span", { class: "rh-role-type rh-code-word" }, ` : ${type}`), h("span", { class: "rh-note" }, ` in ${counted(steps, "step")}`)];
  return [
    h("span", { class: "rh-code-word rh-outcome-subject", title: subject }, subject),
    h("span", { class: "rh-outcome-arrow", "aria-label": "evaluates to" }, " ⟶ "),
    h("span", { class: "rh-outcome-end" }, end),
    stuck.map((words) => h("span", { class: "rh-role-error rh-stuck" }, words)),
  ];
}
