// A trace, step by step: redex and contractum of each step in their terms, side by side.
import { copyText, h, refill } from "./dom.js";
import { stepperBar } from "./stepper_bar.js";
import { staysOpen } from "./stepper_folds.js";
import { stepperHeap } from "./stepper_heap.js";
import { besideMain, hiddenAtFirst, StepIndex } from "./stepper_index.js";
import { StepperPersistence } from "./stepper_persistence.js";
import { addressOf, stepNamed, stepperCommand } from "./stepper_keys.js";
import { stepperList } from "./stepper_list.js";
import { sharedLefts } from "./stepper_marks.js";
import { counted, stepperPane } from "./stepper_pane.js";
import { StepperPlay } from "./stepper_play.js";
import { StepperPointer } from "./stepper_pointer.js";
import { stepperQuestion } from "./stepper_question.js";
import { stepperArrow, stepperHelp, stepperOptions, stepperRule, stepperSource, stepperType } from "./stepper_side.js";
import { StepperStore } from "./stepper_store.js";
import { FOLD_WORDS, stepperHeading, stepperNotice, stepperOutcome, stepperStatus } from "./stepper_words.js";

const STEPPER_MESSAGE_MS = 6000;
const STEPPER_LINE = 18;
const STEPPER_LEAST = 72;
const STEPPER_MOST = 252;
const STEPPER_WHILE_PLAYING = ["play", "help", "options", "copy", "equation"];
const STEPPER_BEFORE = [["redex"], ["focus"]];
const STEPPER_AFTER = [["contractum"], ["changed", "forward", "backward"]];
const STEPPER_UNKNOWN = { marks_before: {}, marks_after: {}, about: "", became: "" };

/** Fill `el` with the stepper of `host.opening`; returns a function that disposes of it. */
export function stepper(host, el) {
  const opening = host.opening;
  const steps = opening.steps;
  const kept = host.recall("view", {});
  const options = { entries: kept.entries ?? 12, whole: kept.whole ?? false, width: 90, notation: kept.notation ?? "source" };
  const folds = { origins: new Set(kept.origins ?? []), blocks: new Set(host.recall("blocks", [])) };
  const index = new StepIndex(opening.fired, opening.rules, opening.puts);
  const store = new StepperStore(host, index, options, (what) => coming[what]());
  const persistence = new StepperPersistence(host);
  const play = new StepperPlay(index, store, kept.speed ?? 1, { at: () => at, go, stopped: () => refresh() });
  index.hide(new Set(kept.hidden ?? hiddenAtFirst(opening.rules, steps)));
  let at = Math.max(0, Math.min(steps - 1, Math.trunc(Number(host.recall("step", index.end(false)))) || 0));
  let direction = 1;
  let followed = -1;
  let saying = null;
  let isRuleOpen = kept.rule ?? false;
  let drawn = null;
  let isClean = false;
  let extra = 0;

  const panes = [0, 1].map((side) => {
    const isCurrent = () => drawn !== null && !drawn.isStale;
    const place = (...spot) => isCurrent() && [pointer.point(side, ...spot), side === 0 && question.point(...spot)];
    return stepperPane(`the term ${side === 0 ? "before" : "after"} the step`, opening.roles, opening.origins, { place, fold: flip });
  });
  const types = stepperType();
  const askType = (side, line, column) => host.ask({ ask: "type", state: steps === 0 ? 0 : at + side, line, column, ...options });
  const pointer = new StepperPointer(panes, askType, (found) => showType(found));
  const bar = stepperBar(opening, play.speed, {
    command,
    slide: (step) => go(step, true),
    jump,
    speed: (number) => change(() => (play.speed = number)),
    follow(rule) {
      followed = rule;
      refresh();
    },
    search: (text, way) => (question.isOn() ? command("search") : search(text, way)),
  });
  const status = h("div", { class: "rh-status", role: "status", "aria-live": "polite" });
  const notice = h("div", { class: "rh-notice" });
  const labels = [h("span", { class: "rh-pane-label" }), h("span", { class: "rh-pane-label" })];
  const arrow = stepperArrow(() => command("equation"));
  const equation = stepperRule();
  const question = stepperQuestion(opening, index, { changed: predicted, on: () => command("next"), focus: () => focus() });
  const source = stepperSource();
  const heap = stepperHeap();
  const outcome = h("div", { class: "rh-outcomes" });
  const [filter, all, rest] = [() => command("filter"), () => command("all"), (inSight) => play.isOn || store.tell(inSight)];
  const list = stepperList(index, (step) => store.about(step), { go, hide, filter, all, rest, opened: askLegs, isHidden: question.isHidden });
  const help = stepperHelp(() => toggle(help, false));
  const view = stepperOptions(opening.origins, options, {
    option: (name, value) => change(() => (options[name] = value)),
    foldOrigin: (number, isFolded) => refold(() => (isFolded ? folds.origins.add(number) : folds.origins.delete(number))),
    unfold: () => refold(() => [folds.origins, folds.blocks].forEach((set) => set.clear())),
    close: () => toggle(view, false),
  });
  const overs = [help, view, list.filter];
  const coming = { step: came, heap: showHeap, words: list.draw };
  const sides = panes.map((pane, side) => h("div", { class: "rh-side" }, h("div", { class: "rh-pane-head" }, labels[side]), pane.el));
  const middle = h("div", { class: "rh-panes" }, sides[0], h("div", { class: "rh-between", "aria-hidden": "true" }, "→"), sides[1]);
  const details = h("div", { class: "rh-details", tabindex: 0, role: "region", "aria-label": "details of the step" }, types.el, question.el, equation.el, source.el, heap.el);
  const below = h("div", { class: "rh-below" }, list.el, details);
  const told = h("div", { class: "rh-told" }, status, arrow.el);
  const parts = [outcome, bar.el, told, notice, middle, below, overs.map((over) => over.el)];
  const frame = h("div", { class: "rh-stepper-frame" }, parts);
  el.append(frame);
  el.tabIndex = 0;
  el.setAttribute("data-lm-suppress-shortcuts", "true");
  el.setAttribute("role", "group");
  el.setAttribute("aria-label", `stepper over ${counted(steps, "step")}`);
  el.addEventListener("keydown", pressed);
  el.classList.toggle("rh-no-steps", steps === 0);
  source.el.hidden = steps === 0;
  types.show(null);

  function go(step, isResting = false) {
    if (step === null || steps === 0) return;
    const to = Math.max(0, Math.min(steps - 1, step));
    if (to !== at) {
      direction = to > at ? 1 : -1;
      at = to;
      pointer.forget();
      persistence.keep("step", at);
    }
    store.retry();
    refresh();
    look(isResting);
  }

  function look(isResting = false) {
    store.look({ at, direction, coming: play.coming, isOverAll: play.isOn && play.isOverAll }, isResting);
  }

  function jump(text) {
    const step = stepNamed(text, at + 1, steps);
    if (step === null) return say(`“${text}” names no step: write 17, #17, +10, first or last.`);
    focus();
    return go(step - 1);
  }

  async function search(text, way) {
    const start = at;
    const isWanted = () => !isClean && at === start && !question.isOn();
    const step = await store.search(text.trim(), at, way, (words) => isWanted() && say(words), isWanted);
    if (isWanted()) go(step);
  }

  function command(name, isAll = false) {
    if (play.isOn && !STEPPER_WHILE_PLAYING.includes(name)) play.stop();
    const refused = question.refuses(name);
    if (refused !== null) return say(refused);
    const to = index.target(name, at, followed < 0 ? index.rule[at] : followed, isAll);
    if (to !== undefined) return to.step === null ? say(to.words) : go(to.step);
    return others[name]?.(isAll);
  }

  const others = {
    play: (isAll) => (play.isOn ? play.stop() : steps > 0 && play.begin(isAll)),
    jump: () => bar.focusJump(),
    search: () => bar.focusSearch(),
    equation() {
      change(() => (isRuleOpen = !isRuleOpen));
      if (isRuleOpen) details.scrollTop = 0;
    },
    notation: () => write(options.notation === "source" ? "paper" : "source"),
    all: () => hide(index.hiddenCount() > 0 ? [] : besideMain(opening.rules)),
    options: () => toggle(view, view.el.hidden),
    help: () => toggle(help, help.el.hidden),
    copy,
    fold: foldHere,
    filter: () => toggle(list.filter, list.filter.el.hidden),
    caret: nextCaret,
    round: () => list.flipAt(at) || say("This step is in no round of a loop."),
    "next-round": () => goRound(1),
    "previous-round": () => goRound(-1),
    predict: () => steps > 0 && [toggle(list.filter, false), pointer.leave(), question.toggle(at)],
    leave,
  };

  function goRound(direction) {
    const to = list.rounds().next(at, direction);
    return to === null ? say(`No round begins ${direction > 0 ? "behind" : "before"} this step.`) : go(to);
  }

  /** Write terms and captions in this notation. */
  function write(notation) {
    store.rewrite();
    change(() => (options.notation = notation));
    learnLegs();
  }

  let hasRounds = false;

  /** The rounds that are open: at first those that were when the page was left or the cell was run again. */
  function opened() {
    const open = hasRounds ? [...list.rounds().open] : host.recall("rounds", []);
    hasRounds = true;
    return open;
  }

  function learnLegs() {
    const { notation } = options;
    const came = ({ legs, more, rounds }) => isClean || notation !== options.notation || [list.setLegs(legs, more ?? 0, rounds, opened()), say("")];
    if (steps > 0 && host.alive()) host.ask({ ask: "legs", notation }).then(came, () => {});
  }

  function askLegs(from, to) {
    host.ask({ ask: "legs", from, to, notation: options.notation }).then(({ legs }) => isClean || list.addLegs(legs), () => {});
  }

  /** The set of hidden steps has changed. */
  function predicted(words = "") {
    if (drawn !== null) drawn.isStale = true;
    refresh();
    say(words);
  }

  function nextCaret() {
    if (drawn === null) return;
    pointer.next(steps > 0 && !question.isHidden(at));
    say("Arrows move the caret and tell types; t: the other side; Esc: leave.");
  }

  function copy() {
    if (steps === 0) return undefined;
    const address = addressOf(at + 1, steps, question.rule(at).name);
    return copyText(address).then(() => say(`Copied: step #${at + 1}. Paste it into the field of any stepper over this trace.`));
  }

  function pressed(event) {
    const target = event.target;
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) && target.type !== "checkbox") {
      if (event.key === "Escape") {
        event.preventDefault();
        focus();
        say("");
      }
      event.stopPropagation();
      return;
    }
    const name = stepperCommand(event);
    const isPressing = /^(BUTTON|INPUT)$/.test(target.tagName) && (name === "play" || name === "enter");
    if (isPressing) event.stopPropagation();
    if (isPressing || name === null) return;
    const isUpOrDown = name === "up" || name === "down";
    const isNothingOpen = !pointer.isActive && overs.every((over) => over.el.hidden);
    if (!question.typed(name, pointer.caret) && !pointer.moves(name)) {
      if (name === "enter" || (isUpOrDown && target !== list.list) || (name === "leave" && isNothingOpen)) return;
      command(name, event.altKey);
    }
    event.preventDefault();
    event.stopPropagation();
  }

  function leave() {
    const open = overs.find((over) => !over.el.hidden);
    if (open !== undefined) return toggle(open, false);
    pointer.leave();
    return say("");
  }

  function toggle(over, isOpen) {
    for (const each of overs) each.el.hidden = true;
    over.el.hidden = !isOpen;
    if (isOpen) over.focus();
    else focus();
  }

  function showType(found) {
    types.show(found);
    if (found !== null) details.scrollTop = 0;
  }

  /** Restore focus after buttons are redrawn, so that shortcuts keep working. */
  const focus = () => el.focus({ preventScroll: true });

  function flip(fold) {
    focus();
    const set = fold.kind === "origin" ? folds.origins : folds.blocks;
    refold(() => (set.has(fold.key) ? set.delete(fold.key) : set.add(fold.key)));
    if (set.has(fold.key) && panes.some((pane) => staysOpen(pane.rows(), fold))) say(FOLD_WORDS.lookedAt);
  }

  function foldHere() {
    const fold = pointer.fold();
    if (fold !== null) return flip(fold);
    if (pointer.caret !== null) return say("Nothing can be folded here.");
    const numbers = opening.origins.map((_, number) => number).slice(1);
    if (numbers.length === 0) return say("Nothing in this trace was declared as a net, function or handler.");
    const isAny = folds.origins.size > 0;
    refold(() => (isAny ? folds.origins.clear() : numbers.forEach((number) => folds.origins.add(number))));
    return say(isAny ? FOLD_WORDS.unfolded : FOLD_WORDS.folded);
  }

  function refold(how) {
    how();
    view.show(folds);
    if (drawn !== null) drawn.isStale = true;
    change(() => {});
  }

  function change(how) {
    const key = store.key();
    how();
    if (store.key() !== key) pointer.forget();
    persistence.keep("view", { ...options, origins: [...folds.origins], hidden: [...index.hidden], speed: play.speed, rule: isRuleOpen });
    refresh();
    look();
    play.tick();
  }

  function hide(names) {
    index.hide(names);
    list.rebuild();
    change(() => {});
  }

  function came() {
    list.draw();
    if (drawn === null || drawn.isStale || store.refused !== null) refresh();
  }

  function refresh() {
    if (isClean) return;
    const rule = followed < 0 ? index.rule[at] : followed;
    refill(outcome, stepperOutcome(opening, options.notation, question.isOn()));
    question.show(at, store.step(at));
    bar.show({
      at,
      isPlaying: play.isOn,
      isPredicting: question.isOn(),
      isPaper: options.notation === "paper",
      canBack: at > 0,
      canOn: at < steps - 1 && !question.isHidden(at),
      canRule: [-1, 1].map((way) => index.nextOfRule(rule, at, way) !== null),
      canHeap: [-1, 1].map((way) => index.nextPut(at, way) !== null),
    });
    list.at(at, question.horizon(), question.isOn());
    showStep();
    showHeap();
    showNotice();
  }

  /** The visible record of the step, or null while it is not known. */
  const known = () => question.veil(at, store.step(at));

  function showStep() {
    const data = known();
    const now = `${store.key()} ${at} ${isRuleOpen} ${question.isHidden(at)}`;
    middle.classList.toggle("rh-waiting", data === null);
    if (data === null) return showUnknown();
    if (drawn !== null && drawn.now === now && !drawn.isStale) return undefined;
    const isMoved = drawn === null || drawn.now !== now;
    drawn = { now, isStale: false };
    showRule(data.detail, stepperAlike(data));
    grow(store.step(at));
    settle(data, isMoved);
    source.el.hidden = steps === 0;
    source.show(data.detail.span, question.isHidden(at));
    pointer.settle(!question.isHidden(at));
    status.setAttribute("aria-live", play.isOn ? "off" : "polite");
    return say("");
  }

  /** Make the frame higher, up to a limit, if the terms need it; it never shrinks, so that nothing jumps back and forth. */
  function grow({ before, after }) {
    const isStacked = sides[0].offsetTop !== sides[1].offsetTop;
    const missing = panes.map((pane, side) => Math.max(0, [before, after][side].length - pane.visible()));
    const lines = isStacked ? missing[0] + missing[1] : Math.max(...missing);
    // No higher than a window, so that the list stays in sight.
    const most = Math.max(STEPPER_LEAST, Math.min(STEPPER_MOST, window.innerHeight - (isStacked ? 910 : 740)));
    extra = steps === 0 ? 0 : Math.min(extra + lines * STEPPER_LINE, most);
    frame.style.setProperty("--rh-extra", `${extra}px`);
  }

  /** The rule of a step that has not arrived is known; terms of another step are not shown if its own will never arrive. */
  function showUnknown() {
    if (drawn !== null) drawn.isStale = true;
    const detail = { ...STEPPER_UNKNOWN, about: question.isHidden(at) ? "" : store.about(at) ?? "" };
    showRule(detail);
    if (steps > 0) refill(status, stepperStatus(opening, at, question.rule(at), false, detail, list.rounds().words(at), index.hiddenBefore(at)));
    if (host.alive() && store.refused === null && !question.isHidden(at)) return;
    source.el.hidden = true;
    settle({ before: [], after: [], detail }, true);
  }

  function settle({ before, after, detail }, isMoved) {
    const rows = [panes[0].prepare(before, detail.marks_before, folds), panes[1].prepare(after, detail.marks_after, folds)];
    const fits = panes.every((pane, side) => rows[side] <= pane.visible());
    const kinds = [STEPPER_BEFORE, STEPPER_AFTER];
    const lefts = isMoved ? sharedLefts(panes.map((pane, side) => pane.across(...kinds[side]))) : [null, null];
    panes.forEach((pane, side) => pane.settle(fits, ...kinds[side], lefts[side]));
  }

  function showRule(detail, isAlike = false) {
    const isStuck = opening.written.source.value === null;
    const end = isStuck ? "after: no rule fits" : "after: the value";
    refill(labels[0], stepperHeading(steps > 0 ? "before" : isStuck ? "the term" : "the value", detail.marks_before));
    const isHidden = question.isHidden(at);
    const remark = isAlike && steps > 0 && !isHidden ? "written as before" : "";
    refill(labels[1], stepperHeading(at === steps - 1 && !isHidden ? end : "after", detail.marks_after, remark));
    const rule = question.rule(at);
    equation.show(rule, isRuleOpen && !question.isOn());
    frame.classList.toggle("rh-predicting", question.isOn());
    middle.classList.toggle("rh-veiled", isHidden);
    if (rule !== undefined) arrow.show(rule, isRuleOpen || question.isOn());
  }

  function showHeap() {
    const isHidden = question.isHidden(at);
    const { contents, isCurrent } = store.heap(Math.min(isHidden ? at : at + 1, steps));
    heap.show(contents, known()?.detail.change ?? null, isCurrent, isHidden, question.isHidden);
  }

  function showNotice() {
    const again = store.refused !== null && !store.has(at) ? store.refused.words : null;
    refill(notice, stepperNotice(host.alive(), store.has(at), at, again, () => [focus(), go(at)]));
  }

  /** Show a message for a while in place of the caption; without one, the caption. */
  function say(words) {
    clearTimeout(saying);
    const detail = known()?.detail;
    const rule = question.rule(at);
    if (words !== "") {
      refill(status, words);
      saying = setTimeout(() => say(""), STEPPER_MESSAGE_MS);
    } else if (detail !== undefined) {
      refill(status, stepperStatus(opening, at, rule, index.hidden.has(rule?.name), detail, list.rounds().words(at), index.hiddenBefore(at)));
    }
  }

  function keepOpen(name, open) {
    if (open.length > 0 || host.recall(name, []).length > 0) persistence.keep(name, open);
  }

  const sizes = new ResizeObserver(() => {
    const width = panes[0].columns();
    if (!isClean && width !== options.width) change(() => (options.width = width));
    const data = isClean || drawn === null || drawn.isStale ? null : known();
    if (data !== null) settle(data, true);
    list.draw();
  });
  sizes.observe(middle);
  sizes.observe(list.list);
  host.onDeath(() => {
    if (isClean) return;
    if (play.isOn) play.stop();
    else refresh();
  });
  view.show(folds);
  list.rebuild();
  refresh();
  look();
  learnLegs();

  return () => {
    if (hasRounds) keepOpen("rounds", [...list.rounds().open]);
    keepOpen("blocks", [...folds.blocks]);
    persistence.now();
    isClean = true;
    store.clean();
    list.clean();
    play.clean();
    clearTimeout(saying);
    sizes.disconnect();
    el.removeEventListener("keydown", pressed);
  };
}

/** Whether the terms before and after a step are written alike. */
function stepperAlike({ before, after }) {
  return before.length === after.length && before.every(([text], line) => text === after[line][0]);
}
