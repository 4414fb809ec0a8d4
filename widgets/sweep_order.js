// The order of the rows of a sweep. Independent of the DOM.

/** The numbers of the rows, sorted by a column (`null`: as they are), upwards (1) or downwards (-1); missing ones come last. */
export function sweepOrder(rows, by, way) {
  const numbers = rows.map((_, n) => n);
  if (by === null || rows.length === 0 || by >= rows[0].keys.length) return numbers;
  const key = (n) => rows[n].keys[by] ?? null;
  return numbers.sort((a, b) => {
    const [x, y] = [key(a), key(b)];
    if (x === null || y === null) return (x === null) - (y === null) || a - b;
    return way * (x - y) || a - b;
  });
}

/** The next order `[column, way]` after a click on a heading: upwards, downwards, and as they are. */
export function sweepTurned([by, way], column) {
  if (by !== column) return [column, 1];
  return way > 0 ? [column, -1] : [null, 1];
}
