// Looking at a drawing through a window that scrolls: its scale, where in it one is, and an overview of all of it.
import { h, reducedMotion } from "./dom.js";

const PLAYER_LEAST_ZOOM = 0.2;
const PLAYER_MOST_ZOOM = 4;

/** The window. What is drawn in it has its `svg`, its `size`, the frame around what is in view, and `showMargin(x)`. */
export class PlayerWindow {
  constructor() {
    this.zoom = 1;
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

  /** Let go of everything that listens. */
  release() {
    this.watcher.disconnect();
  }

  /** Begin with the scale that was kept, or one at which letters can be read; `placed` is called once there is a place. */
  begin(zoom, placed) {
    this.beginning = { zoom, placed };
  }

  /** The page has given it another size. */
  resized() {
    if (this.size === undefined || this.scroller.clientWidth === 0) return;
    if (this.beginning !== undefined) {
      const { zoom, placed } = this.beginning;
      this.beginning = undefined;
      this.zoomed(typeof zoom === "number" ? zoom : Math.min(1.3, Math.max(0.9, this.fitting())));
      placed();
      this.follow(this.frame);
    }
    this.framed();
  }

  /** Ctrl and the wheel make it larger. */
  wheeled(event) {
    if (!event.ctrlKey) return;
    const around = this.scroller.getBoundingClientRect();
    this.zoomed(this.zoom * Math.exp(-event.deltaY / 300), event.clientX - around.left, event.clientY - around.top);
  }

  /** Pull the drawing along; a click stays a click. */
  dragged(event) {
    if (event.button !== 0 || event.pointerType === "touch") return;
    const { scrollLeft, scrollTop } = this.scroller;
    const move = (at) => {
      this.scroller.scrollLeft = scrollLeft - (at.clientX - event.clientX);
      this.scroller.scrollTop = scrollTop - (at.clientY - event.clientY);
    };
    playerDrag(move);
  }

  /** Go where the reader points to in the overview. */
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

  /** Draw at this scale, what is in the middle staying there. */
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

  /** How many pixels high it wants to be. */
  height() {
    return Math.round(Math.min(460, Math.max(150, this.size.height * 1.1 + 16)));
  }

  /** Be so high. */
  tall(height) {
    this.scroller.style.height = `${height}px`;
  }

  /** The scale at which all of it is seen. */
  fitting() {
    return Math.min(
      (this.scroller.clientWidth - 4) / this.size.width,
      (this.scroller.clientHeight - 4) / this.size.height,
      1.6,
    );
  }

  /** Mark in the overview what is in view; without an overview where everything is. */
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

  /** Bring these pixels to the upper left corner, gliding if they are near and there is time. */
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
