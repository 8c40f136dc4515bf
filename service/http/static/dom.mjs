// Making elements. Text becomes a text node and nothing else, so no name and no sentence can be anything but text.

/** @typedef {Node | string | number | null | undefined | false} Child */

const SVG = "http://www.w3.org/2000/svg";
// What could steer a reader or turn the writing round: control and format characters, but not the joiners that scripts need.
const STEERING = /[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;

/**
 * An element. `on…` properties that are functions listen, `true` is an empty attribute, `false` and null are none; there
 * is no `style` and nothing takes markup.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag @param {Record<string, unknown>} [properties] @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  set(element, properties);
  element.append(...nodes(children));
  return element;
}

/** An SVG element, otherwise like `h`. @param {string} tag @param {Record<string, unknown>} [properties] @param {...(Child | Child[])} children */
export function svg(tag, properties = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  set(element, properties);
  element.append(...nodes(children));
  return element;
}

/** @param {Element} element @param {Record<string, unknown>} properties */
function set(element, properties) {
  for (const [name, value] of Object.entries(properties)) {
    if (name === "style" || (name.startsWith("on") && typeof value !== "function")) throw new Error(`not set: ${name}`);
    if (typeof value === "function") element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else if (typeof value === "boolean" && name.startsWith("aria-")) element.setAttribute(name, String(value));
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
}

/** @param {(Child | Child[])[]} children @returns {(Node | string)[]} */
function nodes(children) {
  return children
    .flat()
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : String(child)));
}

/** Replaces everything in an element. @param {Element} element @param {...(Child | Child[])} children */
export function fill(element, ...children) {
  element.replaceChildren(...nodes(children));
}

/**
 * Replaces everything in an element and keeps the focus: on what has the same `data-key`, else on what is to be done first
 * (`data-first`), else on the element itself.
 * @param {HTMLElement} element @param {...(Child | Child[])} children
 */
export function repaint(element, ...children) {
  const held = document.activeElement;
  const inside = held instanceof HTMLElement && element.contains(held);
  const key = inside ? held.dataset.key : undefined;
  fill(element, ...children);
  if (!inside) return;
  const same = key === undefined ? null : element.querySelector(`[data-key="${CSS.escape(key)}"]:not(:disabled)`);
  const next = same ?? element.querySelector("[data-first]:not(:disabled)") ?? element;
  /** @type {HTMLElement} */ (next).focus({ preventScroll: true });
}

/** The element of an id the page is known to have. @param {string} id @returns {HTMLElement} */
export function byId(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no ${id}`);
  return found;
}

/** A text with what could steer its reader made visible. @param {string} text */
export function plain(text) {
  return text.replace(STEERING, "\ufffd");
}

/** A name, kept apart from the writing around it. @param {string} text @param {string} [kind] */
export function name(text, kind = "name") {
  return h("bdi", { class: kind, dir: "auto" }, plain(text));
}

/** Says something to who listens; the same text twice is said twice. @param {string} text */
export function say(text) {
  const place = byId("said");
  place.textContent = place.textContent === text ? `${text}\u00a0` : text;
}

/** A number with a real minus. @param {number} value */
export function number(value) {
  return String(value).replace("-", "\u2212");
}

/** The game of this page, from its address. */
export function gameHere() {
  return byId("main").dataset.game ?? "";
}
