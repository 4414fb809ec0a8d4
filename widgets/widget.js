// The entry point of anywidget: renders a view, such as the stepper, into its output.
import { h } from "./dom.js";
import { followMark } from "./follow.js";
import { hostOf } from "./host.js";
import { keepPlaces, placesIn } from "./places.js";

/** The views with nothing to show without a kernel: where there is none, their static form stays. */
const WIDGET_ASKS_FIRST = ["stepper", "rewriting", "knob"];

/** The render function of anywidget for a kind of view. */
export function rendererOf(kind, view) {
  return ({ model, el }) => {
    const host = hostOf(model);
    if (!host.alive() && WIDGET_ASKS_FIRST.includes(kind)) return host.release;
    const mark = followMark(model);
    const made = () => h("section", { class: `rh-live rh-${kind}` });
    let root = made();
    let places = null;
    el.append(mark.element, root);
    let clean = view(host, root);
    // A view that does not take new openings itself is rebuilt with them, and finds again what it has kept; its parts stay
    // scrolled and open as they were.
    const renew = host.isRenewed() ? null : () => {
      const before = root;
      const kept = new Map([...(places?.pending() ?? []), ...placesIn(before)]);
      const isFocused = before.contains(document.activeElement);
      places?.end();
      clean();
      root = made();
      before.replaceWith(root);
      clean = view(host, root);
      places = keepPlaces(root, kept);
      if (isFocused) (root.tabIndex >= 0 ? root : root.querySelector('[tabindex="0"]'))?.focus({ preventScroll: true });
    };
    if (renew !== null) host.onOpening(renew);
    return () => {
      places?.end();
      clean();
      mark.release();
      host.release();
    };
  };
}
