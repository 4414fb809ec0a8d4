// A view in a saved page: there is no kernel, and its questions are answered from what was saved with it.

const SAVED_MISSING = "This is not in the saved page. Run the cell in a notebook to see it.";

/** An object like anywidget's model, for a saved record `{opening, answers}` with pairs of question and answer; `kept` is what it recalls. */
export function savedModel({ opening, answers }, kept = {}) {
  const state = { opening, kept };
  const listeners = [];
  const reply = (message) => queueMicrotask(() => listeners.forEach((listener) => listener(message)));
  return {
    get: (name) => state[name],
    set: (name, value) => (state[name] = value),
    on: (event, listener) => event === "msg:custom" && listeners.push(listener),
    off: (event, listener) => event === "msg:custom" && listeners.splice(listeners.indexOf(listener), 1),
    save_changes() {},
    send({ id, question }) {
      const answer = savedAnswer(answers, question, opening);
      reply(answer === null ? { id, refused: SAVED_MISSING } : { id, answer });
    },
  };
}

/** The saved answer of a question, or one that serves as well, such as the same step in lines of another width; null if none. */
export function savedAnswer(answers, question, opening) {
  const same = answers.filter(([asked]) => asked.ask === question.ask);
  const exact = same.find(([asked]) => savedAgree(asked, question, Object.keys({ ...asked, ...question })));
  if (exact !== undefined) return SAVED_UNPACKED[question.ask]?.(exact[1], question, answers) ?? exact[1];
  return SAVED_ANSWERS[question.ask]?.(same, question, { answers, opening }) ?? null;
}

const SAVED_ANSWERS = {
  window: (same, { from, width }) =>
    savedNearest(same.filter(([, { from: first, details }]) => first <= from && from < first + Math.max(details.length, 1)), width),
  step: (same, { step, width }) => savedNearest(same.filter(([asked]) => asked.step === step), width),
  heap: (same, { state }) => same.filter(([asked]) => asked.state <= state).at(-1)?.[1],
  words: (_, { steps }, { answers }) => ({ words: steps.map((step) => savedWords(answers, step)) }),
  legs: () => ({ legs: [] }),
  open: (same, { tree }) => {
    const own = same.filter(([asked]) => asked.tree === tree).map(([, answer]) => answer);
    return own.length === 0 ? null : { nodes: own.flatMap(({ nodes }) => nodes), names: own.at(-1).names };
  },
  written: (same, { pass, from, to }) => {
    const whole = same.find(([asked]) => asked.pass === pass);
    return whole && { written: whole[1].written.filter(([, frame]) => from <= frame && frame <= to) };
  },
  find: (_, question, { answers, opening }) => savedFind(answers, question, opening),
};

// Answers that are saved in a shorter form than they are given in.
const SAVED_UNPACKED = {
  samples: ({ numbers, count }, question, answers) => {
    const pool = new Map(answers.filter(([{ ask }]) => ask === "pool").flatMap(([, { samples }]) => samples.map((sample) => [sample.number, sample])));
    const from = question.from + numbers.length;
    const isLast = from >= count || !answers.some(([asked]) => savedAgree(asked, { ...question, from }, Object.keys(question)));
    return { samples: numbers.map((number) => pool.get(number)), count, missing: isLast ? count - from : 0 };
  },
};

function savedAgree(asked, question, fields) {
  return fields.every((name) => JSON.stringify(asked[name]) === JSON.stringify(question[name]));
}

/** The answer in the widest lines that fit, or in the narrowest. */
function savedNearest(found, width) {
  const order = [...found].sort(([one], [other]) => other.width - one.width);
  return (order.find(([asked]) => asked.width <= width) ?? order.at(-1))?.[1];
}

function savedWords(answers, step) {
  for (const [{ ask }, answer] of answers) {
    const detail = ask === "window" ? answer.details[step - answer.from] : undefined;
    if (detail !== undefined) return [detail.about, detail.became];
  }
  return ["", ""];
}

/** The next step with a text in its rule, its caption, or the lines that it leads to. */
function savedFind(answers, { text, from, backwards }, opening) {
  const wanted = text.toLocaleLowerCase();
  for (let step = from; step >= 0 && step < opening.steps; step += backwards ? -1 : 1) {
    const shown = savedNearest(answers.filter(([asked]) => asked.ask === "step" && asked.step === step), Infinity);
    const lines = shown === undefined ? savedWords(answers, step) : shown.after.lines.map(([line]) => line);
    const rule = typeof opening.fired === "string" ? opening.fired.charCodeAt(step) - 65 : opening.fired[step];
    if ([opening.rules[rule]?.name ?? "", ...lines].join(" ").toLocaleLowerCase().includes(wanted)) return { step };
  }
  return { step: null };
}
