// The controls of a stepper.
import { barIcon } from "./bar_icons.js";
import { h } from "./dom.js";

const BAR_SPEEDS = [0.5, 1, 2, 5, 10];
function barButton(content, title, label, click, look = null) {
  return h("button", { type: "button", class: look, title, "aria-label": label, on: { click } }, content);
}

/**
 * The bars. `act` has `command(name)`, `slide(step)`, `jump(text)`, `speed(number)`, `follow(rule)` (-1: that of the step) and
 * `search(text, direction)`; `show` displays the current position.
 */
export function stepperBar(opening, speed, act) {
  const steps = opening.steps;
  const button = (name, words, key) =>
    barButton(barIcon(name), `${words} (${key})`, words, (event) => act.command(name, event.altKey));
  const first = button("first", "first step", "Home");
  const previous = button("previous", "step back", "←");
  const next = button("next", "step on", "→");
  const last = button("last", "last step", "End");
  const play = h("button", { type: "button", class: "rh-play", on: { click: (event) => act.command("play", event.altKey) } });
  const speeds = h(
    "select",
    { "aria-label": "speed", title: "speed", on: { change: () => act.speed(Number(speeds.value)) } },
    BAR_SPEEDS.map((each) => h("option", { value: each, selected: each === speed }, `${each}/s`)),
  );
  let shownNumber = "";
  let playing = null;
  const slider = h("input", {
    type: "range", class: "rh-slider", min: 1, max: Math.max(steps, 1), step: 1, value: 1, disabled: steps < 2, "aria-label": "step",
    on: { input: () => act.slide(Number(slider.value) - 1) },
  });
  const field = h("input", {
    type: "text", class: "rh-jump", autocomplete: "off", spellcheck: "false", "aria-label": "jump to step", disabled: steps === 0,
    title: "a number, #17, +10, first, last, or a copied address (g)",
    on: {
      focus: () => field.select(),
      blur: () => (field.value = shownNumber),
      keydown: (event) => event.key === "Enter" && act.jump(field.value),
    },
  });
  const rules = h(
    "select",
    { "aria-label": "rule to go to", disabled: steps === 0, on: { change: () => act.follow(Number(rules.value)) } },
    h("option", { value: -1 }, "same rule"),
    opening.rules.map((rule, i) => h("option", { value: i }, `${rule.name} (${rule.times})`)),
  );
  const pair = (back, on, what, keys) => {
    const make = (name, icon, words, key) =>
      barButton(barIcon(icon), `${words} ${what} (${key})`, `${words} ${what}`, () => act.command(name), "rh-half");
    return [make(back, "previous", "previous", keys[1]), make(on, "next", "next", keys[0])];
  };
  const ruleButtons = pair("previous-rule", "next-rule", "step of this rule", "rR");
  const heapButtons = pair("previous-heap", "next-heap", "change of the heap", "hH");
  const sought = h("input", {
    type: "search", class: "rh-search", placeholder: "find (/)", "aria-label": "search for a step", spellcheck: "false",
    disabled: steps === 0,
    on: { keydown: (event) => event.key === "Enter" && act.search(sought.value, event.shiftKey ? -1 : 1) },
  });
  const seek = (direction, icon, words) => barButton(barIcon(icon), words, words, () => act.search(sought.value, direction), "rh-half");
  const seeks = [seek(-1, "previous", "find backwards"), seek(1, "next", "find forwards")];
  const text = (name, words, title) => h("button", { type: "button", title, on: { click: () => act.command(name) } }, words);
  const predict = text("predict", "Predict", "be asked for each rule before it is shown (p)");
  const paper = text("notation", "Paper notation", "write terms as in the paper, or as you type them (w)");
  const options = text("options", "View", "how terms are written, and what is folded (f)");
  const el = h(
    "div",
    { class: "rh-controls" },
    h(
      "div",
      { class: "rh-bar", role: "toolbar", "aria-label": "steps" },
      h("span", { class: "rh-joined" }, first, previous, next, last),
      play,
      speeds,
      slider,
      h("label", { class: "rh-nowrap" }, "step ", field, ` of ${steps.toLocaleString("en")}`),
    ),
    h(
      "div",
      { class: "rh-bar", role: "toolbar", "aria-label": "find a step" },
      h("span", { class: "rh-joined" }, rules, ruleButtons),
      h("span", { class: "rh-joined" }, h("span", { class: "rh-joined-label", title: "changes of the heap" }, "heap"), heapButtons),
      h("span", { class: "rh-joined" }, sought, seeks),
      h("span", { class: "rh-grow" }),
      predict,
      paper,
      options,
      text("copy", "Copy #", "copy the address of this step (c)"),
      text("help", "?", "keys (?)"),
    ),
  );
  const disable = (element, isOff) => {
    // A disabled button keeps its focus, so that shortcuts work at the last step.
    if (isOff) element.setAttribute("aria-disabled", "true");
    else element.removeAttribute("aria-disabled");
  };
  if (steps === 0) for (const element of el.querySelectorAll(".rh-joined button, .rh-play, select")) element.disabled = true;
  predict.disabled = steps === 0;
  return {
    el,
    show({ at, isPlaying, isPredicting, isPaper, canBack, canOn, canRule, canHeap }) {
      slider.value = String(at + 1);
      slider.setAttribute("aria-valuetext", `step ${at + 1} of ${steps}`);
      shownNumber = steps === 0 ? "0" : String(at + 1);
      if (document.activeElement !== field) field.value = shownNumber;
      disable(first, !canBack);
      disable(previous, !canBack);
      disable(next, !canOn);
      disable(last, !canOn);
      ruleButtons.forEach((element, i) => disable(element, isPredicting || !canRule[i]));
      heapButtons.forEach((element, i) => disable(element, isPredicting || !canHeap[i]));
      [play, ...seeks].forEach((element) => disable(element, isPredicting));
      for (const element of [rules, sought]) element.disabled = steps === 0 || isPredicting;
      paper.setAttribute("aria-pressed", String(isPaper));
      predict.setAttribute("aria-pressed", String(isPredicting));
      if (playing !== isPlaying) {
        playing = isPlaying;
        play.replaceChildren(barIcon(isPlaying ? "pause" : "play"), document.createTextNode(isPlaying ? " Pause" : " Play"));
        play.title = `${isPlaying ? "pause" : "play"} (Space)`;
      }
    },
    focusJump: () => field.focus(),
    focusSearch: () => sought.focus(),
  };
}
