// A small recorded pass for tests: x ↦ w @ x, the turn, and the backward pass with a `Put` at the end.
const numbers = (values, shape = values.length === 1 ? [] : [values.length]) => ({
  type: shape.length === 0 ? "Real" : `Real(${shape.join(", ")})`,
  text: String(values),
  shape,
  norm: Math.hypot(...values),
  min: Math.min(...values),
  max: Math.max(...values),
  values,
});

const wire = (id, name, role, born, last_read, content, more = {}) => ({
  id,
  name,
  role,
  born,
  last_read,
  content,
  type: content.type,
  of: null,
  waits: false,
  ...more,
});

const step = (frame, label, leg, reads, makes) => ({ frame, label, leg, reads, makes, box: String(frame), title: label });

const row = (label, forward, cotangents, part = "forward") => ({
  label,
  part,
  handler: "sgd",
  name: label,
  forward,
  cotangents,
  cotangent: cotangents[0] ?? null,
});

/** The pass; `returns` is what the return clause computes, `rate` scales the cotangents, `before` adds boxes at the start. */
export function smallPass({ returns = "x - t", rate = 1, before = [] } = {}) {
  const k = before.length;
  const back = [0.5 * rate, -1 * rate];
  return {
    title: "rev handle",
    type: "Real(2)",
    value: "[1, 2]",
    foldings: [false],
    frames: k + 7,
    turn: k + 4,
    wires: [
      wire(0, "x", "value", 1, k + 5, numbers([1, 2]), { waits: true }),
      ...before.map((name, i) => wire(20 + i, name, "value", i + 2, i + 3, numbers([1, 2]))),
      wire(1, "w", "parameter", k + 2, k + 7, numbers([1, 0, 0, 1], [2, 2]), { waits: true }),
      wire(2, "y", "value", k + 3, k + 4, numbers([1, 2])),
      wire(3, "y_2", "cotangent", k + 4, k + 7, numbers(back), { of: 2 }),
      wire(4, "v4", "update", k + 5, k + 6, numbers([1, -rate, 0, 1], [2, 2])),
      wire(5, "v5", "cotangent", k + 7, k + 7, numbers(back), { of: 0 }),
    ],
    steps: [
      step(1, "[1.0, 2.0]", "", [], [0]),
      ...before.map((name, i) => step(i + 2, name, "forward", [i === 0 ? 0 : 19 + i], [20 + i])),
      step(k + 2, "Get[w]", "forward", [], [1]),
      step(k + 3, "w @ x", "forward", [k === 0 ? 0 : 19 + k, 1], [2]),
      step(k + 4, returns, "return", [2], [3]),
      step(k + 5, "w - outer(y, x)", "backward", [1, 3, 0], [4]),
      step(k + 6, "Put[w]", "backward", [4], []),
      step(k + 7, "w^T @ y", "backward", [1, 3], [5]),
    ],
    accesses: [
      { frame: k + 2, kind: "Get", location: "w", before: numbers([1, 0, 0, 1], [2, 2]), after: numbers([1, 0, 0, 1], [2, 2]) },
      {
        frame: k + 6,
        kind: "Put",
        location: "w",
        before: numbers([1, 0, 0, 1], [2, 2]),
        after: numbers([1, -rate, 0, 1], [2, 2]),
      },
    ],
    rows: [row("x", 0, [5], ""), ...before.map((name, i) => row(name, 20 + i, [])), row("FC[w]", 2, [3], "Qᶠ FC[w]")],
    rows_left_out: 0,
  };
}
