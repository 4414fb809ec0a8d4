// The entry: the view of each kind of result, in the place that the notebook gives it.
import { hostOf } from "./host.js";
import { h } from "./dom.js";
import { derivation } from "./derivation.js";
import { diagram } from "./diagram.js";
import { player } from "./player.js";
import { stepper } from "./stepper.js";

const VIEWS = { stepper, player, diagram, derivation };

function render({ model, el }) {
  const kind = model.get("kind");
  const host = hostOf(model);
  const root = h("section", { class: `rh-live rh-${kind}` });
  el.append(root);
  const view = VIEWS[kind];
  if (view === undefined) {
    root.append(h("p", {}, `There is no view called ${kind} here.`));
    return () => host.release();
  }
  const clean = view(host, root);
  return () => {
    clean();
    host.release();
  };
}

export default { render };
