// The pass as a table: each box with its value and its cotangent.
import { h } from "./dom.js";
import { playerRows } from "./player_compare.js";
import { heatReal } from "./heat.js";
import { playerCosine, playerDistance, playerNorm } from "./player_pass.js";
import { playerNumber } from "./player_words.js";

/** The table of a pass at a frame; calls `pick(wire)`. */
export function playerTable(pass, frame, pick) {
  const { rows, rows_left_out: more } = pass.record;
  const lines = rows.map((row) => playerRowLine(pass, row, frame, pick));
  const note = more > 0 ? h("p", { class: "rh-player-quiet" }, `${more} more rows are left out.`) : null;
  const head = h(
    "tr",
    {},
    ["box", "makes", "value on the way forward", "cotangent that came back"].map((text) => h("th", { scope: "col" }, text)),
  );
  return h(
    "div",
    { class: "rh-player-wide" },
    h("table", { class: "rh-player-table" }, h("thead", {}, head), h("tbody", {}, lines)),
    note,
  );
}

function playerRowLine(pass, row, frame, pick) {
  const back = row.cotangents.length === 0 ? "none came back" : row.cotangents.map((id) => playerCell(pass, id, frame, pick));
  return h(
    "tr",
    {},
    h(
      "th",
      { scope: "row" },
      h("code", {}, row.label),
      row.part === "" || row.part === "forward" ? null : h("span", { class: "rh-player-quiet" }, ` ${row.part.split(" ")[0]}`),
    ),
    h("td", {}, h("code", {}, pass.wires.get(row.forward)?.name ?? row.name)),
    h("td", {}, playerCell(pass, row.forward, frame, pick)),
    h("td", { class: row.cotangents.length === 0 ? "rh-player-not" : "" }, back),
  );
}

function playerCell(pass, id, frame, pick) {
  const wire = pass.wires.get(id);
  if (wire === undefined) return null;
  if (wire.born > frame) return h("div", { class: "rh-player-not" }, "not computed yet");
  const isNow = frame > 0 && wire.born === frame;
  return h(
    "div",
    { class: isNow ? "rh-player-just" : "" },
    h("button", { type: "button", class: "rh-player-link", on: { click: () => pick({ wire: id }) } }, wire.content.text),
  );
}

/** The differences of what both passes have computed at these frames: `{what, norms, size, cosine, words, refs}`. */
export function playerDifferences(passes, frames) {
  const [left, right] = passes;
  const found = [];
  for (const [one, other] of playerRows(left.record.rows, right.record.rows)) {
    if (one === null || other === null) continue;
    const wires = [one, other].map((row, p) => passes[p].wires.get(row.cotangents[0]));
    if (wires.every((wire) => wire === undefined)) continue;
    const sides = wires.map((wire, p) => {
      if (wire === undefined) return { none: true };
      return wire.born > frames[p]
        ? {}
        : { values: wire.content.values, norm: wire.content.norm, shape: wire.content.shape, ref: { pass: p, wire: wire.id } };
    });
    found.push(playerDifference(`cotangent of ${one.label}`, sides));
  }
  for (const [location, uses] of playerUpdates(passes)) {
    const sides = uses.map((use, p) => {
      if (use === null) return { none: true };
      const values = playerUpdate(use);
      return use.frame > frames[p]
        ? {}
        : {
          values,
          norm: values === null ? null : playerNorm(values),
          shape: use.after.shape,
          ref: { pass: p, access: use.number },
        };
    });
    found.push(playerDifference(`update of ${location}`, sides));
  }
  return found;
}

/** The table of these differences. */
export function playerDifferenceTable(differences) {
  if (differences.length === 0) return null;
  const head = ["", "first", "second", "‖difference‖", "cosine"].map((text) => h("th", { scope: "col" }, text));
  const lines = differences.map(({ what, norms, size, cosine, words }) => {
    const numbers = words === null
      ? [h("td", {}, playerNumber(size)), h("td", {}, cosine === null ? "–" : playerNumber(cosine))]
      : [h("td", { colspan: 2, class: "rh-player-not" }, words)];
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, what),
      norms.map((norm) => h("td", { class: norm.startsWith("‖") ? "" : "rh-player-not" }, norm)),
      numbers,
    );
  });
  return h(
    "div",
    { class: "rh-player-wide" },
    h("div", { class: "rh-player-title" }, "What the two passes differ in"),
    h("table", { class: "rh-player-table" }, h("thead", {}, h("tr", {}, head)), h("tbody", {}, lines)),
  );
}

function playerDifference(what, sides) {
  const norms = sides.map(playerNormOf);
  const refs = sides.filter((side) => side.ref !== undefined && side.values === null).map((side) => side.ref);
  const known = { what, norms, refs, size: null, cosine: null };
  const [one, other] = sides;
  if (one.none || other.none) return { ...known, words: "only one has it" };
  if (one.shape === undefined || other.shape === undefined) return { ...known, words: "not computed yet" };
  if (one.shape.join() !== other.shape.join()) return { ...known, words: "of different shapes" };
  if (refs.length > 0) return { ...known, words: "too large to be compared here" };
  return {
    ...known,
    size: playerDistance(one.values, other.values),
    cosine: playerCosine(one.values, other.values),
    words: null,
  };
}

function playerNormOf(side) {
  if (side.none) return "none";
  if (side.shape === undefined) return "not computed yet";
  return side.norm === null ? "‖?‖" : `‖${playerNumber(side.norm)}‖`;
}

// The last Put of each location in each pass; a location that neither writes is left out.
function playerUpdates(passes) {
  const found = new Map();
  passes.forEach((pass, p) => {
    for (const use of pass.uses) {
      if (use.kind !== "Put") continue;
      const pair = found.get(use.location) ?? [null, null];
      pair[p] = use;
      found.set(use.location, pair);
    }
  });
  return found;
}

function playerUpdate(use) {
  if (use.before === null || use.before.values === null || use.after.values === null) return null;
  return use.after.values.map((x, i) => heatReal(x) - heatReal(use.before.values[i]));
}
