// Short texts for numbers and arrays of a pass.

/** A number with some significant digits, as the kernel prints it; non-finite numbers are texts already. */
export function playerNumber(x, digits = 4) {
  if (x === null || x === undefined) return "";
  if (typeof x === "string") return x;
  if (!Number.isFinite(x)) return Number.isNaN(x) ? "nan" : x > 0 ? "inf" : "-inf";
  if (x === 0) return "0";
  return String(Number(x.toPrecision(digits))).replace("e+", "e");
}

/** The number of entries of an array of this shape. */
export function playerSize(shape) {
  return shape.reduce((n, m) => n * m, 1);
}

/** The label of a wire: its name, if it has one, with one or two entries, or else its type and norm. */
export function playerChip(content, type = "", name = "") {
  const n = playerSize(content.shape);
  const isMade = name !== "" && name !== "new";
  if (n === 0) return `${name} empty`.trim();
  if (n <= 2 && content.shape.length < 2 && content.values !== null) {
    const numbers = content.values.map((x) => playerNumber(x, 3));
    const written = n === 1 ? numbers[0] : `[${numbers.join(", ")}]`;
    return `${name}${isMade ? " = " : " "}${written}`.trim();
  }
  return `${name} ${type} ‖${playerNumber(content.norm, 3)}‖`.trim().replace("  ", " ");
}

/** An array in one line: type, norm, least and greatest entry. */
export function playerFacts(content) {
  const n = playerSize(content.shape);
  if (n <= 1) return content.type;
  const least = content.min === null ? "no finite entry" : `from ${playerNumber(content.min)} to ${playerNumber(content.max)}`;
  return `${content.type}, norm ${playerNumber(content.norm)}, ${least}`;
}

/** The description of a wire's role. */
export function playerRole(role) {
  return PLAYER_ROLES[role] ?? role;
}

/** The description of a wire's state. */
export function playerState(state) {
  return PLAYER_STATES[state];
}

/** `x`, `x and y`, `x, y and z`. */
export function playerList(words) {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}`;
}

const PLAYER_ROLES = {
  value: "a value on the way forward",
  parameter: "what a location held",
  auxiliary: "auxiliary data, kept for the way back",
  cotangent: "a cotangent",
  update: "the new content of a location",
  backward: "computed on the way back",
};

const PLAYER_STATES = {
  empty: "not computed yet",
  fresh: "just computed",
  read: "being read now",
  waiting: "waiting for the way back",
  live: "computed",
  done: "computed, and read for the last time",
};
