// Navigation in a drawing: along wires, into frames, and search by name. Pure.

/**
 * An index of the boxes, wires and folds of a drawing by number, and of the wires of each box. `cotangents` has pairs of wires:
 * one of the backward pass, and the one of the forward pass that it is the cotangent of.
 */
export function diagramIndex(drawing, foldList, cotangents = []) {
  const boxes = new Map(drawing.boxes.map((box) => [box.id, box]));
  const wires = new Map(drawing.wires.map((wire) => [wire.id, wire]));
  const folds = new Map(foldList.map((fold) => [fold.id, fold]));
  const ins = new Map(drawing.boxes.map((box) => [box.id, []]));
  const outs = new Map(drawing.boxes.map((box) => [box.id, []]));
  for (const wire of drawing.wires) {
    if (outs.has(wire.maker)) outs.get(wire.maker).push(wire.id);
    for (const reader of wire.readers) if (ins.has(reader)) ins.get(reader).push(wire.id);
  }
  const values = new Map(cotangents);
  return { drawing, boxes, wires, folds, ins, outs, values };
}

/** The boxes that a wire connects: its producer and its consumers. */
export function diagramEnds(index, wire) {
  const { maker, readers } = index.wires.get(wire);
  return [maker, ...readers].filter((id) => index.boxes.has(id));
}

/** The label of a wire: its name, that of the wire whose cotangent it is, or its type. */
export function diagramName(index, id) {
  const wire = index.wires.get(id);
  const of = index.wires.get(index.values.get(id));
  if (wire.name !== "") return `${wire.name} : ${wire.type}`;
  return of !== undefined && of.name !== "" ? `cotangent of ${of.name} : ${wire.type}` : wire.type;
}

/** The counterparts of a wire: for a cotangent its value, for a value its visible cotangents. */
export function diagramPartners(index, id) {
  const back = [...index.values].filter(([cotangent, value]) => value === id && cotangent !== id).map(([cotangent]) => cotangent);
  const value = index.values.get(id);
  return { value: value !== id && index.wires.has(value) ? value : null, cotangents: back.filter((wire) => index.wires.has(wire)) };
}

/** The frames around a box, innermost first. */
export function diagramFrames(drawing, box) {
  const around = drawing.frames.filter(
    (f) => f.x <= box.x + 0.5 && f.y <= box.y + 0.5 && box.x + box.w <= f.x + f.w + 0.5 && box.y + box.h <= f.y + f.h + 0.5
  );
  return around.sort((one, other) => one.w * one.h - other.w * other.h);
}

/** The box that an arrow key leads to: along a wire, or the nearest one above or below; null if there is none. */
export function diagramStep(index, id, key) {
  const box = index.boxes.get(id);
  if (key === "ArrowRight" || key === "ArrowLeft") {
    const isRight = key === "ArrowRight";
    const wires = (isRight ? index.outs : index.ins).get(id).map((w) => index.wires.get(w));
    const found = wires.flatMap((wire) => (isRight ? wire.readers : [wire.maker])).filter((other) => index.boxes.has(other));
    return diagramNearest(index, box, found.filter((other) => other !== id));
  }
  const isDown = key === "ArrowDown";
  const there = [...index.boxes.values()].filter((other) => other !== box && (isDown ? other.y >= box.y + box.h : other.y + other.h <= box.y));
  const near = there.filter((other) => other.x < box.x + box.w + 60 && box.x < other.x + other.w + 60);
  return diagramNearest(index, box, (near.length ? near : there).map((other) => other.id));
}

/** The boxes from left to right, in a column from top to bottom. */
export function diagramOrder(drawing) {
  return [...drawing.boxes].sort((one, other) => one.x - other.x || one.y - other.y).map((box) => box.id);
}

/** Full-text search: matching boxes from left to right, then matching wires by name. */
export function diagramMatches(index, words) {
  const wanted = words.trim().toLowerCase();
  if (wanted === "") return [];
  const has = (...texts) => texts.some((text) => text.toLowerCase().includes(wanted));
  const boxes = diagramOrder(index.drawing).filter((id) => has(index.boxes.get(id).label, index.boxes.get(id).text));
  const wires = index.drawing.wires.filter((wire) => wire.name !== "" && has(wire.name));
  return [...boxes.map((id) => ({ kind: "box", id })), ...wires.map((wire) => ({ kind: "wire", id: wire.id }))];
}

/** The closed folds after one more is closed or opened. */
export function diagramToggled(folded, fold) {
  return folded.includes(fold) ? folded.filter((id) => id !== fold) : [...folded, fold].sort((a, b) => a - b);
}

/** The folds of these kinds. */
export function diagramFoldsOf(folds, kinds) {
  return folds.filter((fold) => kinds.includes(fold.kind)).map((fold) => fold.id);
}

/** The counterpart of a box in another drawing of the same diagram: the box with its first member, or the last one before. */
export function diagramCounterpart(index, id) {
  if (index.boxes.has(id)) return id;
  const before = [...index.boxes.keys()].filter((other) => other < id);
  return before.length ? Math.max(...before) : null;
}

function diagramNearest(index, box, ids) {
  const distance = (id) => {
    const other = index.boxes.get(id);
    const dx = other.x + other.w / 2 - box.x - box.w / 2;
    const dy = other.y + other.h / 2 - box.y - box.h / 2;
    return Math.hypot(dx, dy * 1.5);
  };
  return ids.length ? ids.reduce((best, id) => (distance(id) < distance(best) ? id : best)) : null;
}
