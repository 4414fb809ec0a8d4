// The entry point of anywidget: renders a view, such as the stepper, into its output.
import { hostOf } from "./host.js";
import { h } from "./dom.js";

/** The render function of anywidget for a kind of view. */
export function rendererOf(kind, view) {
  return ({ model, el }) => {
    const host = hostOf(model);
    const root = h("section", { class: `rh-live rh-${kind}` });
    el.append(root);
    const clean = view(host, root);
    return () => {
      clean();
      host.release();
    };
  };
}
