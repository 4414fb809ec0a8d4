// The entry point of anywidget: renders a view, such as the stepper, into its output.
import { h } from "./dom.js";
import { followMark } from "./follow.js";
import { hostOf } from "./host.js";

/** The render function of anywidget for a kind of view. */
export function rendererOf(kind, view) {
  return ({ model, el }) => {
    const host = hostOf(model);
    const mark = followMark(model);
    const made = () => h("section", { class: `rh-live rh-${kind}` });
    let root = made();
    el.append(mark.element, root);
    let clean = view(host, root);
    // A view that does not take new openings itself is made anew with them, and finds again what it has kept.
    const renew = host.isRenewed() ? null : () => {
      const before = root;
      clean();
      root = made();
      before.replaceWith(root);
      clean = view(host, root);
    };
    if (renew !== null) host.onOpening(renew);
    return () => {
      clean();
      mark.release();
      host.release();
    };
  };
}
