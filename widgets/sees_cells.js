// The rows of the table of what a net sees, and how a key moves in it.

/** For each sample a row with the values, and one with the cotangents if there are any; each cell is a list of arrays. */
export function seesCells(samples) {
  return samples.flatMap(({ number, cells }) => {
    const values = { sample: number, what: "value", isFirst: true, cells: cells.map(({ value }) => [value]) };
    const back = { sample: number, what: "cotangent", isFirst: false, cells: cells.map(({ cotangents }) => cotangents) };
    return back.cells.some((arrays) => arrays.length > 0) ? [values, back] : [values];
  });
}

/** The row and the column that a key leads to, past rows that are not shown; null for other keys. */
export function seesMoved(key, row, column, shown, columns) {
  const step = (by) => {
    let next = row + by;
    while (next >= 0 && next < shown.length && !shown[next]) next += by;
    return shown[next] ? next : row;
  };
  switch (key) {
    case "ArrowLeft":
      return [row, Math.max(column - 1, 0)];
    case "ArrowRight":
      return [row, Math.min(column + 1, columns - 1)];
    case "ArrowUp":
      return [step(-1), column];
    case "ArrowDown":
      return [step(1), column];
    case "Home":
      return [row, 0];
    case "End":
      return [row, columns - 1];
    default:
      return null;
  }
}
