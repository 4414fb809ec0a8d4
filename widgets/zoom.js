// Panning and zooming of a large drawing. A state is { x, y, scale }: the point of the drawing in the upper left corner, and
// pixels per unit.

const ZOOM_LEAST = 0.08;
const ZOOM_MOST = 6;
const ZOOM_DRAG = 4;
// The two borders of the window, and the room that a scroll bar may take.
const ZOOM_EDGE = 2;
const ZOOM_SCROLL_BAR = 24;

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

/**
 * Show the drawing `svg` in `scroller`: it scrolls, is moved with the mouse, and is zoomed by Ctrl+wheel. At first all of it is
 * shown, but at a scale of at least `least`. `widened()` is called when the scroller has got its width, and when that changes.
 */
export function zoomable(scroller, svg, least, widened) {
  let size = { w: 1, h: 1 };
  let scale = 1;
  // The lower bound of the initial scale until the user moves something; null afterwards.
  let fitted = least;
  let wide = 0;

  const view = () => ({ w: Math.max(scroller.clientWidth, 1), h: Math.max(scroller.clientHeight, 1) });
  const state = () => zoomClamp({ x: scroller.scrollLeft / scale, y: scroller.scrollTop / scale, scale }, size, view());

  function show(next, isFitted = null) {
    fitted = isFitted;
    scale = next.scale;
    svg.setAttribute("viewBox", `0 0 ${size.w} ${size.h}`);
    svg.setAttribute("width", size.w * scale);
    svg.setAttribute("height", size.h * scale);
    const { x, y } = zoomClamp(next, size, view());
    scroller.scrollTo(x * scale, y * scale);
  }

  function again() {
    const around = { w: scroller.offsetWidth - ZOOM_EDGE, h: scroller.offsetHeight - ZOOM_EDGE };
    show(fitted === null ? state() : zoomFit(size, around, 1.25, fitted), fitted);
  }

  function resized() {
    if (Math.abs(scroller.clientWidth - wide) > ZOOM_SCROLL_BAR) {
      wide = scroller.clientWidth;
      widened();
    }
    if (fitted !== null) again();
  }

  function wheel(event) {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const at = scroller.getBoundingClientRect();
    show(zoomAt(state(), Math.exp(-event.deltaY * 0.0022), event.clientX - at.left, event.clientY - at.top));
  }

  function down(event) {
    const isOnBar = event.target === scroller && (event.offsetX >= scroller.clientWidth || event.offsetY >= scroller.clientHeight);
    if (event.button !== 0 || event.pointerType === "touch" || isOnBar) return;
    const from = state();
    let isMoved = false;
    const move = (to) => {
      const [dx, dy] = [to.clientX - event.clientX, to.clientY - event.clientY];
      if (!isMoved && Math.hypot(dx, dy) < ZOOM_DRAG) return;
      isMoved = true;
      show(zoomPan(from, dx, dy));
    };
    const up = () => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", up);
      removeEventListener("pointercancel", up);
      if (!isMoved) return;
      // The click that ends a drag selects nothing.
      scroller.addEventListener("click", stop, { capture: true, once: true });
      setTimeout(() => scroller.removeEventListener("click", stop, { capture: true }), 0);
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", up);
    addEventListener("pointercancel", up);
  }

  const stop = (event) => event.stopPropagation();
  const observer = new ResizeObserver(resized);
  scroller.addEventListener("wheel", wheel, { passive: false });
  scroller.addEventListener("pointerdown", down);
  observer.observe(scroller);

  return {
    state,
    view,
    fit() {
      fitted = ZOOM_LEAST;
      again();
    },
    by: (factor) => show(zoomAt(state(), factor, view().w / 2, view().h / 2)),
    pan: (dx, dy) => show(zoomPan(state(), dx, dy)),
    reveal: (rect) => show(zoomReveal(state(), rect, view())),
    resize(next) {
      size = next;
      again();
    },
    /** Show a state that was shown before. */
    put: (next) => show(next),
    isFitted: () => fitted !== null,
    release: () => observer.disconnect(),
  };
}
