// Marks on lines, and lines as runs of characters of one style. All offsets count UTF-16 code units.

const STEPPER_SHARP = ["focus", "changed"];
const [MARKS_DEEP, MARKS_KEPT, MARKS_EDGE] = [110, 48, 24];
const STEPPER_MARKS = ["redex", "focus", "untaken", "contractum", "changed", "forward", "backward"];

/** `[line, from, to, …]` as a map from lines to lists of `[from, to]`. */
export function rangesByLine(ranges) {
  const found = new Map();
  for (let i = 0; i + 2 < ranges.length; i += 3) {
    if (!found.has(ranges[i])) found.set(ranges[i], []);
    found.get(ranges[i]).push([ranges[i + 1], ranges[i + 2]]);
  }
  return found;
}

/** Marks `{kind: ranges}` as a map from lines to lists of `[from, to, kind]`, wider kinds first. */
export function marksByLine(marks) {
  const found = new Map();
  const kinds = Object.keys(marks).sort((one, other) => STEPPER_MARKS.indexOf(one) - STEPPER_MARKS.indexOf(other));
  for (const kind of kinds) {
    for (const [line, places] of rangesByLine(marks[kind])) {
      if (!found.has(line)) found.set(line, []);
      for (const [from, to] of places) found.get(line).push([from, to, kind]);
    }
  }
  return found;
}

/** The line as runs `{text, role, kinds}`; `kinds` also has where each mark begins and ends: `{kind, first, last}`. */
export function runsOf(line, marks = []) {
  const [text, looks] = line;
  const cuts = new Set([0, text.length]);
  const spans = [];
  let at = 0;
  for (let i = 0; i + 1 < looks.length; i += 2) {
    const to = Math.min(at + looks[i], text.length);
    spans.push([at, to, looks[i + 1]]);
    cuts.add(to);
    at = to;
  }
  const clipped = marks.map(([from, to, kind]) => [Math.max(0, from), Math.min(to, text.length), kind]);
  for (const [from, to] of clipped) {
    cuts.add(Math.min(from, text.length));
    cuts.add(Math.max(to, 0));
  }
  const ends = [...cuts].sort((one, other) => one - other);
  const runs = [];
  let span = 0;
  for (let i = 0; i + 1 < ends.length; i += 1) {
    const [from, to] = [ends[i], ends[i + 1]];
    while (span < spans.length && spans[span][1] <= from) span += 1;
    const role = span < spans.length ? spans[span][2] : 0;
    const kinds = clipped
      .filter(([begin, end]) => begin <= from && to <= end)
      .map(([begin, end, kind]) => ({ kind, first: begin === from, last: end === to }));
    runs.push({ text: text.slice(from, to), role, kinds });
  }
  return runs;
}

/** The first line and column of each kind of mark, and the column where it ends on that line. */
export function markStarts(marks) {
  const starts = {};
  for (const kind of Object.keys(marks)) {
    const [line, column, end] = marks[kind];
    if (line !== undefined) starts[kind] = { line, column, end };
  }
  return starts;
}

/** The lines that a fold must not hide: all of focus and changed marks, and the beginnings of all others. */
export function neededLines(marks) {
  const needed = new Set();
  for (const [kind, ranges] of Object.entries(marks)) {
    const step = STEPPER_SHARP.includes(kind) ? 3 : ranges.length;
    for (let i = 0; i < ranges.length; i += step) needed.add(ranges[i]);
  }
  return needed;
}

/** The lines with a mark and those near them; all others are dimmed. Without a mark none is. */
export function nearLines(marks, near) {
  const lines = new Set();
  let isMarked = false;
  for (const ranges of Object.values(marks)) {
    for (let i = 0; i < ranges.length; i += 3) {
      isMarked = true;
      for (let line = ranges[i] - near; line <= ranges[i] + near; line += 1) lines.add(line);
    }
  }
  return isMarked ? lines : null;
}

/**
 * The scroll offset of a pane that keeps its mark in row `anchor`, where it was in the step before. `wide` is the row of the
 * redex, `sharp` that of the focus in it; if both cannot be visible, the sharp one is.
 */
export function anchoredTop(wide, sharp, anchor, visible) {
  const last = visible - 2;
  return sharp - wide + anchor <= last || last <= anchor ? wide - anchor : sharp - last;
}

/**
 * The horizontal scroll offsets of the two panes, equal if that shows both marks. For each pane: `indent` of the marked line,
 * `start` and `end` of the mark on it, and the visible `width`. Deep indentation is scrolled out of view; otherwise no more
 * than is needed to show the mark, or the beginning of a long one.
 */
export function sharedLefts(panes) {
  const indent = Math.min(...panes.map((pane) => pane.indent));
  const wanted = indent > MARKS_DEEP ? indent - MARKS_KEPT : 0;
  const most = panes.map(({ start }) => Math.max(0, start - MARKS_EDGE));
  const least = panes.map(({ start, end, width }, i) => {
    return Math.min(most[i], Math.max(0, start - width + MARKS_KEPT, end + MARKS_EDGE - width));
  });
  const [low, high] = [Math.max(...least), Math.min(...most)];
  if (low <= high) return panes.map(() => Math.max(low, Math.min(wanted, high)));
  return panes.map((_, i) => Math.max(least[i], Math.min(wanted, most[i])));
}
