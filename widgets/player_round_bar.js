// The controls for the rounds of the loops of a pass, and the pictures of the size of the cotangent by round.
import { h } from "./dom.js";

/** The control of rounds, or null if there is no loop; `jump(loop, round)` goes to where that round begins. */
export function playerRoundBar(rounds, jump) {
  if (rounds.top.length === 0) return null;
  let [loop, round] = [rounds.top[0], 1];
  const count = () => loop.begins.length;
  const go = (to) => jump(loop, Math.min(count(), Math.max(1, to)));
  let isEdited = false;
  const enter = () => {
    isEdited = false;
    go(Math.round(Number(field.value)) || 1);
  };
  const choice = h(
    "select",
    { "aria-label": "loop", on: { change: (event) => ((loop = rounds.top[Number(event.target.value)]), go(round)) } },
    rounds.top.map((found, i) => h("option", { value: i }, found.title)),
  );
  const field = h(
    "input",
    {
      type: "number",
      min: 1,
      step: 1,
      class: "rh-player-round-number",
      "aria-label": "number of the round",
      on: { input: () => (isEdited = true), change: () => enter(), keydown: (event) => event.key === "Enter" && enter() },
    },
  );
  const slider = h(
    "input",
    {
      type: "range",
      min: 1,
      step: 1,
      class: "rh-player-round-slider",
      "aria-label": "round",
      on: { input: (event) => go(Number(event.target.value)) },
    },
  );
  const button = (text, label, step) => h(
    "button",
    { type: "button", "aria-label": label, title: label, on: { click: () => go(round + step) } },
    text,
  );
  const [before, after] = [button("− 1", "the round before in number (R)", -1), button("+ 1", "the next round in number (r)", 1)];
  const total = h("span", {});
  const state = h("span", { class: "rh-player-quiet" });
  const element = h("div", { class: "rh-bar rh-player-rounds" }, choice, "round", before, field, after, total, slider, state);
  return {
    element,
    step: (by) => go(round + by),
    show(frame) {
      const here = rounds.roundAt(frame);
      if (here !== null) [loop, round] = [here.loop, here.round];
      choice.value = String(rounds.top.indexOf(loop));
      for (const input of [field, slider]) {
        input.max = count();
        if (input !== field || !isEdited) input.value = String(round);
      }
      total.textContent = `of ${count()}`;
      before.disabled = round <= 1;
      after.disabled = round >= count();
      state.textContent = here === null ? "not in a loop now" : here.loop.back ? "◂ going back" : "going forward ▸";
      element.classList.toggle("rh-player-rounds-back", here?.loop.back === true);
    },
  };
}

/** The pictures of the size of the cotangent by round; the returned `show(frame)` marks the current round. */
export function playerSizes(pass) {
  const sizes = pass.record.sizes ?? [];
  if (sizes.length === 0) return null;
  const lines = sizes.map((size) => ({ size, line: h("span", { class: "rh-player-sizes-now", hidden: true }) }));
  const element = h(
    "div",
    { class: "rh-player-sizes" },
    lines.map(({ size, line }) => h(
      "div",
      { class: "rh-player-sizes-one", style: `width:${size.width}px;max-width:100%` },
      h("img", { src: size.source, alt: size.words, title: size.words, style: "width:100%" }),
      line,
    )),
  );
  return {
    element,
    show(frame) {
      const here = pass.rounds.roundAt(frame);
      for (const { size, line } of lines) {
        const isHere = here !== null && (here.loop.id === size.loop || here.loop.id === size.back);
        line.hidden = !isHere;
        if (!isHere) continue;
        const after = here.loop.back ? here.round - 1 : here.round;
        const x = size.left + ((size.right - size.left) * after) / Math.max(1, size.rounds);
        line.style.left = `${((100 * x) / size.width).toFixed(2)}%`;
      }
    },
  };
}
