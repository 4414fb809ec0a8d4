// The mark on a view that depends on a knob: whether it shows the current values.
import { h, refill } from "./dom.js";

const FOLLOW_STATES = {
  follows: ["●", "follows"],
  behind: ["○", "stale"],
  pinned: ["▪", "pinned"],
};

/** The sign and the word for a state of a view that depends on a knob. */
export function followWords(state) {
  return FOLLOW_STATES[state] ?? FOLLOW_STATES.follows;
}

/** The mark of a model: hidden unless the view depends on a knob. */
export function followMark(model) {
  const element = h("div", { class: "rh-live rh-follow", role: "status", hidden: true });

  function show() {
    const { state, names, why } = model.get("mark") ?? {};
    element.hidden = state === undefined;
    if (state === undefined) return;
    const [sign, word] = followWords(state);
    const words = state === "follows" ? `follows ${names}` : state === "pinned" ? `pinned: it does not follow ${names}` : `stale, it does not follow ${names}: ${why}`;
    element.className = `rh-live rh-follow rh-follow-${state}`;
    refill(element, h("span", { "aria-hidden": "true" }, `${sign} `), words);
    element.title = word;
  }

  model.on("change:mark", show);
  show();
  return { element, release: () => model.off("change:mark", show) };
}
