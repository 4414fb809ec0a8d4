// Surfaces: the results of a net over the plane of two numbers, with a bar to go through the epochs of a training run.
import { h, refill, s } from "./dom.js";
import { timeBar } from "./time_bar.js";
import { surfaceAt, surfaceMoved, surfacePoint, surfaceShare, surfaceWords } from "./surface_points.js";

const SURFACE_SPEEDS = [1, 2, 4, 8];

/** Fill `el` with the surfaces of `host.opening`; returns a function that disposes of it. */
export function surface(host, el) {
  const { head, epochs, last, surfaces, curves, plot, cards, first, others, legend } = host.opening;
  let at = Math.min(host.recall("state", epochs.length - 1), epochs.length - 1);
  const drawings = surfaces.map((one, n) => surfaceDrawing(one, host.recall(`point${n}`, null), (point) => host.keep(`point${n}`, point)));
  const graphs = curves.map((curve) => surfaceCurve(curve, plot));
  const words = (n) => (epochs[n] === 0 ? `at the start, before epoch 1 of ${last}` : `after epoch ${epochs[n]} of ${last}`);

  function show(n) {
    at = n;
    for (const drawing of drawings) drawing.show(Math.max(at, 0));
    for (const graph of graphs) graph.show(epochs[at]);
  }

  const time = epochs.length < 2 ? null : timeBar({
    values: epochs.map((_, n) => n),
    at,
    what: "epochs",
    label: "after how many epochs",
    speeds: SURFACE_SPEEDS,
    speed: 2,
    words,
    show,
    keep: (n) => host.keep("state", n),
  });
  el.append(
    ...(head ? [h("div", {}, head)] : []),
    ...(time === null ? [] : [time.bar, time.slider]),
    h("div", { class: "rh-surface-row" }, drawings.map((drawing) => drawing.element), graphs.map((graph) => graph.element)),
    ...(epochs.length < 2 ? [] : surfaces.map((one) => surfaceTable(one, epochs))),
    ...(cards.length === 0 ? [] : [surfaceCards(cards, first, others, legend)]),
  );
  el.setAttribute("data-lm-suppress-shortcuts", "true");
  show(at);
  return () => {
    time?.stop();
    el.replaceChildren();
  };
}

/** One surface: its picture, in which one points, and what its colours mean. */
function surfaceDrawing(one, kept, keep) {
  const { title, width, height, place, above, axes, box, grid, regions, states } = one;
  const [left, top, side] = place;
  let point = kept;
  let state = states[states.length - 1];
  const pixels = s("image", { x: left, y: top, width: side, height: side, preserveAspectRatio: "none" });
  const boundary = s("path", { class: "rh-surface-boundary" });
  const cross = s("path", { class: "rh-surface-cross" });
  const svg = s(
    "svg",
    { class: "rh-surface-svg", viewBox: `0 0 ${width} ${height}`, style: `max-width:${width}px`, tabindex: 0, role: "application", "aria-roledescription": "picture to point in", on: { pointerdown: pointed, pointermove: (event) => event.buttons && pointed(event), keydown: pressed } },
    pixels, boundary, s("image", { href: above, x: 0, y: 0, width, height }), cross,
  );
  const shares = h("div", { class: "rh-surface-key" });
  const said = h("div", { class: "rh-surface-said", role: "status", "aria-live": "polite" });

  function choose(next) {
    point = next;
    keep(next);
    mark();
  }

  function pointed(event) {
    const { left: x, top: y, width: wide } = svg.getBoundingClientRect();
    const scale = width / wide;
    choose(surfacePoint((scale * (event.clientX - x) - left) / side, (scale * (event.clientY - y) - top) / side, grid));
    event.preventDefault();
    svg.focus();
  }

  function pressed(event) {
    if (event.key === "Escape") choose(null);
    else {
      const next = surfaceMoved(event.key, point, grid, event.shiftKey ? 5 : 1);
      if (next === null) return;
      choose(next);
    }
    event.preventDefault();
    event.stopPropagation();
  }

  function mark() {
    if (point === null) {
      cross.setAttribute("d", "");
      said.textContent = "Click into the picture, or use the arrow keys in it, to read the results at a point.";
      return;
    }
    const [x, y] = [left + (side * point[0]) / (grid - 1), top + (side * point[1]) / (grid - 1)];
    cross.setAttribute("d", `M${left} ${y}H${x - 5}M${x + 5} ${y}H${left + side}M${x} ${top}V${y - 5}M${x} ${y + 5}V${top + side}M${x - 5} ${y}a5 5 0 1 0 10 0a5 5 0 1 0 -10 0`);
    said.textContent = `${surfaceAt(point, axes, box, grid)}: ${surfaceWords(state.values?.[point[1] * grid + point[0]] ?? null)}`;
  }

  return {
    element: h("figure", { class: "rh-surface-figure" }, h("figcaption", { title }, h("code", {}, title)), svg, shares, said),
    show(n) {
      state = states[n];
      pixels.setAttribute("href", state.pixels);
      boundary.setAttribute("d", state.boundary);
      svg.setAttribute("aria-label", `${state.label}. The arrow keys move a point in it.`);
      refill(shares, regions.map(({ name, colour, sign }, i) => h("span", {}, h("span", { style: `color:${colour}`, "aria-hidden": "true" }, "■"), h("span", { "aria-hidden": "true" }, sign), ` ${name}, ${surfaceShare(state.shares[i])}`)));
      mark();
    },
  };
}

/** The curve of a measure, with a line at the epoch that is shown. */
function surfaceCurve({ title, ends, count, source, width, height, label }, [begin, end]) {
  const cursor = h("div", { class: "rh-surface-cursor", "aria-hidden": "true" });
  return {
    element: h("figure", { style: `width:${width}px` }, h("figcaption", { title }, h("code", {}, title)), h("div", {}, h("code", { class: "rh-surface-ends" }, ends)), h("div", { class: "rh-linked" }, h("img", { src: source, width, height, alt: label }), cursor)),
    show(epoch) {
      cursor.hidden = !(epoch > 0);
      cursor.style.left = `${100 * (begin + ((end - begin) * (epoch - 1)) / Math.max(count - 1, 1))}%`;
    },
  };
}

function surfaceTable({ title, regions, states }, epochs) {
  const heads = ["epoch", ...regions.map(({ name }) => name)].map((text) => h("th", { scope: "col" }, text));
  const rows = epochs.map((epoch, n) => h("tr", {}, h("th", { scope: "row" }, epoch), states[n].shares.map((share) => h("td", {}, surfaceShare(share)))));
  return h("details", {}, h("summary", {}, "the shares of the plane as a table"), h("div", { class: "rh-surface-scroll", tabindex: 0, role: "region", "aria-label": `shares of the plane, ${title}` }, h("table", {}, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, rows))));
}

function surfaceCards(cards, first, others, [below, above]) {
  const made = cards.map(surfaceCard);
  return h("div", {},
    h("div", { class: "rh-surface-cards" }, made.slice(0, first)),
    made.length > first ? h("details", {}, h("summary", {}, others), h("div", { class: "rh-surface-cards" }, made.slice(first))) : null,
    h("div", { class: "rh-surface-note" }, h("span", { class: "rh-surface-below", "aria-hidden": "true" }, "■"), ` ${below} `, h("span", { class: "rh-surface-above", "aria-hidden": "true" }, "■"), ` ${above}`),
  );
}

function surfaceCard({ name, type, numbers, held, matrix, rows }) {
  const picture = ({ source, width, height, label }) => h("img", { src: source, width, height, alt: label });
  return h("div", { class: "rh-surface-card" },
    h("div", {}, h("code", { class: "rh-role-location" }, name), h("code", {}, " : "), h("code", { class: "rh-role-type" }, type)),
    h("div", { class: "rh-surface-numbers" }, numbers.map((text) => h("code", {}, text))),
    h("div", { class: "rh-surface-note", title: held }, h("code", {}, held)),
    matrix === null ? null : h("div", {}, picture(matrix), matrix.note ? h("span", { class: "rh-surface-note" }, matrix.note) : null),
    rows === null ? null : [h("div", { class: "rh-surface-note" }, rows.note), h("div", {}, picture(rows))],
  );
}
