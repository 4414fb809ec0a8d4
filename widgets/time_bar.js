// A bar to go through the states of a run: a slider, a button that plays them, and how fast.
import { h } from "./dom.js";

const TIME_STEPS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10, Home: -Infinity, End: Infinity };

/** The state nearest to a value of the slider: `values` are ascending. */
export function timeNearest(values, value) {
  let best = 0;
  for (let i = 1; i < values.length; i += 1) if (Math.abs(values[i] - value) < Math.abs(values[best] - value)) best = i;
  return best;
}

/**
 * A bar over states with ascending `values`, such as the numbers of batches. `show(n)` is called for each state on the way, `keep(n)`
 * where one stays; `words(n)` says which state that is. The arrow keys go from state to state, Space plays.
 */
export function timeBar({ values, at, what, label, speeds, speed, words, show, keep }) {
  const last = values.length - 1;
  let now = Math.min(Math.max(at, 0), last);
  let pace = speed;
  let timer = null;
  const play = h("button", { type: "button", class: "rh-time-play", disabled: last === 0, on: { click: () => (timer === null ? start() : stop()) } });
  const select = h(
    "select",
    { "aria-label": "speed", on: { change: () => hurry(Number(select.value)) } },
    speeds.map((x) => h("option", { value: x, selected: x === speed }, `${x} a second`)),
  );
  const where = h("span", { class: "rh-time-where" });
  const slider = h("input", { type: "range", class: "rh-time-slider", min: values[0], max: String(values[last] || 1), step: 1, "aria-label": label, on: { input: () => go(timeNearest(values, Number(slider.value))), keydown: pressed } });

  function go(n) {
    stop();
    move(n);
    keep(now);
  }

  function move(n) {
    now = Math.min(Math.max(n, 0), last);
    update();
    show(now);
  }

  function update() {
    const text = words(now);
    where.textContent = text;
    slider.value = String(values[now]);
    slider.setAttribute("aria-valuetext", text);
    play.textContent = timer === null ? "▶ Play" : "❚❚ Pause";
    play.setAttribute("aria-label", timer === null ? `▶ Play the ${what} (Space)` : "❚❚ Pause (Space)");
  }

  // The keys go from one state to the next, also where these are far apart.
  function pressed(event) {
    if (event.key === " ") play.click();
    else if (TIME_STEPS[event.key] === undefined) return;
    else go(now + TIME_STEPS[event.key]);
    event.preventDefault();
  }

  function start() {
    timer = setInterval(() => (now === last ? stop() : move(now + 1)), 1000 / pace);
    move(now === last ? 0 : now);
  }

  function stop() {
    if (timer === null) return;
    clearInterval(timer);
    timer = null;
    keep(now);
    update();
  }

  function hurry(value) {
    pace = value;
    if (timer === null) return;
    clearInterval(timer);
    start();
  }

  update();
  return { bar: h("div", { class: "rh-bar" }, play, select, where), slider, go, stop, now: () => now };
}
