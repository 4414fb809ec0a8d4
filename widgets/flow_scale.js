// The sizes of a recorded training run: the strength of a tint, a size as a text, and curves over the batches.

const FLOW_PALEST = 0.06;
const FLOW_STRONGEST = 0.62;

/** The position of a size on a logarithmic scale `[low, high]`, 0 … 1; `null` if it has none. The kernel sends -1 for ∞. */
export function flowStrength(size, scale) {
  if (size === null || scale === null || size <= 0) return null;
  const [low, high] = scale;
  return Math.min(1, Math.max(0, Math.log(size / low) / Math.log(high / low)));
}

/** The opacity of a tint. */
export function flowOpacity(strength) {
  return strength === null ? 0 : FLOW_PALEST + (FLOW_STRONGEST - FLOW_PALEST) * strength;
}

/** A size with two significant digits. */
export function flowSize(size) {
  if (size === null) return "–";
  if (size < 0) return "not finite";
  const text = size > 0 && (size < 1e-4 || size >= 1e5) ? size.toExponential(1) : size.toPrecision(2);
  return text.includes("e") ? text.replace(".0", "").replace("+", "") : String(Number(text));
}

/** The size of a drawn box: the largest of the boxes in it, one that is not finite before all others. */
export function flowLargest(sizes, positions) {
  const found = positions.map((i) => sizes[i]).filter((size) => size !== null);
  if (found.length === 0) return null;
  return found.some((size) => size < 0) ? -1 : Math.max(...found);
}

/** The curve of the sizes of a box over the batches, in a field of `width` × `height`, with gaps where there is no size. */
export function flowCurve(sizes, frames, scale, width, height) {
  const last = frames[frames.length - 1][0] || 1;
  let d = "";
  let isOn = false;
  sizes.forEach((size, n) => {
    const strength = flowStrength(size, scale);
    if (strength !== null) d += `${isOn ? "L" : "M"}${((width * frames[n][0]) / last).toFixed(1)} ${(height * (1 - strength)).toFixed(1)}`;
    isOn = strength !== null;
  });
  return d;
}
