// Element builders. Text always becomes text nodes, so user text is never parsed as HTML.

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";

/** An HTML element: attributes, `on: {event: listener}`, and children (nodes, texts, lists of them, null). */
export function h(tag, attributes, ...children) {
  return withAttributes(document.createElement(tag), attributes, children);
}

/** An SVG element. */
export function s(tag, attributes, ...children) {
  return withAttributes(document.createElementNS(SVG_NAMESPACE, tag), attributes, children);
}

/** The accessible name of a button: what it says, if that is words, before what it does; so speech input finds it by either. */
export function buttonName(text, label) {
  return /[\p{L}\p{N}]/u.test(text) ? `${text}: ${label}` : label;
}

/** Replace the children of an element. */
export function refill(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter(isPresent));
}

/** Offer a text as a file download. */
export function download(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const anchor = h("a", { href: address, download: name });
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/** Copy a text to the clipboard, with a fallback for pages without the clipboard API. */
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

/** Whether the user prefers reduced motion. */
export function reducedMotion() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

function withAttributes(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    } else if (value === true) {
      element.setAttribute(name, "");
    } else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, String(value));
    }
  }
  element.append(...children.flat(Infinity).filter(isPresent));
  return element;
}

function isPresent(child) {
  return child !== null && child !== undefined && child !== false;
}
