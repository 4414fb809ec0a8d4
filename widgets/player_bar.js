// The controls of a pass: the current position and leg, and navigation.
import { barIcon } from "./bar_icons.js";
import { DRAWING_FOLD_KEYS, DRAWING_KEYS } from "./drawing_bar.js";
import { h } from "./dom.js";

const PLAYER_SPEEDS = [0.5, 1, 2, 4, 10];

/** The control bar; calls `act(name, value)`. */
export function playerBar(act, legs, last, unit) {
  const button = (name, text, label, more = {}) => h(
    "button",
    { type: "button", "aria-label": label, title: label, on: { click: () => act(name) }, ...more },
    text,
  );
  const play = button("play", "", "play or pause (Space)", { class: "rh-player-play" });
  const slider = h(
    "input",
    {
      type: "range",
      min: 0,
      max: last,
      step: 1,
      "aria-label": "how many boxes have run",
      on: { input: (event) => act("go", Number(event.target.value)) },
    },
  );
  const speed = h(
    "select",
    { "aria-label": "speed", title: "boxes a second", on: { change: (event) => act("speed", Number(event.target.value)) } },
    PLAYER_SPEEDS.map((x) => h("option", { value: x, selected: x === 1 }, `${x} a second`)),
  );
  const [first, back, forward, end] = [
    button("first", barIcon("first"), "to the start (Home)"),
    button("back", barIcon("previous"), "one box back (←)"),
    button("forward", barIcon("next"), "one box on (→)"),
    button("last", barIcon("last"), "to the end (End)"),
  ];
  const turn = button("turn", "↺ turn", "to the turn (t)");
  const put = button("put", "next Put", "to the next Put (p)");
  const count = h("span", { class: "rh-player-count" });
  const strip = h(
    "div",
    { class: "rh-player-legs", "aria-hidden": "true" },
    legs.map((leg) => h(
      "span",
      { class: `rh-player-leg rh-player-leg-${leg.leg}`, style: `flex-grow:${leg.long}`, title: leg.words },
      leg.text,
    )),
  );
  const element = h(
    "div",
    { class: "rh-player-bar" },
    h("div", { class: "rh-bar", role: "toolbar", "aria-label": "the pass" }, first, back, forward, end, play, speed, turn, put, count),
    h("div", { class: "rh-player-track" }, slider, strip),
  );
  let playing = null;
  return {
    element,
    show(at, words, { isPlaying, hasTurn, hasPut }) {
      slider.value = String(at);
      slider.setAttribute("aria-valuetext", words);
      count.textContent = `${unit} ${at} of ${last}`;
      if (playing !== isPlaying) {
        playing = isPlaying;
        play.replaceChildren(barIcon(isPlaying ? "pause" : "play"), document.createTextNode(isPlaying ? " Pause" : " Play"));
      }
      for (const element of [first, back]) element.disabled = at === 0;
      for (const element of [forward, end]) element.disabled = at === last;
      turn.disabled = !hasTurn;
      put.disabled = !hasPut;
    },
    speed: (value) => (speed.value = String(value)),
  };
}

/** The segments of the strip below the slider: the length of each leg in moments. */
export function playerLegs(pass, moments) {
  if (pass.turn === null) return [];
  const stretches = [];
  for (const [frame] of moments.slice(1)) {
    const leg = pass.legAt(frame);
    const last = stretches[stretches.length - 1];
    if (last?.leg === leg) last.long += 1;
    else stretches.push({ leg, long: 1, ...PLAYER_LEG_WORDS[leg] });
  }
  return stretches;
}

/** Keyboard shortcuts: `[keys, words, command]`. */
export const PLAYER_KEYS = [
  [["ArrowLeft"], "← one box back", "back"],
  [["ArrowRight"], "→ one box on", "forward"],
  [["Home"], "Home to the start", "first"],
  [["End"], "End to the end", "last"],
  [[" "], "Space play or pause", "play"],
  [["t"], "t to the turn", "turn"],
  [["p"], "p to the next Put", "put"],
  [["P"], "P to the Put before", "putBefore"],
  [["r"], "r to the next round", "nextRound"],
  [["R"], "R to the round before", "roundBefore"],
  [["ArrowDown"], "↓ to the next box or wire", "down"],
  [["ArrowUp"], "↑ to the one before", "up"],
  [["Enter"], "Enter what is here", "inspect"],
  [["Escape"], "Esc nothing picked", "clear"],
  ...DRAWING_FOLD_KEYS,
  ...DRAWING_KEYS,
];

/** The command of a key, or null: fields and buttons keep the keys that they need themselves. */
export function playerCommand(key, tag, type) {
  const isTyping = tag === "SELECT" || tag === "TEXTAREA" || (tag === "INPUT" && type !== "range" && type !== "checkbox");
  if (isTyping) return null;
  if ((tag === "BUTTON" || tag === "SUMMARY" || tag === "INPUT") && (key === " " || key === "Enter")) return null;
  return PLAYER_KEYS.find(([keys]) => keys.includes(key))?.[2] ?? null;
}

const PLAYER_LEG_WORDS = {
  forward: { text: "forward pass ▸", words: "the forward pass" },
  return: { text: "↺", words: "the turn: the return clause" },
  backward: { text: "◂ backward pass", words: "the backward pass" },
};
