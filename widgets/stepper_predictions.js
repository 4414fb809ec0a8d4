// Prediction of the next step: the rules offered, why a wrong one does not fire, and the score.

const PREDICT_OTHERS = 3;
const PREDICT_SHARE = 0.6;

/** Every rule in the order of the paper: what must be at the evaluation position, and which rules it is confused with. */
const PREDICT_RULES = {
  Ev: ["a function symbol applied to a value", ["Plus", "R-Fun", "Proj", "Let"]],
  Plus: ["a sum of two values", ["Ev", "R-Plus", "Let", "Proj"]],
  Proj: ["a projection out of a tuple of values", ["Let⇐", "Ev", "Let", "R-Proj"]],
  Let: ["a let ← that binds a value", ["Let⇐", "R-Let", "Ev", "Proj"]],
  Rd: ["a derivative rd whose cotangent and point are values", ["R-Fun", "Ev", "R-Rd", "R-Var"]],
  "R-Var": ["an R around a variable", ["R-Const", "R-Fun", "Rd"]],
  "R-Const": ["an R around a constant", ["R-Var", "R-Fun", "Rd"]],
  "R-Fun": ["an R around the call of a function symbol", ["Ev", "R-Var", "Rd", "R-Let"]],
  "R-Plus": ["an R around a sum", ["Plus", "R-Tuple", "R-Fun"]],
  "R-Let": ["an R around a let", ["Let", "R-Fun", "R-Plus"]],
  "R-Tuple": ["an R around a tuple", ["R-Proj", "R-Plus", "Proj"]],
  "R-Proj": ["an R around a projection", ["Proj", "R-Tuple", "R-Var"]],
  "R-Rd": ["an R around a derivative rd, or around the lets that one has become", ["Rd", "R-Fun", "R-Let"]],
  "Let⇐": ["a let ⇐ whose command has returned a value, with no RH around it", ["RH-Let", "Proj", "Let", "RH-Return"]],
  RevHandle: ["a rev handle whose inputs are values, with no RH around it", ["RH-Handle", "RH-Let", "RH-Op", "RH-Term"]],
  "RH-Return": ["an RH around the return of a variable and nothing else", ["RH-Let", "Let⇐", "RH-Op", "H-Return"]],
  "RH-Let": ["an RH whose head is a let ⇐ that binds a returned variable", ["Let⇐", "RH-Return", "RH-Op", "RH-Term"]],
  "RH-Op": ["an RH whose head is an operation applied to a variable", ["RH-Term", "RH-Let", "Get", "H-Op"]],
  "RH-Handle": ["an RH whose head is a rev handle of a variable", ["RevHandle", "RH-Op", "RH-Term"]],
  "RH-Term": ["an RH whose head has a term that is more than a variable", ["RH-Op", "RH-Let", "Ev", "RH-Return"]],
  Get: ["the operation Get, with no RH around it", ["Put", "RH-Op", "H-Op", "Let⇐"]],
  Put: ["the operation Put of a value, with no RH around it", ["Get", "RH-Op", "Let⇐", "Ev"]],
  Draw: ["the operation Normal or Uniform, with no RH around it", ["Get", "RH-Op", "H-Op", "Let⇐"]],
  BatchMean: ["the operation BatchMean, with no RH around it", ["RH-Op", "H-Op", "Let⇐"]],
  "H-Return": ["an ordinary handle around a return", ["Let⇐", "H-Op", "RH-Return"]],
  "H-Op": ["an operation in an ordinary handle that has a clause for it", ["Get", "RH-Op", "H-Return"]],
  Map: ["a map over a value", ["Ev", "R-Map", "Let", "Scan"]],
  "R-Map": ["an R around a map, or in a derivative of a derivative around what has a map in it", ["Map", "R-Fun", "R-Let"]],
  Scan: ["a scan of values, with no RH around it", ["RH-Scan", "Map", "Let⇐", "RevHandle"]],
  "RH-Scan": ["an RH whose head is a scan of a variable", ["Scan", "RH-Term", "RH-Let", "RH-Op"]],
  Repeat: ["a repeat that begins with a value, with no RH around it", ["Let⇐", "RH-Repeat", "RevHandle"]],
  "RH-Repeat": ["an RH whose head is a repeat that begins with a variable", ["Repeat", "RH-Let", "RH-Term"]],
  "If-True": ["an if whose condition compares values and holds, with no R or RH around it", ["If-False", "RH-If", "Ev", "Let"]],
  "If-False": ["an if whose condition compares values and does not hold, with no R or RH around it", ["If-True", "RH-If", "Ev"]],
  "R-If": ["an R around an if, which is decided at the point", ["If-True", "If-False", "R-Let", "R-Fun"]],
  "RH-If": ["an RH whose head is an if, which is decided at the values", ["If-True", "If-False", "RH-Term", "RH-Let"]],
};

/** The names of all rules that can be offered, in the order of the paper. */
export const PREDICTED = Object.keys(PREDICT_RULES);

/**
 * The rules offered at a step, including the right one, in the order of the paper, so that the position reveals nothing. The
 * others are first two that it is confused with, then those that fire nearby, if the trace has them and the filter shows them.
 */
export function offeredRules(index, step) {
  const name = (at) => index.rules[index.rule[at]].name;
  const right = name(step);
  const alike = PREDICT_RULES[right]?.[1] ?? [];
  const here = new Set(index.rules.map((rule) => rule.name).filter((each) => !index.hidden.has(each)));
  const around = nearbyRules(index, step).map((rule) => index.rules[rule].name);
  const likely = alike.filter((each) => here.has(each));
  const wanted = [...likely.slice(0, 2), ...around.filter((each) => here.has(each)), ...likely, ...alike, ...around, ...PREDICTED];
  const others = [...new Set(wanted)].filter((each) => each !== right).slice(0, PREDICT_OTHERS);
  return [right, ...others].sort((one, other) => predictOrder(one) - predictOrder(other));
}

/** The rules of a trace by distance of their nearest firing from the step; at equal distance, the later one first. */
export function nearbyRules(index, step) {
  const distances = index.rules.map((_, rule) => {
    const on = index.nextOfRule(rule, step - 1, 1);
    const back = index.nextOfRule(rule, step, -1);
    return Math.min(on === null ? Infinity : 2 * (on - step), back === null ? Infinity : 2 * (step - back) + 1);
  });
  return distances.map((_, rule) => rule).sort((one, other) => distances[one] - distances[other] || one - other);
}

/** Why a rule does not fire where another one does, in a sentence. */
export function whyNot(wrong, right) {
  return `${wrong} needs ${predictNeed(wrong)}; here stands ${predictNeed(right)}.`;
}

/**
 * Where a step happens, as `[line, from, to, …]`: the redex up to the end of what the rule inspects in it. So of a let it
 * excludes the body, and of an RH the rest of the command.
 */
export function predictPlace({ redex = [], focus = [] }) {
  const [line, , end] = focus.length === 0 ? [Infinity, 0, Infinity] : focus.slice(-3);
  const found = [];
  for (let i = 0; i + 2 < redex.length; i += 3) {
    const to = redex[i] < line ? redex[i + 2] : redex[i] === line ? Math.min(redex[i + 2], end) : redex[i + 1];
    if (redex[i + 1] < to) found.push(redex[i], redex[i + 1], to);
  }
  return found;
}

/** Whether a line and column lie in `[line, from, to, …]`. */
export function isInPlace(ranges, line, column) {
  for (let i = 0; i + 2 < ranges.length; i += 3) {
    if (ranges[i] === line && ranges[i + 1] <= column && column < ranges[i + 2]) return true;
  }
  return false;
}

/** Whether to ask where the step happens: not if that is most of the visible text. */
export function isPlaceAsked(lines, ranges) {
  const letters = (text) => text.replace(/\s/g, "").length;
  const all = lines.reduce((sum, [text]) => sum + letters(text), 0);
  let inside = 0;
  for (let i = 0; i + 2 < ranges.length; i += 3) inside += letters((lines[ranges[i]]?.[0] ?? "").slice(ranges[i + 1], ranges[i + 2]));
  return inside > 0 && inside <= PREDICT_SHARE * all;
}

/**
 * The legs of a trace without what lies beyond `horizon`, the first step not to be revealed. A leg that may continue there has
 * no end, even if it ends just before: that would reveal something about the next step.
 */
export function revealedLegs(legs, horizon) {
  const told = legs.filter(([first]) => first < horizon);
  return told.map((leg) => (leg[1] < horizon - 1 ? leg : [leg[0], horizon - 1, leg[2], leg[3], leg[4], "", true]));
}

/** The predictions since the step at which predicting began; steps before it are visible. */
export class StepperPredictions {
  constructor(at) {
    this.first = at;
    this.answers = new Map();
  }

  /** The user is at a step; going back before the start asks about that step too. */
  comeTo(step) {
    this.first = Math.min(this.first, step);
  }

  /** Whether nothing about a step may be revealed, neither its rule nor its result. */
  isHidden(step) {
    return step >= this.first && !(this.answers.get(step)?.isOver ?? false);
  }

  /** The first visible step that is hidden by this; nothing from there on is revealed. */
  horizon(index) {
    let place = index.placeOf(this.first);
    while (place < index.shown.length && !this.isHidden(index.shown[place])) place += 1;
    return index.shown[place] ?? Infinity;
  }

  /**
   * The answers at a step: the wrong rules `tried`, whether it `isOver`, whether it `isTold` (revealed), and whether its place
   * was found.
   */
  at(step) {
    return this.answers.get(step) ?? PREDICT_NOTHING;
  }

  /** Answer with a rule; return whether it is right. */
  answer(step, name, right) {
    if (!this.isHidden(step)) return false;
    const { tried, isPlaced } = this.at(step);
    const isRight = name === right;
    const wrong = isRight || tried.includes(name) ? tried : [...tried, name];
    this.answers.set(step, { tried: wrong, isOver: isRight, isTold: false, isPlaced });
    return isRight;
  }

  /** Reveal the rule. */
  reveal(step) {
    if (this.isHidden(step)) this.answers.set(step, { ...this.at(step), isOver: true, isTold: true });
  }

  /** The place was found. */
  place(step) {
    this.answers.set(step, { ...this.at(step), isPlaced: true });
  }

  /** The number of steps answered, and of those at the first try. */
  score() {
    const over = [...this.answers.values()].filter((each) => each.isOver);
    return { count: over.length, good: over.filter((each) => each.tried.length === 0 && !each.isTold).length };
  }
}

const PREDICT_NOTHING = { tried: [], isOver: false, isTold: false, isPlaced: false };

/** `7 of 9 at the first try`. */
export function scoreWords({ count, good }) {
  return count === 0 ? "" : `${good.toLocaleString("en")} of ${count.toLocaleString("en")} at the first try`;
}

function predictNeed(name) {
  return PREDICT_RULES[name]?.[0] ?? "something else";
}

function predictOrder(name) {
  const place = PREDICTED.indexOf(name);
  return place < 0 ? PREDICTED.length : place;
}
