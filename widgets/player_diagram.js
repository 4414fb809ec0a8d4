// The string diagram of a pass at a frame: boxes that have run, the running box, and waiting wires.
import { s, refill } from "./dom.js";
import { PLAYER_CHIP_HEIGHT, playerAround, playerChipWidth, playerClauses, playerCrossings } from "./player_geometry.js";
import { playerEntries, playerHalves, playerLength, playerPath, playerStretch } from "./player_geometry.js";
import { playerRest, playerTurned } from "./player_turn.js";
import { PlayerWindow } from "./player_window.js";
import { playerChip, playerRole, playerState } from "./player_words.js";

const PLAYER_LOOKS = { pure: "pure", operation: "operation", sum: "pure", zero: "pure", constant: "constant" };

/** The drawing of a pass; calls `select(what)` with `{wire}` or `{box}`. */
export class PlayerDiagram extends PlayerWindow {
  constructor(pass, label, select) {
    super();
    this.pass = pass;
    this.label = label;
    this.select = select;
    this.chosen = null;
    this.cursor = null;
  }

  /** Switch to another drawing of the same pass. */
  draw(geometry) {
    const types = new Map(geometry.labels.map((t) => [t.wire, t.text]));
    const texts = new Map([...this.pass.wires.values()].map((wire) => [
      wire.id,
      playerChip(wire.content, types.get(wire.id), this.pass.tag(wire.id)),
    ]));
    const stretched = playerStretch(geometry, texts);
    this.geometry = playerTurned(stretched);
    this.clauses = playerClauses(this.geometry);
    this.halves = playerHalves(playerClauses(stretched));
    this.wires = new Map();
    this.boxes = [];
    const { width, height } = this.geometry;
    const top = 8;
    this.size = { width, height: height + top + 14 };
    this.parts = this.geometry.frames_of_parts.map(playerPart);
    this.rest = s("g", { class: "rh-player-rest" });
    this.margin = s("g", { class: "rh-player-margin", "aria-hidden": "true" });
    const wires = this.drawnWires();
    const boxes = this.geometry.boxes.map((box) => this.drawnBox(box));
    const labels = this.geometry.labels.map((t, i) => this.drawnLabel(t, i));
    const chips = this.geometry.chips.map((chip) => this.drawnChip(chip));
    const view = `0 ${-top} ${width.toFixed(1)} ${this.size.height.toFixed(1)}`;
    this.svg = s(
      "svg",
      { class: "rh-player-svg", viewBox: view, role: "group", "aria-label": this.label },
      this.rest,
      this.parts,
      wires,
      boxes,
      labels,
      chips,
      this.margin,
    );
    refill(this.canvas, this.svg);
    this.small = s(
      "svg",
      { viewBox: view, preserveAspectRatio: "none", "aria-hidden": "true" },
      this.geometry.frames_of_parts.map(playerPart),
      this.geometry.boxes.map((box) => this.drawnBlock(box)),
    );
    this.window = s("rect", { class: "rh-player-window", rx: 6 });
    this.small.append(this.window);
    refill(this.overview, this.small);
    this.focusable(this.stops()[0] ?? null);
    this.tall(this.height());
    this.zoomed(this.isFitted && this.scroller.clientWidth > 0 ? this.firstZoom() : this.zoom);
    this.show(this.frame);
  }

  /** Show another pass in the same drawing: its boxes may have other texts, its wires other contents. */
  renew(pass, geometry) {
    this.pass = pass;
    const texts = new Map(geometry.boxes.map((box) => [box.id, box]));
    for (const known of this.boxes) {
      const { label, title } = texts.get(known.box.id);
      known.state = null;
      if (label === known.box.label) continue;
      Object.assign(known.box, { label, title });
      for (const text of known.group.querySelectorAll("text")) text.textContent = label;
      known.group.querySelector("title").textContent = title;
    }
    for (const known of this.wires.values()) {
      known.wire = pass.wires.get(known.wire.id);
      for (const chip of known.chips) this.rewrite(chip, known.wire);
    }
  }

  /** The wires, each a group of its strands. */
  drawnWires() {
    const heads = playerEntries(this.geometry);
    const strands = playerGrouped(this.geometry.strands);
    const dots = playerGrouped(this.geometry.dots);
    const groups = [];
    for (const [id, pieces] of strands) {
      const wire = this.pass.wires.get(id);
      if (wire === undefined) continue;
      const d = pieces.map((piece) => playerPath(piece.points)).join("");
      const marks = (dots.get(id) ?? []).map((dot) => s("circle", { cx: dot.x, cy: dot.y, r: 2.6 }));
      const tips = heads.filter((head) => head.wire === id).map((head) => s(
        "path",
        { class: "rh-player-tip", d: `M${head.x - 8 * head.way} ${head.y - 4}l${8 * head.way} 4l${-8 * head.way} 4z` },
      ));
      const run = pieces.map((piece) => s(
        "path",
        { class: "rh-player-run", d: playerPath(piece.points), style: `--rh-long:${playerLength(piece.points).toFixed(0)}` },
      ));
      const title = s("title", {});
      const group = s(
        "g",
        { class: "rh-player-wire", ...this.pickable({ wire: id }) },
        title,
        s("path", { class: "rh-player-halo", d }),
        s("path", { class: "rh-player-line", d }),
        s("path", { class: "rh-player-core", d }),
        run,
        marks,
        tips,
      );
      this.wires.set(id, { group, title, wire, state: null, labels: [], chips: [] });
      groups.push(group);
    }
    return groups;
  }

  /** A box with its text. */
  drawnBox(box) {
    const [x, y] = [box.x + box.w / 2, box.y + box.h / 2];
    const look = PLAYER_LOOKS[box.look] ?? "pure";
    const title = s("title", {}, box.title);
    const shape = playerBoxShape(box, x, y);
    const text = box.look === "sum"
      ? s("path", { class: "rh-player-plus", d: `M${x - 4} ${y}h8M${x} ${y - 4}v8` })
      : s("text", { x, y: y + 4.2, "text-anchor": "middle" }, box.label);
    const group = s("g", { class: `rh-player-box rh-player-${look}`, ...this.pickable({ box: box.id }) }, title, shape, text);
    this.boxes.push({ group, box, state: null });
    return group;
  }

  /** The type of a wire, replaced by its chip once there is a value. */
  drawnLabel(label, i) {
    const element = s("text", { class: "rh-player-type", x: label.x, y: label.y, "text-anchor": label.back ? "end" : null }, label.text);
    const known = this.wires.get(label.wire);
    const isFirst = this.geometry.labels.findIndex((other) => other.wire === label.wire) === i;
    if (isFirst && this.geometry.chips.some((chip) => chip.wire === label.wire)) known?.labels.push(element);
    return element;
  }

  /** The value on a wire, hidden until there is one. */
  drawnChip(chip) {
    const element = s(
      "g",
      { class: "rh-player-chip", on: { click: () => this.select({ wire: chip.wire }) } },
      s("rect", { x: chip.x, y: chip.y, width: chip.w, height: PLAYER_CHIP_HEIGHT, rx: 4 }),
      s("text", { x: chip.x + chip.w / 2, y: chip.y + 12, "text-anchor": "middle" }, chip.text),
    );
    this.wires.get(chip.wire)?.chips.push({ element, chip });
    return element;
  }

  /** Write what a wire inside a loop holds now on its chip. */
  rewrite({ element, chip }, wire) {
    const type = this.geometry.labels.find((label) => label.wire === wire.id)?.text;
    const [field, text] = element.children;
    const words = playerChip(wire.content, type, this.pass.tag(wire.id));
    if (text.textContent === words) return;
    text.textContent = words;
    const width = playerChipWidth(words);
    const x = chip.back ? chip.x + chip.w - width : chip.x;
    field.setAttribute("x", x);
    field.setAttribute("width", width);
    text.setAttribute("x", x + width / 2);
  }

  /** A box in the overview. */
  drawnBlock(box) {
    const element = s(
      "rect",
      {
        class: `rh-player-block rh-player-${PLAYER_LOOKS[box.look] ?? "pure"}`,
        x: box.x,
        y: box.y,
        width: box.w,
        height: box.h,
        rx: 4,
      },
    );
    this.boxes.find((known) => known.box === box).block = element;
    return element;
  }

  /** Make an element selectable. */
  pickable(what) {
    return {
      tabindex: -1,
      role: "button",
      "data-pick": playerPick(what),
      on: { click: () => this.select(what), focus: () => (this.cursor = playerPick(what)) },
    };
  }

  /** Show the pass at a frame; `chosen` is the selection, `partners` the wires that belong to it. */
  show(frame, chosen = this.chosen, partners = []) {
    this.frame = frame;
    this.chosen = chosen;
    if (this.geometry === undefined) return;
    for (const known of this.wires.values()) this.showWire(known, frame, chosen, partners);
    for (const known of this.boxes) {
      const state = this.pass.boxState(known.box, frame);
      const look = `rh-player-${PLAYER_LOOKS[known.box.look] ?? "pure"} rh-player-${state}`;
      const picked = chosen?.box === known.box.id ? " rh-player-picked" : "";
      known.group.setAttribute("class", `rh-player-box ${look}${picked}`);
      known.block?.setAttribute("class", `rh-player-block ${look}`);
      if (state !== known.state) {
        known.state = state;
        known.group.setAttribute("aria-label", `box ${known.box.label}: ${PLAYER_BOX_WORDS[state]}`);
      }
    }
    this.showRest();
    this.showMargin(this.scroller.scrollLeft / this.zoom);
  }

  /** Update a wire to a frame. */
  showWire(known, frame, chosen, partners) {
    const { wire, group } = known;
    const state = this.pass.wireState(wire.id, frame);
    const mark = chosen !== null && chosen.wire === wire.id
      ? " rh-player-picked"
      : partners.includes(wire.id)
      ? " rh-player-partner"
      : "";
    const look = `rh-player-wire rh-player-${wire.role} rh-player-${state}${mark}`;
    if (group.getAttribute("class") !== look) group.setAttribute("class", look);
    if (wire.writes !== undefined && state !== "empty") for (const chip of known.chips) this.rewrite(chip, wire);
    if (state === known.state) return;
    known.state = state;
    const words = `${this.pass.name(wire.id)} : ${wire.type}, ${playerRole(wire.role)}; ${playerState(state)}`;
    known.title.textContent = words;
    group.setAttribute("aria-label", `wire ${words}`);
    for (const label of known.labels) label.classList.toggle("rh-player-hidden", state !== "empty");
    for (const { element } of known.chips) element.setAttribute("class", `rh-player-chip rh-player-${wire.role} rh-player-${state}`);
  }

  /** Shade what lies between the two halves of the running clause: the rest of the program. */
  showRest() {
    const running = this.boxes.find((known) => known.state === "now");
    const frames = this.clauses;
    const at = running === undefined ? null : playerAround(frames, this.halves, running.box);
    const pair = at === null ? [] : [at, this.halves[at]];
    this.parts.forEach((part, i) => part.classList.toggle("rh-player-half", pair.includes(i)));
    const folded = pair.map((i) => frames[i].box);
    for (const { group, box } of this.boxes) group.classList.toggle("rh-player-half", folded.includes(box.id));
    refill(this.rest);
    if (at === null) return;
    const rest = playerRest(this.geometry, pair.map((i) => frames[i]));
    if (rest === null) return;
    const title = s("title", {}, "the rest of the program: it runs between the two halves of the clause");
    const words = rest.text === null ? [] : [s("text", { ...rest.text, "text-anchor": "middle" }, "the rest k")];
    this.rest.append(title, s("path", { d: rest.d }), ...words);
  }

  /** Scroll to the running box unless it and what it makes are in view; without animation if there is no time. */
  follow(frame, isHasty = false) {
    const known = this.boxes?.find((candidate) => this.pass.boxState(candidate.box, frame) === "now");
    if (known === undefined) return this.scrollTo(frame === 0 ? 0 : this.scroller.scrollLeft, this.scroller.scrollTop, isHasty);
    const { box } = known;
    const { clientWidth, clientHeight, scrollLeft, scrollTop } = this.scroller;
    const [left, right] = [box.x * this.zoom, (box.x + box.w) * this.zoom];
    const [top, bottom] = [box.y * this.zoom, (box.y + box.h + 16) * this.zoom];
    const [before, after] = box.back ? [90, 30] : [30, 90];
    const isIn = left >= scrollLeft + before && right <= scrollLeft + clientWidth - after;
    const isHigh = top >= scrollTop && bottom <= scrollTop + clientHeight;
    this.scrollTo(
      isIn ? scrollLeft : (left + right - clientWidth) / 2,
      isHigh ? scrollTop : (top + bottom - clientHeight) / 2,
      isHasty,
    );
  }

  /** At the left edge of the view, name the wires that enter there and carry a value. */
  showMargin(left) {
    const names = playerCrossings(this.geometry, left + 6).map(({ wire, y }) => {
      const known = this.wires.get(wire);
      if (known === undefined || known.state === "empty" || known.state === "done") return null;
      const text = this.pass.tag(wire) || known.wire.name;
      return [
        s("rect", { x: left + 3, y: y - 17, width: playerChipWidth(text), height: 14, rx: 3 }),
        s(
          "text",
          {
            class: `rh-player-ink-${known.wire.role}`,
            x: left + 3 + playerChipWidth(text) / 2,
            y: y - 6.5,
            "text-anchor": "middle",
          },
          text,
        ),
      ];
    });
    refill(this.margin, names);
  }

  /** All selectable elements in order of execution: each box, then its outputs. */
  stops() {
    const boxes = new Map(this.boxes.map(({ box }) => [box.id, box]));
    const wires = [...this.wires.values()].map(({ wire }) => ({ pick: playerPick({ wire: wire.id }), at: wire.born, x: 1 }));
    const all = [...[...boxes.values()].map((box) => ({ pick: playerPick({ box: box.id }), at: box.frame, x: 0 })), ...wires];
    return all.sort((one, other) => one.at - other.at || one.x - other.x).map((stop) => stop.pick);
  }

  /** Move keyboard focus among boxes and wires. */
  moveCursor(step) {
    const stops = this.stops();
    const at = stops.indexOf(this.cursor);
    const next = stops[Math.min(stops.length - 1, Math.max(0, at + step))];
    this.focusable(next);
    this.canvas.querySelector(`[data-pick="${next}"]`)?.focus({ preventScroll: false });
  }

  /** The focused box or wire. */
  underCursor() {
    const wire = [...this.wires.keys()].find((id) => playerPick({ wire: id }) === this.cursor);
    if (wire !== undefined) return { wire };
    const known = this.boxes.find(({ box }) => playerPick({ box: box.id }) === this.cursor);
    return known === undefined ? null : { box: known.box.id };
  }

  focusable(pick) {
    this.canvas.querySelector('[tabindex="0"]')?.setAttribute("tabindex", "-1");
    if (pick !== null) this.canvas.querySelector(`[data-pick="${pick}"]`)?.setAttribute("tabindex", "0");
    this.cursor = pick;
  }
}

const PLAYER_BOX_WORDS = { later: "has not run yet", now: "runs now", ran: "has run", skipped: "is not in the branch that runs" };

function playerPick(what) {
  return what.wire === undefined ? `box-${what.box}` : `wire-${what.wire}`;
}

function playerPart(part) {
  const place = { x: part.x, y: part.y, width: part.w, height: part.h, rx: 9 };
  return s(
    "g",
    { class: `rh-player-part rh-player-part-${part.leg}` },
    s("title", {}, part.title),
    s("rect", place),
    part.back
      ? s("text", { x: part.x + part.w - 8, y: part.y + part.h - 5, "text-anchor": "end" }, part.title)
      : s("text", { x: part.x + 8, y: part.y + 13 }, part.title),
  );
}

function playerBoxShape(box, x, y) {
  if (box.look === "sum" || box.look === "zero") return s(
    "circle",
    { class: "rh-player-shape", cx: x, cy: y, r: Math.min(box.w, box.h) / 2 },
  );
  const round = box.look === "operation" ? 0 : Math.min(box.look === "constant" ? 13 : 10, box.h / 2);
  return s("rect", { class: "rh-player-shape", x: box.x, y: box.y, width: box.w, height: box.h, rx: round });
}

function playerGrouped(pieces) {
  const groups = new Map();
  for (const piece of pieces) groups.set(piece.wire, [...(groups.get(piece.wire) ?? []), piece]);
  return groups;
}
