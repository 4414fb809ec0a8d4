// The rows of a long list: which of them can be seen, and what stands in each.

const STEPPER_TALLEST = 8_000_000;

/** How many characters a line may have in a pane so wide, in steps of four; a pane that is not laid out yet is taken for a wide one. */
export function columnsOf(width, character) {
  if (!(width > 0)) return 90;
  return Math.max(32, Math.min(120, Math.floor((width / character - 1) / 4) * 4));
}

/** The rows in sight of a list scrolled to `top`: `{first, last, shift, height}`; a very long list is scrolled in scaled steps. */
export function rowsInSight(top, view, count, row, over = 6) {
  const full = count * row;
  const height = Math.min(full, STEPPER_TALLEST);
  const most = Math.max(height - view, 0);
  const real = height === full ? Math.max(0, Math.min(top, most)) : (Math.max(0, Math.min(top, most)) / most) * (full - view);
  const first = Math.max(0, Math.floor(real / row) - over);
  const last = Math.min(count, Math.ceil((real + view) / row) + over);
  return { first, last, shift: top - real, height };
}

/** How far to scroll so that a row can be seen, moving as little as possible. */
export function topFor(row, top, view, count, height) {
  const full = count * height;
  const scale = full > STEPPER_TALLEST ? (STEPPER_TALLEST - view) / (full - view) : 1;
  const real = top / scale;
  const wanted = Math.min(Math.max(real, (row + 2) * height - view), Math.max(0, (row - 1) * height));
  return Math.max(0, wanted) * scale;
}

/** The rows of the list of steps: the shown steps, and above the first shown one of each leg what the leg is about. */
export class ListRows {
  constructor(shown, legs) {
    this.shown = shown;
    this.legs = [];
    this.heads = [];
    let at = 0;
    for (const leg of legs) {
      const [first, last] = leg;
      at = listLowerBound(shown, first, at);
      if (at < shown.length && shown[at] <= last) {
        this.heads.push(at + this.legs.length);
        this.legs.push(leg);
      }
    }
    this.length = shown.length + this.legs.length;
  }

  /** What stands in a row: `{leg}` or `{step, leg}`. */
  at(row) {
    const behind = listLowerBound(this.heads, row + 1, 0);
    const leg = this.legs[behind - 1] ?? null;
    if (behind > 0 && this.heads[behind - 1] === row) return { leg, step: null };
    const step = this.shown[row - behind];
    return { leg: leg !== null && step <= leg[1] ? leg : null, step };
  }

  /** The row of a step, or of the first shown one behind it. */
  rowOf(step) {
    const place = Math.min(listLowerBound(this.shown, step, 0), this.shown.length - 1);
    let low = 0;
    let high = this.heads.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.heads[middle] - middle <= place) low = middle + 1;
      else high = middle;
    }
    return Math.max(place, 0) + low;
  }
}

function listLowerBound(sorted, least, from) {
  let low = from;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
