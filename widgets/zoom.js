// Panning and zooming of a large drawing. A state is { x, y, scale }: the point of the drawing in the upper left corner, and
// pixels per unit.

const ZOOM_LEAST = 0.08;
const ZOOM_MOST = 6;
const ZOOM_DRAG = 4;

/** The state that fits `content` (w, h) into `view` (w, h), with a scale between `least` and `most`. */
export function zoomFit(content, view, most = 1.25, least = ZOOM_LEAST) {
  const scale = zoomWithin(Math.max(least, Math.min(most, view.w / Math.max(content.w, 1), view.h / Math.max(content.h, 1))));
  return zoomClamp({ x: 0, y: 0, scale }, content, view);
}

/** The state after zooming around these pixels. */
export function zoomAt(state, factor, px, py) {
  const scale = zoomWithin(state.scale * factor);
  return { x: state.x + px / state.scale - px / scale, y: state.y + py / state.scale - py / scale, scale };
}

/** The state after panning by pixels. */
export function zoomPan(state, dx, dy) {
  return { ...state, x: state.x - dx / state.scale, y: state.y - dy / state.scale };
}

/** The state clamped so that a small drawing is centred, and a large one leaves no empty margin. */
export function zoomClamp(state, content, view) {
  return {
    x: zoomAlong(state.x, content.w, view.w / state.scale),
    y: zoomAlong(state.y, content.h, view.h / state.scale),
    scale: state.scale,
  };
}

/** The state moved as little as needed to show the rectangle (x, y, w, h) with a margin in pixels. */
export function zoomReveal(state, rect, view, margin = 24) {
  const m = margin / state.scale;
  return {
    x: zoomInto(state.x, view.w / state.scale, rect.x - m, rect.w + 2 * m),
    y: zoomInto(state.y, view.h / state.scale, rect.y - m, rect.h + 2 * m),
    scale: state.scale,
  };
}

function zoomWithin(scale) {
  return Math.min(ZOOM_MOST, Math.max(ZOOM_LEAST, scale));
}

function zoomAlong(at, length, seen) {
  if (length <= seen) return (length - seen) / 2;
  return Math.min(Math.max(at, 0), length - seen);
}

function zoomInto(at, seen, start, length) {
  if (length >= seen || start < at) return start;
  return Math.max(at, start + length - seen);
}

/** Make `svg` pannable, and zoomable by Ctrl+wheel. At first all of it is shown, but at a scale of at least `least`. */
export function zoomable(svg, content, least) {
  let size = content;
  let state = { x: 0, y: 0, scale: 1 };
  // The lower bound of the initial scale until the user moves something; null afterwards.
  let fitted = least;
  let held = null;

  const view = () => ({ w: Math.max(svg.clientWidth, 1), h: Math.max(svg.clientHeight, 1) });

  function show(next, isFitted = null) {
    const v = view();
    state = zoomClamp(next, size, v);
    fitted = isFitted;
    svg.setAttribute("viewBox", `${state.x} ${state.y} ${v.w / state.scale} ${v.h / state.scale}`);
  }

  const again = () => show(fitted === null ? state : zoomFit(size, view(), 1.25, fitted), fitted);

  function wheel(event) {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const at = svg.getBoundingClientRect();
    show(zoomAt(state, Math.exp(-event.deltaY * 0.0022), event.clientX - at.left, event.clientY - at.top));
  }

  function down(event) {
    if (event.button === 0) held = { x: event.clientX, y: event.clientY, moved: false, id: event.pointerId };
  }

  function move(event) {
    if (held === null || event.pointerId !== held.id) return;
    const dx = event.clientX - held.x;
    const dy = event.clientY - held.y;
    if (!held.moved && Math.hypot(dx, dy) < ZOOM_DRAG) return;
    if (!held.moved) svg.setPointerCapture(event.pointerId);
    held = { x: event.clientX, y: event.clientY, moved: true, id: held.id };
    show(zoomPan(state, dx, dy));
  }

  function up() {
    const wasPulled = held !== null && held.moved;
    held = null;
    // The click that ends a drag selects nothing.
    if (wasPulled) {
      svg.addEventListener("click", stop, { capture: true, once: true });
      setTimeout(() => svg.removeEventListener("click", stop, { capture: true }), 0);
    }
  }

  const stop = (event) => event.stopPropagation();
  const observer = new ResizeObserver(again);
  svg.addEventListener("wheel", wheel, { passive: false });
  svg.addEventListener("pointerdown", down);
  svg.addEventListener("pointermove", move);
  svg.addEventListener("pointerup", up);
  svg.addEventListener("pointercancel", up);
  observer.observe(svg);

  return {
    state: () => ({ ...state }),
    view,
    fit() {
      fitted = ZOOM_LEAST;
      again();
    },
    by: (factor) => show(zoomAt(state, factor, view().w / 2, view().h / 2)),
    pan: (dx, dy) => show(zoomPan(state, dx, dy)),
    reveal: (rect) => show(zoomReveal(state, rect, view())),
    put: (next) => show(next),
    resize(next) {
      size = next;
      again();
    },
    isFitted: () => fitted !== null,
    release() {
      observer.disconnect();
      svg.removeEventListener("wheel", wheel);
    },
  };
}
