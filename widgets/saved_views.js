// Saved views of a page: each takes the place of its static form, which stays below it, closed.
import { h } from "./dom.js";
import { savedModel } from "./saved.js";
import { rendererOf } from "./widget.js";

const SAVED_AHEAD = "600px";

/** Show the views of the page, `<div class="rh-view">` with a static form and a record, as they come into sight; `views` are functions by kind. */
export function showSavedViews(views) {
  const seen = new IntersectionObserver(
    (entries) => {
      for (const { target } of entries.filter(({ isIntersecting }) => isIntersecting)) {
        seen.unobserve(target);
        showSavedView(target, views);
      }
    },
    { rootMargin: SAVED_AHEAD },
  );
  for (const place of document.querySelectorAll(".rh-view")) seen.observe(place);
}

/** What a view recalls if the page is opened with `#step=12`, counted as the view counts; nothing for another address. */
export function savedStart(kind, hash) {
  const found = /^#step=(\d{1,9})$/.exec(hash);
  return found === null ? {} : SAVED_STARTS[kind]?.(Number(found[1])) ?? {};
}

const SAVED_STARTS = {
  stepper: (n) => ({ step: n - 1 }),
  rewriting: (n) => ({ step: n - 1 }),
  player: (n) => ({ frame: n }),
  flow: (n) => ({ frame: n }),
  surface: (n) => ({ state: n }),
};

/** Show one view; if that fails, its static form stays. */
async function showSavedView(place, views) {
  const data = place.querySelector(":scope > script[data-kind]");
  const { kind } = data.dataset;
  const still = [...place.childNodes].filter((node) => node !== data);
  const made = h("div", {});
  try {
    const record = JSON.parse(await savedText(data.textContent));
    place.prepend(made);
    const isAlone = document.querySelectorAll(".rh-view").length === 1;
    rendererOf(kind, views[kind])({ model: savedModel(record, isAlone ? savedStart(kind, location.hash) : {}), el: made });
    if (!record.whole) made.append(h("p", { class: "rh-saved-note" }, "This was too much for one page: a part of it is missing, for example later steps."));
    made.after(h("details", { class: "rh-saved-still" }, h("summary", {}, "As a picture and a table, without interaction"), still));
  } catch (error) {
    made.remove();
    console.warn(`a saved view is shown as a picture: ${error.message}`);
  }
}

/** The text whose compressed form is given in base64. */
async function savedText(encoded) {
  const bytes = Uint8Array.from(atob(encoded.trim()), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).text();
}
