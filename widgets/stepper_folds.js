// Folding of lines: those of one net or function, or a block of deeper indentation.

/** The end of each line's block of deeper indentation (`ends[i] === i + 1`: no block). */
export function blockEnds(lines) {
  const ends = new Array(lines.length);
  const open = [];
  lines.forEach(([text], i) => {
    const depth = stepperIndent(text);
    while (open.length > 0 && open[open.length - 1].depth >= depth) ends[open.pop().line] = i;
    open.push({ line: i, depth });
  });
  for (const { line } of open) ends[line] = lines.length;
  return ends;
}

/** The end of the run of lines with the same origin as line `at`. */
export function originEnd(lines, at) {
  let end = at + 1;
  while (end < lines.length && lines[end][2] === lines[at][2]) end += 1;
  return end;
}

/**
 * The rows of a pane: `{line, fold: null | {kind, key, count, isOpen}}` for a line, `{from, to, fold}` for folded ones.
 * `origins` are the numbers of the folded origins, `blocks` the texts of the lines whose blocks are folded. A fold that would
 * hide a `needed` line is open temporarily.
 */
export function foldedRows(lines, origins, blocks, needed) {
  const ends = blockEnds(lines);
  const wanted = [...needed].sort((one, other) => one - other);
  const hides = (from, to) => stepperHasElementBetween(wanted, from, to);
  const rows = [];
  for (let i = 0; i < lines.length; ) {
    const [text, , origin] = lines[i];
    const begins = Boolean(origin) && (i === 0 || lines[i - 1][2] !== origin);
    const end = begins ? originEnd(lines, i) : i + 1;
    if (begins && end - i > 1) {
      const fold = { kind: "origin", key: origin, count: end - i, isOpen: !origins.has(origin) || hides(i, end) };
      if (!fold.isOpen) {
        rows.push({ line: i, from: i, to: end, fold });
        i = end;
        continue;
      }
      rows.push({ line: i, from: i, to: i + 1, fold });
      i += 1;
      continue;
    }
    const block = ends[i] - i - 1;
    if (block > 0) {
      const fold = { kind: "block", key: text, count: block, isOpen: !blocks.has(text) || hides(i + 1, ends[i]) };
      rows.push({ line: i, from: i, to: fold.isOpen ? i + 1 : ends[i], fold });
      i = fold.isOpen ? i + 1 : ends[i];
      continue;
    }
    rows.push({ line: i, from: i, to: i + 1, fold: null });
    i += 1;
  }
  return rows;
}

/** Whether a fold is temporarily open because the step needs its lines. */
export function staysOpen(rows, { kind, key }) {
  return rows.some(({ fold }) => fold !== null && fold.kind === kind && fold.key === key && fold.isOpen);
}

/** The row that shows a line, or the fold that contains it. */
export function rowOfLine(rows, line) {
  let low = 0;
  let high = rows.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (rows[middle].from <= line) low = middle;
    else high = middle - 1;
  }
  return Math.max(low, 0);
}

function stepperIndent(text) {
  return text.length - text.trimStart().length;
}

function stepperHasElementBetween(sorted, from, to) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < from) low = middle + 1;
    else high = middle;
  }
  return low < sorted.length && sorted[low] < to;
}
