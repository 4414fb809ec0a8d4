// A derivation as an inference tree (premises over a line over the conclusion), or as an indented list.
import { h } from "./dom.js";
import { derivationVisible } from "./derivation_tree.js";

/** The inference tree; callbacks: on.pick(id), on.toggle(id). `made` collects the element of each node. */
export function derivationInferenceTree(tree, open, on, made) {
  return h("div", { class: "rh-proof-tree", role: "tree", "aria-label": "derivation" }, derivationFraction(tree, open, 0, 1, on, made));
}

/** The indented list. */
export function derivationList(tree, open, on, made) {
  return h("div", { class: "rh-proof-list", role: "tree", "aria-label": "derivation" }, derivationEntry(tree, open, 0, 1, on, made));
}

/** Runs of text with their roles. */
export function derivationRuns(runs) {
  return runs.map(([text, role, hover]) => (role === null && hover === "" ? text : h("span", { class: role === null ? false : `rh-role-${role}`, title: hover === "" ? false : hover }, text)));
}

/** The number of rules left out. */
export function derivationLeftOut(count) {
  return `${count} rule${count === 1 ? "" : "s"} more`;
}

function derivationFraction(tree, open, id, level, on, made) {
  const node = tree.nodes.get(id);
  const premises = derivationVisible(tree, open, id);
  const above = premises.length ? h("div", { class: "rh-proof-above", role: "group" }, premises.map((premise) => derivationFraction(tree, open, premise, level + 1, on, made))) : derivationHidden(node, on);
  const line = h("div", { class: "rh-proof-line" }, h("span", { class: "rh-proof-bar" }), derivationRule(node, on));
  const item = h("div", { class: "rh-proof-node", ...derivationItem(node, level, premises.length > 0) }, above, line, derivationConclusion(node));
  return derivationWired(item, node, on, made);
}

function derivationEntry(tree, open, id, level, on, made) {
  const node = tree.nodes.get(id);
  const premises = derivationVisible(tree, open, id);
  const sign = node.premises.length === 0 ? "·" : premises.length ? "▾" : "▸";
  const hidden = premises.length || !node.premises.length ? null : h("span", { class: "rh-proof-count" }, ` ⋮ ${derivationLeftOut(node.above)}`);
  const mark = h("span", { class: "rh-proof-sign", "aria-hidden": "true", on: { click: (event) => derivationConsume(event, () => on.toggle(id)) } }, sign);
  const head = h("div", { class: "rh-proof-entry" }, mark, derivationRule(node, on), derivationConclusion(node), hidden);
  const below = premises.length ? h("div", { class: "rh-proof-below", role: "group" }, premises.map((premise) => derivationEntry(tree, open, premise, level + 1, on, made))) : null;
  return derivationWired(h("div", { ...derivationItem(node, level, premises.length > 0) }, head, below), node, on, made);
}

function derivationItem(node, level, isOpen) {
  // Its name is its content: the rule and the judgment, without the group of its premises.
  const attributes = { role: "treeitem", tabindex: -1, "aria-level": level, "data-node": node.id };
  return node.premises.length ? { ...attributes, "aria-expanded": String(isOpen) } : attributes;
}

function derivationWired(item, node, on, made) {
  made.set(node.id, item);
  item.addEventListener("click", (event) => derivationConsume(event, () => on.pick(node.id)));
  item.addEventListener("dblclick", (event) => derivationConsume(event, () => on.toggle(node.id)));
  return item;
}

function derivationHidden(node, on) {
  if (!node.premises.length) return h("div", { class: "rh-proof-above" });
  const click = (event) => derivationConsume(event, () => on.toggle(node.id));
  return h("div", { class: "rh-proof-above" }, h("button", { type: "button", class: "rh-proof-more", tabindex: -1, on: { click } }, `⋮ ${derivationLeftOut(node.above)}`));
}

function derivationRule(node) {
  return h("span", { class: "rh-proof-rule rh-role-rule" }, node.rule);
}

function derivationConclusion(node) {
  return h(
    "div",
    { class: "rh-proof-conclusion" },
    h("span", {}, node.left),
    h("span", { class: "rh-proof-subject" }, derivationRuns(node.subject)),
    h("span", { class: "rh-role-type" }, node.right)
  );
}

function derivationConsume(event, then) {
  event.stopPropagation();
  then();
}
