/**
 * What a page of the book does with scripts: it searches, and folds the contents where there is little room.
 *
 * The index is made when the search is first opened, from `search-data.js`. Everything is loaded by script elements, so it
 * works for pages that are opened as files. Texts of the book become text nodes, never HTML.
 */
(() => {
  const FOLDER = new URL(".", document.currentScript.src);
  const BOOK = new URL("..", FOLDER);
  const SHOWN = 40;
  const AROUND = 70;
  // A name with its hyphens and dots (RH-Op, W.rd), with % in front of a directive; an ASCII operator; any other sign alone.
  const TOKEN = /%{0,2}[\p{L}\p{N}_]+(?:[-.][\p{L}\p{N}_]+)*[′']*|[-<>=|&@^*+~:]{2,}|[@^|+*]|[^\s\p{L}\p{N}\p{P}\x00-\x7f]|[⟨⟩⌊⌋⟦⟧]/gu;

  for (const [selector, width] of [[".rh-contents details", "76rem"], [".rh-here details", "94rem"]]) {
    const part = document.querySelector(selector);
    const wide = matchMedia(`(min-width: ${width})`);
    const fold = () => { if (part) part.open = wide.matches; };
    wide.addEventListener("change", fold);
    fold();
  }

  /** The words of a text, small; of a compound one its parts too, unless it is what a reader asks for. */
  function tokens(text, withParts) {
    const found = [];
    for (const [token] of text.toLowerCase().matchAll(TOKEN)) {
      found.push(token);
      const parts = withParts ? token.match(/[\p{L}\p{N}_]+/gu) ?? [] : [];
      if (parts.length > 1 || (parts.length === 1 && parts[0] !== token)) found.push(...parts);
    }
    return found;
  }

  function element(tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  }

  const loaded = (name) => new Promise((done, failed) => {
    const script = element("script", { src: new URL(name, FOLDER).href });
    script.onload = done;
    script.onerror = () => failed(new Error(`${name} cannot be read`));
    document.head.append(script);
  });

  let making = null;

  /** The index, made once: the sections with their pages, and a function that finds some of them. */
  function index() {
    making ??= Promise.all([loaded("minisearch.js"), loaded("search-data.js")]).then(() => {
      const { pages, sections } = window.rhBook;
      const documents = sections.map(([page, anchor, title, text], id) => ({ id, page: pages[page], anchor, title, text }));
      const engine = new MiniSearch({
        fields: ["title", "text"],
        tokenize: (text) => tokens(text, true),
        processTerm: (term) => term,
      });
      engine.addAll(documents);
      return (asked) => {
        const words = tokens(asked, false);
        const whole = asked.trim().toLowerCase();
        const options = {
          tokenize: () => words,
          combineWith: "AND",
          boost: { title: 4 },
          prefix: (term) => term.length > 1,
          fuzzy: (term) => (/^\p{L}{5,}$/u.test(term) ? 0.2 : false),
          boostDocument: (id) => {
            const title = documents[id].title.toLowerCase();
            return title === whole ? 50 : title.startsWith(`${whole} `) ? 25 : 1;
          },
        };
        return engine.search(asked, options).map(({ id, terms }) => ({ ...documents[id], terms }));
      };
    });
    return making;
  }

  /** A text with the words that were found in it marked. */
  function marked(text, terms) {
    const parts = [];
    const small = text.toLowerCase();
    let start = 0;
    while (start < text.length) {
      const hits = terms.map((term) => [small.indexOf(term, start), term.length]).filter(([at]) => at >= 0);
      if (!hits.length) break;
      const [at, length] = hits.reduce((a, b) => (b[0] < a[0] || (b[0] === a[0] && b[1] > a[1]) ? b : a));
      parts.push(text.slice(start, at), element("mark", {}, text.slice(at, at + length)));
      start = at + length;
    }
    parts.push(text.slice(start));
    return parts;
  }

  /** The words around the place where a term first occurs. */
  function snippet(text, terms) {
    const small = text.toLowerCase();
    const places = terms.map((term) => small.indexOf(term)).filter((at) => at >= 0);
    const at = places.length ? Math.min(...places) : 0;
    const from = at < AROUND ? 0 : text.indexOf(" ", at - AROUND) + 1 || at;
    const to = text.length - from < 3 * AROUND ? text.length : text.lastIndexOf(" ", from + 3 * AROUND);
    return `${from ? "… " : ""}${text.slice(from, to > at ? to : from + 3 * AROUND)}${to < text.length ? " …" : ""}`;
  }

  const field = element("input", {
    type: "search", role: "combobox", "aria-label": "Search the book", "aria-expanded": "false", "aria-autocomplete": "list",
    "aria-controls": "rh-found", autocomplete: "off", spellcheck: "false", placeholder: "conv2d, RH-Op, RH204, %trace, ⊢ …",
  });
  const list = element("div", { role: "listbox", id: "rh-found", "aria-label": "Places found" });
  const status = element("p", { role: "status" });
  const close = element("button", { type: "button" }, "Close");
  const dialog = element("dialog", { class: "rh-search", "aria-label": "Search" },
    element("div", { class: "rh-search-field" }, field, close), status, list);
  const button = element("button", { type: "button", class: "rh-search-open" }, "Search ", element("kbd", {}, "/"));
  let chosen = -1;
  let asking = 0;

  function choose(place) {
    const options = [...list.children];
    chosen = options.length ? (place + options.length) % options.length : -1;
    options.forEach((option, at) => option.setAttribute("aria-selected", String(at === chosen)));
    if (chosen < 0) {
      field.removeAttribute("aria-activedescendant");
    } else {
      field.setAttribute("aria-activedescendant", options[chosen].id);
      options[chosen].scrollIntoView({ block: "nearest" });
    }
  }

  async function search() {
    const number = ++asking;
    const asked = field.value;
    let found = [];
    try {
      const find = await index();
      if (number !== asking) return;
      found = asked.trim() ? find(asked) : [];
      const more = found.length > SHOWN ? `, the first ${SHOWN} are shown` : "";
      status.textContent = asked.trim() ? `${found.length} ${found.length === 1 ? "place" : "places"}${more}` : "";
    } catch (problem) {
      making = null;
      status.textContent = problem.message;
    }
    list.replaceChildren(...found.slice(0, SHOWN).map(({ page, anchor, title, text, terms }, at) => {
      const address = new URL(page.address, BOOK);
      address.hash = anchor;
      return element("a", { role: "option", id: `rh-found-${at}`, href: address.href, tabindex: "-1", "aria-selected": "false" },
        element("span", { class: "rh-search-page" }, page.title),
        element("span", { class: "rh-search-title" }, ...marked(title, terms)),
        element("span", { class: "rh-search-text" }, ...marked(snippet(text, terms), terms)));
    }));
    field.setAttribute("aria-expanded", String(found.length > 0));
    list.scrollTop = 0;
    choose(0);
  }

  function open() {
    if (!dialog.open) dialog.showModal();
    field.select();
    search();
  }

  button.addEventListener("click", open);
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  list.addEventListener("click", (event) => { if (event.target.closest("a")) dialog.close(); });
  field.addEventListener("input", search);
  field.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      choose(chosen + (event.key === "ArrowDown" ? 1 : -1));
    } else if (event.key === "Enter" && chosen >= 0) {
      event.preventDefault();
      list.children[chosen].click();
    } else if (event.key === "Escape") {
      // Chromium would empty the field first.
      event.preventDefault();
      dialog.close();
    }
  });
  document.addEventListener("keydown", (event) => {
    const writes = event.target.closest?.("input, textarea, select, [contenteditable]");
    const asks = (event.key === "/" && !writes && !event.ctrlKey && !event.metaKey && !event.altKey)
      || (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey);
    if (asks) {
      event.preventDefault();
      open();
    }
  });
  document.querySelector(".rh-tools").prepend(button);
  document.body.append(dialog);
})();
