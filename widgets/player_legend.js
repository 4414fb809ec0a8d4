// The legend of the diagram.
import { h, s } from "./dom.js";

const PLAYER_LINES = [
  ["value live", "value, forward"],
  ["parameter live", "content of a location"],
  ["value waiting", "waits for the way back"],
  ["cotangent live", "◂z: cotangent of z, coming back"],
  ["update live", "new content for Put"],
  ["value empty", "not computed yet"],
];

/** The legend, drawn like the wires. */
export function playerLegend() {
  return h(
    "div",
    { class: "rh-player-legend", "aria-label": "legend" },
    PLAYER_LINES.map(([looks, words]) => h("span", { class: "rh-player-sample" }, playerSample(looks), words)),
  );
}

function playerSample(looks) {
  const classes = looks.split(" ").map((look) => `rh-player-${look}`).join(" ");
  const d = "M2 7H34";
  const tip = looks.startsWith("cotangent") ? s("path", { class: "rh-player-tip", d: "M28 3l8 4l-8 4z" }) : null;
  return s(
    "svg",
    { class: "rh-player-svg", width: 38, height: 14, viewBox: "0 0 38 14", "aria-hidden": "true" },
    s(
      "g",
      { class: `rh-player-wire ${classes}` },
      s("path", { class: "rh-player-line", d }),
      s("path", { class: "rh-player-core", d }),
      tip,
    ),
  );
}
