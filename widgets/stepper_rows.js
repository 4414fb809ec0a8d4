// Virtual scrolling of a long list: which rows are visible, and their content.

const STEPPER_TALLEST = 8_000_000;

/** The columns of a pane of this width, in steps of four; a pane without layout counts as wide. */
export function columnsOf(width, character) {
  if (!(width > 0)) return 90;
  return Math.max(32, Math.min(120, Math.floor((width / character - 1) / 4) * 4));
}

/** The visible rows of a list scrolled to `top`: `{first, last, shift, height}`; very long lists scroll in scaled steps. */
export function rowsInSight(top, view, count, row, over = 6) {
  const full = count * row;
  const height = Math.min(full, STEPPER_TALLEST);
  const most = Math.max(height - view, 0);
  const real = height === full ? Math.max(0, Math.min(top, most)) : (Math.max(0, Math.min(top, most)) / most) * (full - view);
  const first = Math.max(0, Math.floor(real / row) - over);
  const last = Math.min(count, Math.ceil((real + view) / row) + over);
  return { first, last, shift: top - real, height };
}

/** The scroll offset that shows a row, moving as little as possible. */
export function topFor(row, top, view, count, height) {
  const full = count * height;
  const scale = full > STEPPER_TALLEST ? (STEPPER_TALLEST - view) / (full - view) : 1;
  const real = top / scale;
  const wanted = Math.min(Math.max(real, (row + 2) * height - view), Math.max(0, (row - 1) * height));
  return Math.max(0, wanted) * scale;
}

/** The rows of the list of steps: the visible steps, with a heading above the first one of each leg. */
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

  /** The content of a row: `{leg}` or `{step, leg}`. */
  at(row) {
    const behind = listLowerBound(this.heads, row + 1, 0);
    const leg = this.legs[behind - 1] ?? null;
    if (behind > 0 && this.heads[behind - 1] === row) return { leg, step: null };
    const step = this.shown[row - behind];
    return { leg: leg !== null && step <= leg[1] ? leg : null, step };
  }

  /** The row of a step, or of the first visible one after it. */
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
