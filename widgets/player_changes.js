// Sliders for the input and the weights of a pass: what would have been, without effect.
import { h, refill } from "./dom.js";
import { latestOnly } from "./latest.js";
import { playerNumber } from "./player_words.js";

const CHANGES_STEPS = 200;

/** The ends of a slider for a number: around it and 0, with room on both sides. */
export function changesRange(number) {
  const far = Math.max(1, 2 * Math.abs(number));
  return [-far, far];
}

/** The arrays that differ from what they were, by name. */
export function changesMade(arrays, now) {
  return Object.fromEntries(arrays.filter(({ name, numbers }) => numbers.some((x, i) => x !== now[name][i])).map(({ name }) => [name, now[name]]));
}

/** The sliders of a player; `renew(opening)` shows another pass, `stale(is)` marks the one shown as that of earlier numbers. */
export function playerChanges(host, { renew, stale }) {
  if (host.opening.changes !== true) return null;
  const body = h("div", { class: "rh-changes-arrays" });
  const words = h("div", { class: "rh-player-quiet", role: "status" });
  const back = h("button", { type: "button", disabled: true, on: { click: () => reset() } }, "as it was");
  let arrays = [];
  let now = {};

  const push = latestOnly(async (given) => {
    try {
      const opening = await host.ask({ ask: "change", arrays: given });
      renew(opening);
      words.textContent = Object.keys(given).length > 0 ? "This is what would have been: nothing of it takes effect." : "";
      stale(false);
    } catch (error) {
      words.textContent = error.message;
    }
  });

  function send() {
    const given = changesMade(arrays, now);
    back.disabled = Object.keys(given).length === 0;
    stale(true);
    push(given);
  }

  function reset() {
    for (const { name, numbers } of arrays) now[name] = [...numbers];
    draw();
    send();
  }

  function cell({ name, title, shape }, i) {
    const place = shape.length < 2 ? `${i + 1}` : `${Math.floor(i / shape[shape.length - 1]) + 1}, ${(i % shape[shape.length - 1]) + 1}`;
    const [low, high] = changesRange(arrays.find((array) => array.name === name).numbers[i]);
    const text = h("output", {}, playerNumber(now[name][i], 3));
    const input = h(
      "input",
      {
        type: "range",
        min: 0,
        max: CHANGES_STEPS,
        step: 1,
        value: Math.round((CHANGES_STEPS * (now[name][i] - low)) / (high - low)),
        "aria-label": `${title}, entry ${place}`,
        "aria-valuetext": playerNumber(now[name][i], 3),
        title: `${title}, entry ${place}`,
        on: {
          input: (event) => {
            const x = low + ((high - low) * Number(event.target.value)) / CHANGES_STEPS;
            now[name][i] = Number(x.toPrecision(3));
            text.textContent = playerNumber(now[name][i], 3);
            event.target.setAttribute("aria-valuetext", text.textContent);
            send();
          },
        },
      },
    );
    return h("label", { class: "rh-changes-number" }, input, text);
  }

  function draw() {
    refill(body, arrays.map((array) => h(
      "div",
      { class: "rh-changes-array" },
      h("b", { class: "rh-player-name" }, array.title),
      h("div", { class: "rh-changes-grid", style: `--rh-columns:${array.shape[array.shape.length - 1] ?? 1}` }, array.numbers.map((_, i) => cell(array, i))),
    )));
  }

  async function open() {
    if (!element.open || arrays.length > 0) return;
    try {
      ({ arrays } = await host.ask({ ask: "offered" }));
      now = Object.fromEntries(arrays.map(({ name, numbers }) => [name, [...numbers]]));
      draw();
      if (arrays.length === 0) words.textContent = "There is no input and no location of few numbers here.";
    } catch (error) {
      words.textContent = error.message;
    }
  }

  const element = h(
    "details",
    { class: "rh-player-details rh-changes", on: { toggle: open } },
    h("summary", {}, "What if the input or a weight were another?"),
    h("div", { class: "rh-bar" }, back, words),
    body,
  );
  return {
    element,
    /** What is shown has been replaced by a pass with the original numbers. */
    forget() {
      for (const { name, numbers } of arrays) now[name] = [...numbers];
      back.disabled = true;
      words.textContent = "";
      stale(false);
      draw();
    },
  };
}
