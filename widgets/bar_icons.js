// The pictures on the buttons of all views.
import { s } from "./dom.js";

const BAR_ICONS = {
  first: "M3 3h2v10H3zM13 3v10L6 8z",
  previous: "M12 3v10L4 8z",
  next: "M4 3v10l8-5z",
  last: "M11 3h2v10h-2zM3 3v10l7-5z",
  play: "M4 2.5v11l9-5.5z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  smaller: "M3 7h10v2H3z",
  larger: "M3 7h4V3h2v4h4v2H9v4H7V9H3z",
  fit: "M2 2h4.5v2H4v2.5H2zM9.5 2H14v4.5h-2V4H9.5zM2 9.5h2V12h2.5v2H2zM12 9.5h2V14H9.5v-2H12z",
};

/** A button icon. */
export function barIcon(name) {
  const path = s("path", { d: BAR_ICONS[name] });
  return s("svg", { class: "rh-icon", viewBox: "0 0 16 16", width: 14, height: 14, "aria-hidden": "true" }, path);
}
