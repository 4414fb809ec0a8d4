// Details of the selected box, wire or frame.
import { h } from "./dom.js";
import { diagramFrames, diagramName, diagramPartners } from "./diagram_navigation.js";

const DIAGRAM_LOOKS = {
  pure: "a pure box (round corners)",
  operation: "an operation (sharp corners)",
  sum: "a sum",
  zero: "a zero",
  constant: "a constant",
};

/** Details of the selection; callbacks: on.pick(kind, id), on.toggle(fold). */
export function diagramDetails(index, picked, on) {
  if (picked === null) return [h("p", { class: "rh-diagram-quiet" }, "Click a box or a wire to see what it is. Double click a frame to fold it, a box with a double edge to open it. Pull the drawing to move it, Ctrl and the wheel make it larger. Press ? for the keys.")];
  if (picked.kind === "box" && index.boxes.has(picked.id)) return diagramBoxDetails(index, index.boxes.get(picked.id), on);
  if (picked.kind === "wire" && index.wires.has(picked.id)) return diagramWireDetails(index, index.wires.get(picked.id), on);
  if (picked.kind === "frame" && index.folds.has(picked.id)) return diagramFoldDetails(index, index.folds.get(picked.id), on);
  return [];
}

function diagramBoxDetails(index, box, on) {
  const wires = (ids, words) => (ids.length ? h("div", {}, h("span", { class: "rh-diagram-quiet" }, `${words} `), ids.map((id) => diagramWireButton(index, id, on))) : null);
  const frames = diagramFrames(index.drawing, box);
  const what = box.fold === null ? DIAGRAM_LOOKS[box.look] : `${box.count} ${box.count === 1 ? "box" : "boxes"}, folded`;
  return [
    h("div", {}, h("b", { class: "rh-diagram-code" }, box.text), " ", h("span", { class: "rh-diagram-quiet" }, what)),
    h("div", {}, box.title),
    wires(index.ins.get(box.id), "reads"),
    wires(index.outs.get(box.id), "makes"),
    box.fold === null ? null : h("div", {}, h("button", { type: "button", on: { click: () => on.toggle(box.fold) } }, "open it")),
    frames.length ? h("div", {}, h("span", { class: "rh-diagram-quiet" }, "inside "), frames.map((frame) => diagramFoldButton(frame, on))) : null,
  ];
}

function diagramWireDetails(index, wire, on) {
  const name = wire.name === "" ? "a wire without a name" : wire.name;
  const box = (id, otherwise) => (index.boxes.has(id) ? diagramBoxButton(index.boxes.get(id), on) : h("span", {}, otherwise));
  const { value, cotangents } = diagramPartners(index, wire.id);
  const way =
    value !== null
      ? [h("span", {}, "a cotangent of "), diagramWireButton(index, value, on)]
      : cotangents.length
        ? [h("span", {}, "on the way back its cotangent is "), cotangents.map((id) => diagramWireButton(index, id, on))]
        : wire.back
          ? "It is made at the turn, or on the way back."
          : null;
  const readers = wire.readers.length ? wire.readers.map((id) => box(id, "out of the diagram ")) : h("span", {}, "nowhere: nothing reads it");
  return [
    h("div", {}, h("b", { class: "rh-diagram-code" }, name), " : ", h("span", { class: "rh-diagram-code" }, wire.type)),
    way === null ? null : h("div", {}, way),
    h("div", {}, h("span", { class: "rh-diagram-quiet" }, "from "), box(wire.maker, "outside: an input")),
    h("div", {}, h("span", { class: "rh-diagram-quiet" }, "to "), readers),
  ];
}

function diagramFoldDetails(index, fold, on) {
  const titles = index.drawing.frames.filter((frame) => frame.fold === fold.id).map((frame) => h("div", {}, frame.title));
  const count = `${fold.count} ${fold.count === 1 ? "box" : "boxes"}`;
  return [
    h("div", {}, h("b", { class: "rh-diagram-code" }, fold.label), " ", h("span", { class: "rh-diagram-quiet" }, count)),
    titles,
    h("div", {}, h("button", { type: "button", on: { click: () => on.toggle(fold.id) } }, "fold it")),
  ];
}

function diagramWireButton(index, id, on) {
  return h("button", { type: "button", class: "rh-diagram-chip", on: { click: () => on.pick("wire", id) } }, diagramName(index, id));
}

function diagramBoxButton(box, on) {
  return h("button", { type: "button", class: "rh-diagram-chip", on: { click: () => on.pick("box", box.id) } }, box.label);
}

function diagramFoldButton(frame, on) {
  return h("button", { type: "button", class: "rh-diagram-chip", title: `fold: ${frame.title}`, on: { click: () => on.toggle(frame.fold) } }, `▾ ${frame.label}`);
}
