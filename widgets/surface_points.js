// Points of a surface: where one is, how a key moves it, and the results there in words.

/** The point of the grid nearest to a place in the picture, given by shares of its sides from the upper left. */
export function surfacePoint(across, down, grid) {
  const within = (share) => Math.min(Math.max(Math.round(share * (grid - 1)), 0), grid - 1);
  return [within(across), within(down)];
}

/** The point that a key moves to, from the middle at first; null for other keys. */
export function surfaceMoved(key, point, grid, by) {
  const steps = { ArrowLeft: [-by, 0], ArrowRight: [by, 0], ArrowUp: [0, -by], ArrowDown: [0, by] }[key];
  if (steps === undefined) return null;
  const [x, y] = point ?? [Math.floor(grid / 2), Math.floor(grid / 2)];
  const within = (n) => Math.min(Math.max(n, 0), grid - 1);
  return [within(x + steps[0]), within(y + steps[1])];
}

/** `x[0] = 0.31, x[1] = -0.2` */
export function surfaceAt([x, y], axes, [low, high], grid) {
  const across = low[0] + ((high[0] - low[0]) * x) / (grid - 1);
  const down = high[1] - ((high[1] - low[1]) * y) / (grid - 1);
  return `${axes[0]} = ${surfaceNumber(across)}, ${axes[1]} = ${surfaceNumber(down)}`;
}

/** The results at a point: of several which is the largest, and all of them. */
export function surfaceWords(results) {
  if (results === null) return "the results are kept for the last epoch only";
  const texts = results.map((x) => (typeof x === "string" ? x : surfaceNumber(x)));
  if (results.length === 1) return texts[0];
  if (results.some((x) => typeof x === "string")) return `(${texts.join(", ")})`;
  return `class ${results.indexOf(Math.max(...results))}, from (${texts.join(", ")})`;
}

/** A share in per cent. */
export function surfaceShare(share) {
  return `${Math.round(100 * share)} %`;
}

function surfaceNumber(x) {
  return String(Number(x.toPrecision(3)));
}
