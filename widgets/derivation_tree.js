// The visible part of a derivation, and keyboard navigation. Pure. Nodes are numbers, the root is 0.

/** A tree of the nodes received so far; the premises of a node may arrive later. */
export function derivationTree(told) {
  const tree = { nodes: new Map(), below: new Map() };
  derivationAdd(tree, told);
  return tree;
}

/** Add received nodes. */
export function derivationAdd(tree, told) {
  for (const node of told) {
    tree.nodes.set(node.id, node);
    for (const premise of node.premises) tree.below.set(premise, node.id);
  }
}

/** Whether all premises of a node are known. */
export function derivationIsKnown(tree, id) {
  return tree.nodes.get(id).premises.every((premise) => tree.nodes.has(premise));
}

/** The visible premises: those of an open node whose premises are known. */
export function derivationVisible(tree, open, id) {
  return open.has(id) && derivationIsKnown(tree, id) ? tree.nodes.get(id).premises : [];
}

/** The visible nodes, each before its premises. */
export function derivationOrder(tree, open) {
  const order = [];
  const pending = [0];
  while (pending.length) {
    const id = pending.pop();
    order.push(id);
    pending.push(...[...derivationVisible(tree, open, id)].reverse());
  }
  return order;
}

/** The nodes from the root to this one. */
export function derivationPath(tree, id) {
  const path = [id];
  while (tree.below.has(path[0])) path.unshift(tree.below.get(path[0]));
  return path;
}

/** The nodes less than `levels` above the root whose premises are known. */
export function derivationLevels(tree, levels) {
  const open = new Set();
  let row = [0];
  for (let level = 1; level < levels && row.length; level += 1) {
    const here = row.filter((id) => tree.nodes.get(id).premises.length && derivationIsKnown(tree, id));
    for (const id of here) open.add(id);
    row = here.flatMap((id) => tree.nodes.get(id).premises);
  }
  return open;
}

/** The nodes to open so that a node is visible. */
export function derivationPathToOpen(tree, open, id) {
  return new Set([...open, ...derivationPath(tree, id).slice(0, -1)]);
}

/**
 * The effect of an arrow key at a node: { go: id }, { open: id }, { fold: id } or null. In the list, as in any tree view, down
 * and up go through the visible nodes, right into a node, and left out of it. In the tree, up goes to the premises, down to the
 * conclusion, left and right to the neighbours.
 */
export function derivationStep(tree, open, id, key, isList) {
  const shown = derivationVisible(tree, open, id);
  const hasMore = tree.nodes.get(id).premises.length > 0;
  const below = tree.below.get(id);
  if (key === "Home") return { go: 0 };
  if (isList) {
    const order = derivationOrder(tree, open);
    const at = order.indexOf(id);
    if (key === "End") return { go: order[order.length - 1] };
    if (key === "ArrowDown") return at + 1 < order.length ? { go: order[at + 1] } : null;
    if (key === "ArrowUp") return at > 0 ? { go: order[at - 1] } : null;
    if (key === "ArrowRight") return shown.length ? { go: shown[0] } : hasMore ? { open: id } : null;
    if (key === "ArrowLeft") return shown.length ? { fold: id } : below === undefined ? null : { go: below };
    return null;
  }
  if (key === "End") return { go: derivationOrder(tree, open).pop() };
  if (key === "ArrowUp") return shown.length ? { go: shown[0] } : hasMore ? { open: id } : null;
  if (key === "ArrowDown") return below === undefined ? null : { go: below };
  if (key !== "ArrowLeft" && key !== "ArrowRight") return null;
  const level = derivationLevel(tree, open, id);
  const there = level[level.indexOf(id) + (key === "ArrowRight" ? 1 : -1)];
  return there === undefined ? null : { go: there };
}

/** The judgment on one line. */
export function derivationText(node) {
  const subject = node.subject.map(([text]) => text).join("").split(/\s+/).join(" ");
  return `${node.left}${subject}${node.right}`;
}

/** The visible nodes at the same distance from the root, from left to right. */
function derivationLevel(tree, open, id) {
  const height = derivationPath(tree, id).length;
  let row = [0];
  for (let level = 1; level < height; level += 1) row = row.flatMap((other) => derivationVisible(tree, open, other));
  return row;
}
