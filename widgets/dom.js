// Elements: text always becomes text nodes, so nothing that a person wrote is ever read as HTML.

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";

/** An element of HTML: attributes, `on: {event: listener}`, and children (nodes, texts, lists of them, null). */
export function h(tag, attributes, ...children) {
  return dressed(document.createElement(tag), attributes, children);
}

/** An element of SVG. */
export function s(tag, attributes, ...children) {
  return dressed(document.createElementNS(SVG_NAMESPACE, tag), attributes, children);
}

/** Take everything out of an element and put these children in. */
export function refill(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter(isThere));
}

/** Offer a text to be saved as a file. */
export function download(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const anchor = h("a", { href: address, download: name });
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/** Put a text on the clipboard, also where a page may only do so the old way. */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = h("textarea", { style: "position:fixed;opacity:0" });
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
}

/** Whether the reader has asked for little motion. */
export function reducedMotion() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

function dressed(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    } else if (value === true) {
      element.setAttribute(name, "");
    } else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, String(value));
    }
  }
  element.append(...children.flat(Infinity).filter(isThere));
  return element;
}

function isThere(child) {
  return child !== null && child !== undefined && child !== false;
}
