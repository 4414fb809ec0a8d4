// What anywidget calls: a view, such as the stepper, in the place that the notebook gives it.
import { hostOf } from "./host.js";
import { h } from "./dom.js";

/** The render function of anywidget for the view of one kind of result. */
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
