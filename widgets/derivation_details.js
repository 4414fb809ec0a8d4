// Details of the selected judgment: its rule as the paper states it, and the path to it from the root.
import { h } from "./dom.js";
import { derivationRuns } from "./derivation_layout.js";
import { derivationPath, derivationText } from "./derivation_tree.js";

/** Details of a judgment; callbacks: on.pick(id), on.toggle(id), on.copy(id). */
export function derivationDetails(tree, rules, id, isOpen, on) {
  const node = tree.nodes.get(id);
  const rule = rules[node.rule];
  const path = derivationPath(tree, id);
  const button = (words, click) => h("button", { type: "button", on: { click } }, words);
  const steps = path.map((step, i) => [i ? " › " : "", h("button", { type: "button", class: "rh-proof-step", title: derivationText(tree.nodes.get(step)), "aria-current": step === id ? "true" : false, on: { click: () => on.pick(step) } }, tree.nodes.get(step).rule)]);
  return [
    h("div", {}, h("b", { class: "rh-role-rule" }, node.rule), ` (${rule.figure}): ${rule.gloss}.`),
    derivationSchema(rule, node.rule),
    h("div", { class: "rh-proof-whole" }, h("span", {}, node.left), derivationRuns(node.subject), h("span", { class: "rh-role-type" }, node.right)),
    h("div", { class: "rh-bar" }, node.premises.length ? button(isOpen ? "fold it" : "open it", () => on.toggle(id)) : null, button("copy the judgment", () => on.copy(id)), derivationMeasure(node)),
    h("nav", { "aria-label": "from the root" }, "from the root: ", steps),
  ];
}

/** The definitions of the names in the judgments. */
export function derivationNames(names) {
  if (!names.length) return [];
  const rows = names.map(([name, runs]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, "="), h("td", {}, derivationRuns(runs))));
  return [h("details", { open: true }, h("summary", {}, "names"), h("table", { class: "rh-proof-names" }, h("tbody", {}, rows)))];
}

function derivationSchema(rule, name) {
  const over = [...rule.sides, ...rule.premises];
  return h(
    "div",
    { class: "rh-proof-schema", role: "img", tabindex: 0, "aria-label": `${name}: from ${over.join(" and ") || "nothing"} follows ${rule.conclusion}` },
    h("div", { class: "rh-proof-schema-above" }, over.map((text) => h("span", {}, text))),
    h("div", { class: "rh-proof-schema-line" }),
    h("div", {}, rule.conclusion)
  );
}

function derivationMeasure(node) {
  if (!node.premises.length) return h("span", { class: "rh-proof-quiet" }, "nothing above it");
  const n = node.premises.length;
  return h("span", { class: "rh-proof-quiet" }, `${n} premise${n === 1 ? "" : "s"}, ${node.above} rule${node.above === 1 ? "" : "s"} above it`);
}
