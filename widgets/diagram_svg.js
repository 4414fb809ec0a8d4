// The drawing as one SVG: frames, wires, boxes, and the types of wires.
import { s } from "./dom.js";

/** The SVG, and the elements of each box, wire and frame. Callbacks of clicks: on.pick(kind, id), on.toggle(fold). */
export function diagramSvg(drawing, on) {
  const made = { box: new Map(), wire: new Map(), frame: new Map() };
  const frames = drawing.frames.map((frame) => diagramFrame(frame, on, made));
  const wires = drawing.wires.map((wire) => diagramWire(wire, on, made));
  const boxes = drawing.boxes.map((box) => diagramBox(box, on, made));
  const raised = new Map(drawing.wires.map((wire) => [wire.id, wire.raised]));
  const labels = drawing.labels.map(([wire, x, y]) => diagramLabel(raised.get(wire) ?? "", x, y));
  return { parts: [s("g", {}, frames), s("g", {}, wires), s("g", {}, boxes), s("g", { "aria-hidden": "true" }, labels)], made };
}

function diagramFrame(frame, on, made) {
  const side = { forward: " rh-diagram-forward", clause: " rh-diagram-forward", backward: " rh-diagram-back" }[frame.leg] ?? "";
  const key = `${frame.fold}-${made.frame.size}`;
  const node = s(
    "g",
    {
      class: `rh-diagram-frame${side}`,
      tabindex: 0,
      role: "button",
      "aria-expanded": "true",
      "aria-label": `${frame.label}: ${frame.title}`,
      "data-fold": frame.fold,
      on: {
        click: (event) => diagramConsume(event, () => on.pick("frame", frame.fold)),
        dblclick: (event) => diagramConsume(event, () => on.toggle(frame.fold)),
      },
    },
    s("title", {}, `${frame.title}. Double click folds it.`),
    s("rect", { x: frame.x, y: frame.y, width: frame.w, height: frame.h, rx: 9 }),
    s("text", { x: frame.x + 8, y: frame.y + 13 }, `▾ ${frame.label}`)
  );
  made.frame.set(key, { fold: frame.fold, node });
  return node;
}

function diagramWire(wire, on, made) {
  const name = wire.name === "" ? wire.type : `${wire.name} : ${wire.type}`;
  const node = s(
    "g",
    { class: `rh-diagram-wire${wire.back ? " rh-diagram-back" : ""}`, on: { click: (event) => diagramConsume(event, () => on.pick("wire", wire.id)) } },
    s("title", {}, name),
    s("path", { class: "rh-diagram-reach", d: wire.d }),
    s("path", { class: "rh-diagram-line", d: wire.d }),
    wire.dots.map(([x, y, isEnd]) => s("circle", { cx: x, cy: y, r: isEnd ? 3 : 2.4 }))
  );
  made.wire.set(wire.id, node);
  return node;
}

function diagramBox(box, on, made) {
  const isClosed = box.fold !== null;
  const x = box.x + box.w / 2;
  const y = box.y + box.h / 2;
  const isRound = box.look === "sum" || box.look === "zero";
  const round = { pure: Math.min(10, box.h / 2), constant: Math.min(13, box.h / 2) }[box.look] ?? 0;
  const inner = isClosed ? s("rect", { class: "rh-diagram-inner", x: box.x + 3, y: box.y + 3, width: box.w - 6, height: box.h - 6, rx: Math.max(round - 3, 0) }) : null;
  const shape = isRound ? s("circle", { cx: x, cy: y, r: box.w / 2 }) : s("rect", { x: box.x, y: box.y, width: box.w, height: box.h, rx: round });
  const attributes = {
    class: `rh-diagram-box rh-diagram-${box.look}`,
    tabindex: -1,
    role: "button",
    "aria-label": `${box.label}: ${box.title}`,
    "data-box": box.id,
    on: {
      click: (event) => diagramConsume(event, () => on.pick("box", box.id)),
      dblclick: (event) => diagramConsume(event, () => (isClosed ? on.toggle(box.fold) : undefined)),
    },
  };
  if (isClosed) attributes["aria-expanded"] = "false";
  const words = isClosed ? `${box.title}. Double click opens it.` : box.title;
  const text = s("text", { x, y: y + 4.2, "text-anchor": "middle" }, box.label);
  const node = s("g", attributes, s("title", {}, words), shape, inner, text);
  made.box.set(box.id, node);
  return node;
}

function diagramLabel(raised, x, y) {
  const shape = raised === "" ? null : s("tspan", { class: "rh-diagram-raised", dy: -3.5 }, raised);
  return s("text", { class: "rh-diagram-type", x, y }, "ℝ", shape);
}

function diagramConsume(event, then) {
  event.stopPropagation();
  then();
}
