// Details of a wire or box, and locations with their contents before and after.
import { h, refill } from "./dom.js";
import { heatPictures, heatPlane, heatReal, heatScale } from "./heat.js";
import { playerChange, playerNorm } from "./player_pass.js";
import { playerFacts, playerList, playerNumber, playerRole, playerSize, playerState } from "./player_words.js";

const PLAYER_WRITTEN = 64;

/** Details of a wire at a frame; `more` fetches all of its entries, `pick` selects another wire. */
export function playerWireDetails(pass, id, frame, { fetched, more, pick, heading }) {
  const wire = pass.wires.get(id);
  const state = pass.wireState(id, frame);
  const link = (other) => h(
    "button",
    { type: "button", class: "rh-player-link", on: { click: () => pick({ wire: other }) } },
    pass.wires.get(other).name,
  );
  const relation = [];
  if (wire.of !== null && pass.wires.has(wire.of)) relation.push(h("div", {}, "cotangent of ", link(wire.of)));
  const back = pass.partners(id).filter((other) => other !== wire.of);
  if (back.length > 0 && wire.role !== "cotangent") relation.push(h(
    "div",
    {},
    back.length === 1 ? "its cotangent: " : "its cotangents: ",
    back.map((other) => [link(other), " "]),
  ));
  const maker = pass.maker.get(id);
  const readers = (pass.readers.get(id) ?? []).map((reader) => pass.steps.get(reader).label);
  const made = maker === undefined ? "comes in from outside" : `made by ${maker.label}`;
  const way = `${made}; read by ${readers.length === 0 ? "nothing" : playerList([...new Set(readers)])}`;
  return h(
    "div",
    { class: "rh-player-card" },
    h(
      "div",
      { class: "rh-player-head" },
      heading ?? null,
      h("b", { class: `rh-player-name rh-player-ink-${wire.role}` }, wire.name),
      h("code", {}, wire.type),
      h("span", { class: "rh-player-state" }, playerState(state)),
    ),
    h("div", { class: "rh-player-quiet" }, pass.steps.size === 0 ? playerRole(wire.role) : `${playerRole(wire.role)}; ${way}`),
    relation,
    state === "empty" ? h("p", { class: "rh-player-not" }, "not computed yet") : playerNumbers(
      fetched?.content ?? wire.content,
      wire.name,
      fetched?.rows,
      more,
    ),
  );
}

/** What a box does, and its wires. */
export function playerBoxDetails(pass, box, frame, pick) {
  const members = new Set(box.members ?? [box.id]);
  const steps = [...pass.steps.values()].filter((step) => members.has(step.box));
  const inside = new Set(steps.flatMap((step) => step.makes));
  const reads = [...new Set(steps.flatMap((step) => step.reads))].filter((wire) => !inside.has(wire));
  const words = { later: "has not run yet", now: "runs now", ran: "has run", skipped: "is not in the branch that runs" };
  const line = (title, wires) => (wires.length === 0 ? null : h(
    "tr",
    {},
    h("th", { scope: "row" }, title),
    h("td", {}, wires.map((wire) => playerLine(pass, wire, frame, pick))),
  ));
  const isHere = (use) => steps.some((step) => step.frame === use.frame);
  const uses = pass.uses.filter((use) => use.kind === "Put" && use.frame <= frame && isHere(use));
  return h(
    "div",
    { class: "rh-player-card" },
    h(
      "div",
      { class: "rh-player-head" },
      h("b", {}, box.label),
      h("span", { class: "rh-player-state" }, words[pass.boxState(box, frame)]),
    ),
    h("div", { class: "rh-player-quiet" }, box.title),
    h("table", { class: "rh-player-ports" }, h("tbody", {}, line("reads", reads), line("makes", [...inside]))),
    uses.map((use) => h("div", {}, playerChange(use))),
  );
}

/** Show the locations of the passes, redrawing only if one has changed since `shown`; scroll to what was just written. */
export function playerShowWeights(element, passes, frames, shown) {
  const said = (weight, frame) => `${weight.last?.frame} ${weight.last?.frame === frame} ${weight.last?.after.values === null}`;
  const key = JSON.stringify(passes.map((pass, p) => pass.weights(frames[p]).map((weight) => said(weight, frames[p]))));
  if (key === shown) return key;
  const heading = (p) => (passes.length > 1 ? `Locations, ${p === 0 ? "first" : "second"} pass` : "Locations");
  const top = element.scrollTop;
  refill(element, passes.map((pass, p) => playerWeights(pass, frames[p], heading(p))));
  const just = element.querySelector(".rh-player-just");
  const above = just === null ? 0 : just.getBoundingClientRect().top - element.getBoundingClientRect().top + element.scrollTop;
  const isSeen = just === null || (above >= top && above + just.offsetHeight <= top + element.clientHeight);
  element.scrollTop = isSeen ? top : above - 8;
  return key;
}

/** The locations before and after, side by side, with a note on what a Put has just written. */
export function playerWeights(pass, frame, heading) {
  const weights = pass.weights(frame);
  if (weights.length === 0) return null;
  return h(
    "div",
    { class: "rh-player-weights" },
    h("div", { class: "rh-player-title" }, heading),
    weights.map((weight) => playerWeight(weight, frame)),
  );
}

function playerWeight({ location, before, after, puts, last }, frame) {
  const lists = [before, after].map((content) => content?.values ?? []);
  const scale = heatScale(...lists);
  const isNow = last !== null && last.frame === frame;
  const words = after !== null ? playerChange(last).replace(`${location} `, "") : puts === 0 ? "only read" : "not updated yet";
  const picture = (content, words, by) => h(
    "figure",
    {},
    heatPictures(content, `${location} ${words}: ${playerFacts(content)}`, by, 90)[0] ?? h("code", {}, content.text),
    h("figcaption", {}, words),
  );
  const first = picture(before, puts === 0 ? "content" : "before", scale);
  const change = after === null ? null : playerDelta(last);
  // Reserve the space of what a Put will write.
  const waiting = (words) => h(
    "figure",
    { class: "rh-player-blank" },
    playerBlank(first.firstChild),
    h("figcaption", {}, words),
  );
  const written = after === null ? waiting("after") : picture(after, "after", scale);
  const added = after === null && first.firstChild.localName === "svg"
    ? waiting("change")
    : change && picture(change, "change", heatScale(change.values));
  return h(
    "div",
    { class: `rh-player-weight${isNow ? " rh-player-just" : ""}` },
    h(
      "div",
      { class: "rh-player-head" },
      h("b", { class: "rh-player-name rh-player-ink-parameter" }, location),
      h("code", {}, before.type),
    ),
    h(
      "div",
      { class: "rh-player-change" },
      first,
      puts === 0 ? null : [h("span", { "aria-hidden": "true" }, "→"), written, added],
    ),
    h("div", { class: "rh-player-quiet" }, isNow ? `just now ${words}` : words),
  );
}

// A blank field of the size of a thumbnail.
function playerBlank(picture) {
  const [width, height] = ["width", "height"].map((name) => picture.getAttribute(name) ?? "18");
  return h("div", { class: "rh-player-field", style: `width:${width}px;height:${height}px` });
}

// What a Put has added, as an array; drawn with a scale of its own, as it is usually small.
function playerDelta({ before, after }) {
  if (before === null || before.values === null || after.values === null || after.values.length < 2) return null;
  const values = after.values.map((x, i) => heatReal(x) - heatReal(before.values[i]));
  const finite = values.filter(Number.isFinite);
  const ends = { min: finite.length > 0 ? Math.min(...finite) : null, max: finite.length > 0 ? Math.max(...finite) : null };
  return { ...after, values, norm: playerNorm(values), ...ends, text: "" };
}

function playerLine(pass, id, frame, pick) {
  const wire = pass.wires.get(id);
  const isPresent = pass.wireState(id, frame) !== "empty";
  const name = h("button", { type: "button", class: "rh-player-link", on: { click: () => pick({ wire: id }) } }, pass.name(id));
  return h(
    "div",
    {},
    name,
    " ",
    isPresent ? h("code", {}, wire.content.text) : h("span", { class: "rh-player-not" }, "not computed yet"),
  );
}

/** The content of an array: thumbnails, extremes, and the entries received. */
export function playerNumbers(content, name, rows, more) {
  const n = playerSize(content.shape);
  if (n <= 1) return h("p", { class: "rh-player-number" }, content.text);
  const facts = h("div", { class: "rh-player-quiet" }, playerFacts(content));
  const pictures = heatPictures(content, `${name}: ${playerFacts(content)}`);
  const isShort = n <= PLAYER_WRITTEN;
  const written = isShort && content.values !== null
    ? playerGrid(content)
    : rows !== undefined && rows.length > 0
    ? playerRowsShown(rows)
    : h("code", { class: "rh-player-text" }, content.text);
  const button = rows === undefined && !isShort ? h("button", { type: "button", on: { click: more } }, "all numbers") : null;
  return h(
    "div",
    { class: "rh-player-numbers" },
    pictures.length > 0 ? h("div", { class: "rh-player-pictures" }, pictures) : null,
    h("div", {}, written, facts, button),
  );
}

function playerGrid(content) {
  const { rows, columns } = heatPlane(content.shape);
  const line = (i) => content.values.slice(i * columns, (i + 1) * columns).map((x) => h("td", {}, playerNumber(x)));
  return playerScrolled(Array.from({ length: rows }, (_, i) => h("tr", {}, line(i))));
}

function playerRowsShown(rows) {
  return playerScrolled(rows.map((row) => h("tr", {}, row.map((text) => h("td", {}, text)))));
}

function playerScrolled(lines) {
  return h(
    "div",
    { class: "rh-player-entries", tabindex: 0, role: "region", "aria-label": "the entries" },
    h("table", {}, h("tbody", {}, lines)),
  );
}

/** The hint while nothing is selected. */
export function playerHint(box) {
  refill(
    box,
    h("p", { class: "rh-player-quiet" }, "Click a wire or a box, or walk to one with ↑ and ↓, and see what it holds."),
  );
}

/** Refill an element, restoring focus to the button at the same index. */
export function playerKeepFocus(element, change) {
  const buttons = () => [...element.querySelectorAll("button, [tabindex]")];
  const at = buttons().indexOf(document.activeElement);
  change();
  if (at >= 0) buttons()[at]?.focus({ preventScroll: true });
}
