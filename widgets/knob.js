// A knob: a slider or a list for the value of a name, and the outputs that follow it.
import { h, refill } from "./dom.js";
import { followWords } from "./follow.js";
import { latestOnly } from "./latest.js";

const KNOB_SETTLED_MS = 400;
const KNOB_AGAIN_MS = 500;
const KNOB_AS_WRITTEN = "as written";

/** Fill `el` with the knob of `host.opening`; returns a function that disposes of it. */
export function knob(host, el) {
  let record = host.opening;
  let timer = null;
  let moved = null;
  const isList = record.scale === "list";
  const texts = record.values;
  // A parameter of a handler has, before it is changed, what is written in each application: the index -1.
  const first = record.parameter ? 1 : 0;
  const equals = h("span", {}, " = ");
  const name = h("label", { class: "rh-knob-name" }, h("code", {}, record.name), equals);
  const value = h("output", { class: "rh-knob-value" });
  const id = `rh-knob-${Math.random().toString(36).slice(2)}`;
  const input = isList
    ? h("select", { id, on: { change: (event) => move(event.target.selectedIndex - first) } },
      [...(record.parameter ? [KNOB_AS_WRITTEN] : []), ...texts].map((text) => h("option", {}, text)))
    : h("input", {
      id,
      type: "range",
      min: 0,
      max: texts.length - 1,
      step: 1,
      on: { input: (event) => move(Number(event.target.value)) },
    });
  name.setAttribute("for", id);
  const notice = h("div", { role: "status" });
  const followers = h("ul", { class: "rh-knob-followers" });
  const ends = isList ? null : [
    h("span", { class: "rh-knob-end" }, texts[0]),
    input,
    h("span", { class: "rh-knob-end" }, `${texts[texts.length - 1]}${record.scale === "log" ? ", log" : ""}`),
  ];

  const back = record.parameter && !isList
    ? h("button", { type: "button", title: "give each application what is written there", on: { click: () => move(-1) } }, KNOB_AS_WRITTEN)
    : null;

  /** The slider is at an index: say so at once, and tell the kernel. */
  function move(at) {
    moved = at;
    place(at, at < 0 ? KNOB_AS_WRITTEN : texts[at]);
    clearTimeout(timer);
    turn(at);
  }

  const turn = latestOnly(async (at) => {
    try {
      const answer = await host.ask({ ask: "turn", at });
      refill(notice);
      if (moved === at) moved = null;
      show(answer);
    } catch (error) {
      refill(notice, h("p", { class: "rh-gone" }, error.message));
      if (host.alive() && moved === at && /running/.test(error.message)) timer = setTimeout(() => turn(moved), KNOB_AGAIN_MS);
    }
  }, () => {
    if (moved === null) rest();
  });

  /** Renew the outputs of the saved notebook unless something changes soon. */
  function rest() {
    clearTimeout(timer);
    timer = setTimeout(() => host.ask({ ask: "settle" }).catch(() => undefined), KNOB_SETTLED_MS);
  }

  /** Show an index and its text; without a value the slider is grey and stands in the middle. */
  function place(at, text) {
    if (isList) input.selectedIndex = at + first;
    else input.value = String(at < 0 ? Math.floor(texts.length / 2) : at);
    input.classList.toggle("rh-knob-unset", at < 0);
    equals.textContent = at < 0 && !isList ? " " : " = ";
    value.textContent = isList ? "" : text;
    input.setAttribute("aria-valuetext", text);
    if (back !== null) back.hidden = at < 0;
  }

  function pin(number, on) {
    host.ask({ ask: "pin", number, on }).then((answer) => {
      show(answer);
      rest();
    }).catch((error) => refill(notice, h("p", { class: "rh-gone" }, error.message)));
  }

  function line({ number, label, state, why, follows, applications }) {
    const [sign, word] = followWords(state);
    const toggle = h(
      "button",
      {
        type: "button",
        "aria-pressed": String(state === "pinned"),
        "data-number": number,
        title: "a pinned output does not run again",
        on: { click: () => pin(number, state !== "pinned") },
      },
      state === "pinned" ? "unpin" : "pin",
    );
    const several = applications > 1 ? ` in ${applications} applications` : "";
    const reason = state === "behind" ? `: ${why}` : state === "follows" ? several : "";
    return h(
      "li",
      { class: `rh-follow-${state}` },
      follows ? toggle : null,
      h("code", {}, label),
      h("span", { class: "rh-knob-state" }, h("span", { "aria-hidden": "true" }, ` ${sign} `), `${word}${reason}`),
    );
  }

  function show(next) {
    const wasGone = record.gone !== "";
    record = { ...record, ...next };
    if (moved === null) place(record.at, record.value);
    input.disabled = record.gone !== "" || !host.alive();
    if (record.gone !== "") refill(notice, h("p", { class: "rh-gone" }, record.gone));
    else if (wasGone) refill(notice);
    const active = el.contains(document.activeElement) ? document.activeElement.getAttribute("data-number") : null;
    refill(followers, record.followers.map(line));
    if (active !== null) followers.querySelector(`[data-number="${Number(active)}"]`)?.focus({ preventScroll: true });
  }

  el.setAttribute("data-lm-suppress-shortcuts", "true");
  el.append(
    h("div", { class: "rh-knob-line" }, name, isList ? input : [value, h("span", { class: "rh-knob-range" }, ends)], back),
    notice,
    followers,
  );
  show(record);
  host.onOpening(show);
  host.onDeath(() => {
    input.disabled = true;
    refill(notice, h("p", { class: "rh-gone" }, "The kernel no longer knows this. Run the cell again."));
  });
  return () => {
    clearTimeout(timer);
    el.replaceChildren();
  };
}
