// What a reader has scrolled and opened in a view, and the focus, when the view is rebuilt.

const PLACES_MS = 5000;
const PLACES_KINDS = "div, pre, ul, ol, section, table, tbody, details, p";

/** The places in a view: how far its parts are scrolled, and which `details` are open. */
export function placesIn(root) {
  const found = new Map();
  for (const [key, element] of placesKeyed(root)) {
    const { scrollLeft: left, scrollTop: top } = element;
    const isOpen = element.tagName === "DETAILS" ? element.open : null;
    if (left !== 0 || top !== 0 || isOpen !== null) found.set(key, { left, top, isOpen });
  }
  return found;
}

/**
 * Put the parts of a view back where they were, now and again as its content arrives, until that takes too long or the reader
 * touches the view. `pending()` are the places that content has not come for.
 */
export function keepPlaces(root, places) {
  const left = new Map(places);
  const stops = ["wheel", "pointerdown", "keydown"];
  let timer = null;

  function put() {
    for (const [key, element] of placesKeyed(root)) {
      const place = places.get(key);
      if (place === undefined) continue;
      if (place.isOpen !== null) element.open = place.isOpen;
      if (element.scrollTop !== place.top) element.scrollTop = place.top;
      if (element.scrollLeft !== place.left) element.scrollLeft = place.left;
      if (Math.abs(element.scrollTop - place.top) < 1 && Math.abs(element.scrollLeft - place.left) < 1) left.delete(key);
      else left.set(key, place);
    }
  }

  const observer = new MutationObserver(put);

  function end() {
    clearTimeout(timer);
    observer.disconnect();
    for (const stop of stops) root.removeEventListener(stop, finish);
  }

  function finish() {
    left.clear();
    end();
  }

  put();
  if (places.size > 0) {
    observer.observe(root, { childList: true, subtree: true });
    for (const stop of stops) root.addEventListener(stop, finish, { passive: true });
    timer = setTimeout(finish, PLACES_MS);
  }
  return { pending: () => left, end };
}

/** The parts of a view, each under its tag, its first class, and how many of these are before it. */
function* placesKeyed(root) {
  const counts = new Map();
  for (const element of root.querySelectorAll(PLACES_KINDS)) {
    const name = `${element.tagName}.${element.classList[0] ?? ""}`;
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    yield [`${name}.${count}`, element];
  }
}
