// A scrollable, zoomable window onto a drawing, with an overview.
import { h, reducedMotion } from "./dom.js";

const PLAYER_LEAST_ZOOM = 0.2;
const PLAYER_MOST_ZOOM = 4;
const PLAYER_HIGHEST = 560;
const PLAYER_SPACE = 16;
const PLAYER_SCROLL_BAR = 24;
/** The scales of a drawing at first: the lower one is the least at which its text is legible. */
const PLAYER_FIRST_ZOOMS = [1, 1.3];

/** The window. The drawing has an `svg`, a `size`, the frame around the visible part, and `showMargin(x)`. */
export class PlayerWindow {
  constructor() {
    this.zoom = 1;
    this.isFitted = true;
    this.frame = 0;
    this.canvas = h("div", { class: "rh-player-canvas" });
    const listeners = {
      wheel: (event) => this.wheeled(event),
      pointerdown: (event) => this.dragged(event),
      scroll: () => this.framed(),
    };
    this.scroller = h("div", { class: "rh-player-scroller", on: listeners }, this.canvas);
    this.scroller.addEventListener("wheel", (event) => event.ctrlKey && event.preventDefault(), { passive: false });
    this.overview = h("div", { class: "rh-player-overview", on: { pointerdown: (event) => this.jumped(event) } });
    this.element = h("div", { class: "rh-player-drawing" }, this.scroller, this.overview);
    this.watcher = new ResizeObserver(() => this.resized());
    this.watcher.observe(this.scroller);
  }

  /** Remove all listeners. */
  release() {
    this.watcher.disconnect();
  }

  /** Start with the saved scale, or one at which all is visible and legible; calls `placed` once the element has a size. */
  begin(zoom, placed) {
    this.beginning = { zoom, placed };
  }

  /** The element was resized: a scroll bar that comes or goes is no reason for another scale. */
  resized() {
    const wide = this.scroller.clientWidth;
    if (this.size === undefined || wide === 0) return;
    const isFirst = this.wide === undefined;
    if (isFirst || Math.abs(wide - this.wide) > PLAYER_SCROLL_BAR) {
      const { zoom, placed } = this.beginning;
      if (isFirst) this.isFitted = typeof zoom !== "number";
      this.wide = wide;
      if (this.isFitted) this.zoomed(this.firstZoom());
      else if (isFirst) this.zoomed(zoom);
      placed();
      if (isFirst) this.follow(this.frame);
    }
    this.framed();
  }

  /** The scale at first, and until the user chooses one: all is visible if the text stays legible. */
  firstZoom() {
    const [least, most] = PLAYER_FIRST_ZOOMS;
    const [across, down] = [(this.scroller.clientWidth - 2) / this.size.width, (PLAYER_HIGHEST - PLAYER_SPACE) / this.size.height];
    return Math.max(least, Math.min(most, across, down));
  }

  /** Draw at the scale that the user chooses. */
  chooseZoom(zoom, x, y) {
    this.isFitted = false;
    this.zoomed(zoom, x, y);
  }

  /** Ctrl+wheel zooms. */
  wheeled(event) {
    if (!event.ctrlKey) return;
    const around = this.scroller.getBoundingClientRect();
    this.chooseZoom(this.zoom * Math.exp(-event.deltaY / 300), event.clientX - around.left, event.clientY - around.top);
  }

  /** Dragging pans; a click stays a click. */
  dragged(event) {
    if (event.button !== 0 || event.pointerType === "touch") return;
    const { scrollLeft, scrollTop } = this.scroller;
    const move = (at) => {
      this.scroller.scrollLeft = scrollLeft - (at.clientX - event.clientX);
      this.scroller.scrollTop = scrollTop - (at.clientY - event.clientY);
    };
    playerDrag(move);
  }

  /** Go to the point clicked in the overview. */
  jumped(event) {
    event.preventDefault();
    const go = (at) => {
      const around = this.overview.getBoundingClientRect();
      const middle = ((at.clientX - around.left) / around.width) * this.size.width * this.zoom;
      this.scroller.scrollLeft = middle - this.scroller.clientWidth / 2;
    };
    go(event);
    playerDrag(go);
  }

  /** Draw at this scale, keeping the centre. */
  zoomed(zoom, x = this.scroller.clientWidth / 2, y = this.scroller.clientHeight / 2) {
    const before = this.zoom;
    this.zoom = Math.min(PLAYER_MOST_ZOOM, Math.max(PLAYER_LEAST_ZOOM, zoom));
    if (this.svg === undefined) return;
    const { scrollLeft, scrollTop } = this.scroller;
    this.svg.setAttribute("width", this.size.width * this.zoom);
    this.svg.setAttribute("height", this.size.height * this.zoom);
    this.scroller.scrollLeft = ((scrollLeft + x) * this.zoom) / before - x;
    this.scroller.scrollTop = ((scrollTop + y) * this.zoom) / before - y;
    this.framed();
  }

  /** Move the drawing by these pixels. */
  pan(dx, dy) {
    this.scroller.scrollBy(-dx, -dy);
  }

  /** The preferred height in pixels. */
  height() {
    const zoom = this.scroller.clientWidth === 0 ? 1.1 : this.firstZoom();
    return Math.round(Math.min(PLAYER_HIGHEST, Math.max(150, this.size.height * zoom + PLAYER_SPACE)));
  }

  /** Set the height. */
  tall(height) {
    this.scroller.style.height = `${height}px`;
  }

  /** The scale at which the whole drawing fits. */
  fitting() {
    return Math.min(
      (this.scroller.clientWidth - 4) / this.size.width,
      (this.scroller.clientHeight - 4) / this.size.height,
      1.6,
    );
  }

  /** Mark the visible part in the overview; hide the overview if everything is visible. */
  framed() {
    if (this.svg === undefined) return;
    const { clientWidth, clientHeight, scrollLeft, scrollTop, scrollWidth } = this.scroller;
    this.overview.hidden = scrollWidth <= clientWidth + 2;
    const place = {
      x: scrollLeft / this.zoom,
      y: scrollTop / this.zoom - 8,
      width: clientWidth / this.zoom,
      height: clientHeight / this.zoom,
    };
    for (const [name, value] of Object.entries(place)) this.window.setAttribute(name, value.toFixed(1));
    this.showMargin(place.x);
  }

  /** Scroll these pixels to the upper left corner, animated if they are near and there is time. */
  scrollTo(left, top, isHasty) {
    const { scrollLeft, scrollTop, clientWidth } = this.scroller;
    if (left === scrollLeft && top === scrollTop) return;
    const isFar = Math.abs(left - scrollLeft) > 1.5 * clientWidth || Math.abs(top - scrollTop) > clientWidth;
    this.scroller.scrollTo({ left, top, behavior: isFar || isHasty || reducedMotion() ? "instant" : "smooth" });
  }
}

function playerDrag(move) {
  const end = () => {
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", end);
    removeEventListener("pointercancel", end);
  };
  addEventListener("pointermove", move);
  addEventListener("pointerup", end);
  addEventListener("pointercancel", end);
}
