// The controls of a trace of whole terms.
import { barIcon } from "./bar_icons.js";
import { h } from "./dom.js";

/** The bars. `act` has `command(name)`, `go(step)`, `jump(text)`, `follow(rule)` and `search(text, direction)`. */
export function rewritingBar({ steps, rules, changes }, act) {
  const button = (content, words, key, click) =>
    h("button", { type: "button", title: `${words} (${key})`, "aria-label": words, disabled: steps === 0, on: { click } }, content);
  const command = (icon, words, key, name) => button(barIcon(icon), words, key, () => act.command(name));
  const play = command("play", "play, pause", "Space", "play");
  const slider = h("input", {
    type: "range", class: "rh-rewriting-slider", min: 1, max: Math.max(steps, 1), step: 1, value: 1, disabled: steps < 2,
    "aria-label": "step", on: { input: () => act.go(Number(slider.value) - 1) },
  });
  const field = h("input", {
    type: "text", class: "rh-rewriting-jump", autocomplete: "off", spellcheck: "false", "aria-label": "jump to step",
    title: "a number, +10, first or last (g)", disabled: steps === 0,
    on: { focus: () => field.select(), keydown: (event) => event.key === "Enter" && act.jump(field.value) },
  });
  const sought = h("input", {
    type: "search", class: "rh-rewriting-search", placeholder: "find (/)", "aria-label": "find in the terms", spellcheck: "false",
    disabled: steps === 0, on: { keydown: (event) => event.key === "Enter" && act.search(sought.value, event.shiftKey ? -1 : 1) },
  });
  const chips = rules.map((rule, n) => {
    const title = [rule.gloss, rule.figure].filter((words) => words !== "").join("; ");
    const content = [h("span", { class: "rh-rewriting-name" }, rule.name), ` ${rule.times.toLocaleString("en")}`];
    const label = `${rule.name} ${rule.times.toLocaleString("en")}: next step by it`;
    return h("button", { type: "button", class: "rh-rewriting-chip", title, "aria-label": label, on: { click: () => act.follow(n) } }, content);
  });
  const changing = [
    command("previous", "previous change of a cell", "H", "previous-change"),
    command("next", "next change of a cell", "h", "next-change"),
  ];
  const first = h(
    "div",
    { class: "rh-bar", role: "toolbar", "aria-label": "steps" },
    command("first", "first step", "Home", "first"),
    command("previous", "step back", "←", "previous"),
    command("next", "step on", "→", "next"),
    command("last", "last step", "End", "last"),
    play,
    slider,
    h("label", { class: "rh-rewriting-nowrap" }, "step ", field, ` of ${steps.toLocaleString("en")}`),
    changes.length === 0 ? null : h("span", { class: "rh-rewriting-nowrap rh-rewriting-quiet" }, "change of a cell ", changing),
    sought,
  );
  const el = h("div", { class: "rh-rewriting-bars" }, first, h("div", { class: "rh-bar", role: "toolbar", "aria-label": "rules" }, chips));
  return {
    el,
    focusJump: () => field.focus(),
    focusSearch: () => sought.focus(),
    show(at, isPlaying, index) {
      slider.value = String(at + 1);
      slider.setAttribute("aria-valuetext", `step ${at + 1} of ${steps}`);
      field.value = steps === 0 ? "0" : String(at + 1);
      play.replaceChildren(barIcon(isPlaying ? "pause" : "play"));
      chips.forEach((chip, n) => chip.setAttribute("aria-pressed", String(index.fired[at] === n)));
    },
  };
}
