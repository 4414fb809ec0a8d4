// A recorded training run: the diagram of a net, its boxes tinted by a size that one chooses, and a bar to go through the batches.
import { h, reducedMotion, refill, s } from "./dom.js";
import { diagramSvg } from "./diagram_svg.js";
import { flowCurve, flowLargest, flowOpacity, flowSize, flowStrength } from "./flow_scale.js";
import { timeBar } from "./time_bar.js";

const FLOW_QUANTITIES = [
  ["value", "values", "the size of what a box makes"],
  ["cotangent", "cotangents", "the size of what comes back to a box"],
  ["change", "changes", "the size of the change of the weights of a box, relative to the weights"],
];
const FLOW_LEAST = 1;
const FLOW_SPEEDS = [2, 5, 10, 20];
const FLOW_EPOCHS = 40;
const FLOW_WIDE = 1000;
const FLOW_HIGH = 60;

/** Fill `el` with the recording of `host.opening`; returns a function that disposes of it. */
export function flow(host, el) {
  const { title, summary, batches, epochs, frames, boxes, weights, sizes, scales, nets, findings } = host.opening;
  const last = frames.length - 1;
  let at = Math.min(host.recall("frame", last), last);
  let quantity = host.recall("quantity", host.opening.shown);
  let picked = host.recall("picked", null);

  const drawings = nets.map(flowDrawing);
  const switches = FLOW_QUANTITIES.map(([name, words, label], q) =>
    h("button", { type: "button", title: label, disabled: scales[q] === null, on: { click: () => choose(q) } }, h("span", { class: `rh-flow-dot rh-flow-${name}` }), words),
  );
  const legend = h("span", { class: "rh-flow-legend" });
  const whole = h("button", { type: "button", title: "fit the diagram into the page, or show it in a readable size", on: { click: () => fit(!el.classList.contains("rh-flow-whole")) } });
  const time = timeBar({
    values: frames.map(([batch]) => batch),
    at,
    what: "batches",
    label: "how many batches have run",
    speeds: FLOW_SPEEDS,
    speed: 5,
    words: (n) => flowWords(frames[n], batches, epochs),
    show: go,
    keep: (n) => host.keep("frame", n),
  });
  const curves = h("div", { class: "rh-flow-curves" });
  const caption = h("div", { class: "rh-flow-caption" });
  const body = h("tbody", {});
  const status = h("div", { class: "rh-hidden", role: "status", "aria-live": "polite" });

  function go(n) {
    at = n;
    show();
  }

  function choose(q) {
    quantity = q;
    host.keep("quantity", q);
    redraw();
  }

  function pick(i) {
    picked = picked === i ? null : i;
    host.keep("picked", picked);
    redraw();
  }

  function fit(isWhole) {
    el.classList.toggle("rh-flow-whole", isWhole);
    whole.textContent = isWhole ? "readable" : "whole";
    host.keep("whole", isWhole);
  }

  function show() {
    const [batch] = frames[at];
    const name = FLOW_QUANTITIES[quantity][0];
    for (const drawing of drawings) drawing.show(sizes[quantity][at], scales[quantity], name);
    curves.style.setProperty("--rh-flow-at", `${(100 * batch) / (frames[last][0] || 1)}%`);
    [...body.children].forEach((row, i) => {
      [0, 1, 2].forEach((q) => (row.children[q + 1].textContent = flowSize(sizes[q][at][i])));
    });
  }

  function redraw() {
    const [name, words, label] = FLOW_QUANTITIES[quantity];
    switches.forEach((button, q) => button.setAttribute("aria-pressed", String(q === quantity)));
    const scale = scales[quantity];
    refill(legend, scale === null ? "" : [flowSize(scale[0]), h("span", { class: `rh-flow-ramp rh-flow-${name}`, "aria-hidden": "true" }), flowSize(scale[1])]);
    const lines = boxes.map((_, i) => {
      const d = flowCurve(sizes[quantity].map((frame) => frame[i]), frames, scale, FLOW_WIDE, FLOW_HIGH);
      return s("path", { d, class: i === picked ? "rh-flow-picked" : "", "vector-effect": "non-scaling-stroke" });
    });
    if (picked !== null) lines.push(...lines.splice(picked, 1));
    const each = batches / epochs;
    const marks = epochs > FLOW_EPOCHS ? [] : Array.from({ length: epochs - 1 }, (_, n) => ((n + 1) * each * FLOW_WIDE) / (frames[last][0] || 1));
    lines.unshift(...marks.filter((x) => x < FLOW_WIDE).map((x) => s("path", { d: `M${x.toFixed(1)} -2V${FLOW_HIGH + 2}`, class: "rh-flow-epoch", "vector-effect": "non-scaling-stroke" })));
    const plot = s("svg", { class: `rh-flow-${name}`, viewBox: `0 -2 ${FLOW_WIDE} ${FLOW_HIGH + 4}`, preserveAspectRatio: "none", role: "img", "aria-label": `${label}, for each box over the batches; the table has the numbers` }, lines);
    refill(curves, plot, h("div", { class: "rh-flow-cursor", "aria-hidden": "true" }));
    caption.textContent = picked === null ? `${words} of all boxes over the batches, on a logarithmic scale; a click on a box shows its own` : `${boxes[picked]}: ${words} over the batches${weights[picked].length > 0 ? `; weights ${weights[picked].join(", ")}` : ""}`;
    for (const drawing of drawings) drawing.mark(picked);
    [...body.children].forEach((row, i) => row.classList.toggle("rh-flow-row", i === picked));
    status.textContent = `${words}${picked === null ? "" : ` of ${boxes[picked]}`}`;
    show();
  }

  function flowDrawing({ drawing, measured }) {
    if (drawing === null) return { element: h("div", { class: "rh-flow-faint" }, "This net is too large to be drawn. The table has its boxes."), show() {}, mark() {} };
    const { parts, made } = diagramSvg({ ...drawing, frames: [], boxes: drawing.boxes.map((box) => ({ ...box, fold: null })) }, { pick: (kind, id) => (kind === "box" && of.has(id) ? pick(of.get(id).positions[0]) : undefined), toggle() {} });
    const frames = drawing.frames.map((frame) => s("g", { class: "rh-flow-frame" }, s("rect", { x: frame.x, y: frame.y, width: frame.w, height: frame.h, rx: 9 }), s("text", { x: frame.x + 8, y: frame.y + 13 }, frame.label)));
    const of = new Map();
    for (const [id, positions] of measured) {
      const { node, box } = { node: made.box.get(id), box: drawing.boxes.find((one) => one.id === id) };
      const tint = node.querySelector("rect, circle").cloneNode();
      tint.setAttribute("class", "rh-flow-tint");
      node.querySelector("title").after(tint);
      const number = s("text", { class: "rh-flow-number", x: box.x + box.w / 2, y: box.y + box.h + 8, "text-anchor": "middle" });
      node.append(number);
      node.setAttribute("tabindex", "0");
      node.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        pick(positions[0]);
      });
      of.set(id, { node, tint, number, positions, words: node.getAttribute("aria-label") });
    }
    const width = drawing.width;
    const svg = s("svg", { class: "rh-diagram-svg rh-flow-svg", viewBox: `0 0 ${width} ${drawing.height + 4}`, style: `max-width:${Math.max(width * 1.4, 320)}px;--rh-flow-least:${width * FLOW_LEAST}px`, role: "group", "aria-label": title }, frames, parts);
    return {
      element: h("div", { class: "rh-flow-window", tabindex: "0", role: "region", "aria-label": "the diagram of the net" }, svg),
      show(found, scale, name) {
        svg.dataset.quantity = name;
        for (const { node, tint, number, positions, words } of of.values()) {
          const size = flowLargest(found, positions);
          const text = flowSize(size);
          tint.style.fillOpacity = size !== null && size < 0 ? 0.7 : flowOpacity(flowStrength(size, scale));
          tint.classList.toggle("rh-flow-wrong", size !== null && size < 0);
          node.classList.toggle("rh-flow-nothing", size === 0);
          number.textContent = size === null ? "" : text;
          node.setAttribute("aria-label", `${words}; ${name} ${text}`);
        }
      },
      mark(i) {
        for (const { node, positions } of of.values()) node.classList.toggle("rh-flow-on", i !== null && positions.includes(i));
      },
    };
  }

  function finding({ text, boxes: found, frame, quantity: q, lesson, file }) {
    const look = () => {
      quantity = q;
      picked = found[0] ?? null;
      redraw();
      time.go(frame);
    };
    return h("li", {}, text, " ", h("button", { type: "button", class: "rh-flow-look", on: { click: look } }, "show it"), " ", h("a", { href: file, target: "_blank", rel: "noopener" }, lesson));
  }

  boxes.forEach((label, i) => {
    const button = h("button", { type: "button", class: "rh-flow-name", title: `the curve of ${label}`, on: { click: () => pick(i) } }, label);
    body.append(h("tr", {}, h("th", { scope: "row" }, button), h("td", {}), h("td", {}), h("td", {})));
  });
  el.append(
    h("div", { class: "rh-flow-head" }, title),
    h("div", { class: "rh-bar" }, h("div", { class: "rh-flow-switch", role: "group", "aria-label": "what tints the boxes" }, switches), legend, nets.some(({ drawing }) => drawing !== null) ? whole : ""),
    ...drawings.map((drawing) => drawing.element),
    time.bar,
    h("div", { class: "rh-flow-track" }, curves, time.slider),
    caption,
    findings.length > 0 ? h("ul", { class: "rh-flow-findings", "aria-label": "what to look at" }, findings.map(finding)) : "",
    h("details", {}, h("summary", {}, "the sizes as a table"), h("div", { class: "rh-flow-scroll", tabindex: "0", role: "region", "aria-label": "the sizes of the boxes" }, h("table", {}, h("thead", {}, h("tr", {}, ["box", ...FLOW_QUANTITIES.map(([name]) => name)].map((text) => h("th", { scope: "col" }, text)))), body))),
    h("div", { class: "rh-flow-faint" }, summary),
    status,
  );
  el.classList.toggle("rh-flow-moving", !reducedMotion());
  el.setAttribute("data-lm-suppress-shortcuts", "true");
  fit(host.recall("whole", false));
  redraw();
  return () => {
    time.stop();
    el.replaceChildren();
  };
}

function flowWords([batch, epoch, samples], batches, epochs) {
  const on = `${samples.length === 1 ? "sample" : "samples"} ${samples.join(", ")}`;
  return `batch ${batch.toLocaleString("en")} of ${batches.toLocaleString("en")} · epoch ${epoch} of ${epochs} · on ${on}`;
}
