// Which cell of a confusion matrix is chosen, how a key moves the choice, and in which words it is announced.

/** Any class, in a question to the kernel. */
export const ANY_CLASS = -2;

/** All samples. */
export const ALL_CELLS = { target: ANY_CLASS, predicted: ANY_CLASS };

/** The cell that a key moves to from the one in `row` and `column`, in a matrix of `rows` × `columns`; null for other keys. */
export function confusionMoved(key, row, column, rows, columns) {
  const within = (n, most) => Math.min(Math.max(n, 0), most - 1);
  switch (key) {
    case "ArrowLeft":
      return [row, within(column - 1, columns)];
    case "ArrowRight":
      return [row, within(column + 1, columns)];
    case "ArrowUp":
      return [within(row - 1, rows), column];
    case "ArrowDown":
      return [within(row + 1, rows), column];
    case "Home":
      return [row, 0];
    case "End":
      return [row, columns - 1];
    default:
      return null;
  }
}

/** A cell that was kept by an earlier page, if it is one of this matrix; else all samples. */
export function confusionKept(kept, rows, columns) {
  const isTarget = (n) => n === ANY_CLASS || (Number.isInteger(n) && n >= 0 && n < rows);
  const isPredicted = (n) => n === ANY_CLASS || columns.some(({ predicted }) => predicted === n);
  const isCell = kept !== null && typeof kept === "object" && isTarget(kept.target) && isPredicted(kept.predicted);
  return isCell ? { target: kept.target, predicted: kept.predicted } : ALL_CELLS;
}

/** `4 samples of class 9 taken for 3`: `count` samples are in the cell. */
export function confusionWords({ target, predicted }, count, nameOf) {
  const samples = `${count === 0 ? "no" : count.toLocaleString("en")} sample${count === 1 ? "" : "s"}`;
  const of = target === ANY_CLASS ? "" : ` of class ${target}`;
  const name = nameOf(predicted);
  const taken = predicted === ANY_CLASS ? "" : predicted === target ? " classified as such" : ` taken for ${name}`;
  const order = count < 2 ? "" : predicted === ANY_CLASS || predicted !== target ? ", the most wrong first" : ", the least certain first";
  return `${samples}${of}${taken}${order}`;
}

/** The opacity of a cell with `count` of the `total` samples of its row. */
export function confusionShade(count, total) {
  return count === 0 ? 0 : 0.12 + 0.5 * Math.sqrt(count / total);
}
