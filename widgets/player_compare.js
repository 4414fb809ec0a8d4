// Comparison of two passes: which boxes agree, and so which frames correspond.

const PLAYER_MOST_PAIRS = 4000000;

/** Index pairs `[i, j]` of a longest common subsequence of two lists of keys; of very long lists, of the common ends only. */
export function playerAlign(left, right) {
  let start = 0;
  while (start < left.length && start < right.length && left[start] === right[start]) start += 1;
  let [m, n] = [left.length, right.length];
  while (m > start && n > start && left[m - 1] === right[n - 1]) [m, n] = [m - 1, n - 1];
  const pairs = Array.from({ length: start }, (_, i) => [i, i]);
  pairs.push(...playerMiddle(left.slice(start, m), right.slice(start, n)).map(([i, j]) => [start + i, start + j]));
  for (let i = m; i < left.length; i += 1) pairs.push([i, n + i - m]);
  return pairs;
}

/** The moments of two passes played in step: corresponding boxes run together, those between are interpolated. */
export function playerMoments(left, right) {
  const pairs = playerAlign(playerKeys(left), playerKeys(right));
  const moments = [[0, 0]];
  let [a, b] = [0, 0];
  for (const [i, j] of [...pairs, [left.frames, right.frames]]) {
    const [m, n] = [i - a, j - b];
    const most = Math.max(m, n);
    for (let k = 1; k <= most; k += 1) moments.push([a + Math.floor((k * m) / most), b + Math.floor((k * n) / most)]);
    [a, b] = [i, j];
    if (i < left.frames || j < right.frames) {
      [a, b] = [i + 1, j + 1];
      moments.push([a, b]);
    }
  }
  return moments;
}

/** The moments of one or two passes: the frame of each at every moment. */
export function playerTimeline(passes) {
  if (passes.length === 2) return playerMoments(passes[0], passes[1]);
  return Array.from({ length: passes[0].frames + 1 }, (_, frame) => [frame]);
}

/** Corresponding rows of two tables: `[row or null, row or null]`, including unmatched ones. */
export function playerRows(left, right) {
  const pairs = playerAlign(left.map(playerRowKey), right.map(playerRowKey));
  const rows = [];
  let [a, b] = [0, 0];
  for (const [i, j] of [...pairs, [left.length, right.length]]) {
    while (a < i) rows.push([left[a++], null]);
    while (b < j) rows.push([null, right[b++]]);
    if (i < left.length || j < right.length) rows.push([left[a++], right[b++]]);
  }
  return rows;
}

/** The first moment from this one on, or strictly before it, at which one of the passes is at one of its frames. */
export function playerSeek(moments, frames, from, step) {
  for (let at = from + step; at >= 0 && at < moments.length; at += step) {
    if (moments[at].some((frame, p) => frames[p].has(frame) && moments[at - 1]?.[p] !== frame)) return at;
  }
  return null;
}

// The turns correspond, whatever the return clauses compute.
function playerKeys(pass) {
  return pass.record.steps.map((step) => (step.frame === pass.turn ? "turn" : `${step.leg}|${step.label}`));
}

function playerRowKey(row) {
  return `${row.label}|${row.part}`;
}

function playerMiddle(left, right) {
  const [m, n] = [left.length, right.length];
  if (m === 0 || n === 0 || m * n > PLAYER_MOST_PAIRS) return [];
  const lengths = new Uint16Array((m + 1) * (n + 1));
  const at = (i, j) => i * (n + 1) + j;
  for (let i = m - 1; i >= 0; i -= 1) {
    for (let j = n - 1; j >= 0; j -= 1) {
      const longer = Math.max(lengths[at(i + 1, j)], lengths[at(i, j + 1)]);
      lengths[at(i, j)] = left[i] === right[j] ? lengths[at(i + 1, j + 1)] + 1 : longer;
    }
  }
  const pairs = [];
  for (let i = 0, j = 0; i < m && j < n; ) {
    if (left[i] === right[j] && lengths[at(i, j)] === lengths[at(i + 1, j + 1)] + 1) pairs.push([i++, j++]);
    else if (lengths[at(i + 1, j)] >= lengths[at(i, j + 1)]) i += 1;
    else j += 1;
  }
  return pairs;
}

/** The record of a pass with the drawing that has open or folded clauses, if it is known, else with the one that it has. */
export function playerDrawn(record, isFolded) {
  const other = (record.others ?? []).find(({ folded }) => folded === isFolded);
  return record.folded === isFolded || other === undefined ? record : { ...record, ...other };
}

/** Where the boxes and wires of a pass are and in which order they run: all but texts and numbers, as one text. */
export function playerForm({ boxes, strands, wires, frames, steps, again, rows, foldings, loops }) {
  const places = (boxes ?? []).map(({ id, x, y, w, h }) => [id, x, y, w, h]);
  const order = (steps ?? []).map(({ frame, box, reads, makes }) => [frame, box, reads, makes]);
  return JSON.stringify([places, strands, wires.map(({ id, type, born }) => [id, type, born]), frames, order, again, rows.length, foldings, loops.length]);
}
