/* Makes and changes elements, and nothing else: what a view is built from.

   Text goes in as text nodes only, so whatever a name or a chat message holds is shown, not run. */

/** What an attribute may be; a function is a listener.
 *  @typedef {string | number | boolean | null | ((event: any) => unknown)} Attribute */

/** An element with attributes, listeners (`onclick`), and children.
 *  @template {keyof HTMLElementTagNameMap} Tag
 *  @param {Tag} tag
 *  @param {Record<string, Attribute>} attributes
 *  @param {(Node | string | null)[]} children
 *  @returns {HTMLElementTagNameMap[Tag]} */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else set(node, name, value);
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

const SVG_SPACE = "http://www.w3.org/2000/svg";

/** An SVG element with attributes and children.
 *  @template {keyof SVGElementTagNameMap} Tag
 *  @param {Tag} tag
 *  @param {Record<string, string | number | boolean>} attributes
 *  @param {(Node | string)[]} children
 *  @returns {SVGElementTagNameMap[Tag]} */
export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS(SVG_SPACE, tag);
  for (const [name, value] of Object.entries(attributes)) write(node, name, String(value));
  node.append(...children);
  return node;
}

/** The element of this id, which the page's HTML has.
 *  @param {string} id */
export function byId(id) {
  const node = document.getElementById(id);
  if (!node) throw new Error(`the page has no #${id}`);
  return node;
}

/** Set an attribute, only where it changes; false and null remove it, true leaves it empty.
 *  @param {Element} node
 *  @param {string} name
 *  @param {string | number | boolean | null} value */
export function set(node, name, value) {
  const text = value === true ? "" : String(value);
  if (value === null || value === false) node.removeAttribute(name);
  else if (node.getAttribute(name) !== text) write(node, name, text);
}

/** Set an attribute; a style by script, for the page's policy refuses it as an attribute.
 *  @param {Element} node
 *  @param {string} name
 *  @param {string} text */
function write(node, name, text) {
  if (name === "style" && "style" in node) /** @type {HTMLElement | SVGElement} */ (node).style.cssText = text;
  else node.setAttribute(name, text);
}

/** Set the text, only where it changes: a screen reader reads a live region again at each change.
 *  @param {Node} node
 *  @param {string} text */
export function put(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** A name that somebody has chosen, whichever way it is written; in full where one points at it.
 *  @param {string} name */
export const nameNode = (name) => el("bdi", { title: name }, name);

/** Show an element, or hide it.
 *  @param {Element} node
 *  @param {boolean} visible */
export function show(node, visible) {
  node.toggleAttribute("hidden", !visible);
}

/** Give `parent` one child for each item, in order.  A child stays as long as its item's key does,
 *  and keeps its focus and its scrolling.
 *  @template Item
 *  @template {HTMLElement | SVGElement} Child
 *  @param {Element} parent
 *  @param {readonly Item[]} items
 *  @param {(item: Item, index: number) => string | number} keyOf
 *  @param {(item: Item, index: number) => Child} make
 *  @param {(child: Child, item: Item, index: number) => void} update */
export function keyed(parent, items, keyOf, make, update = () => {}) {
  const keys = items.map((item, index) => String(keyOf(item, index)));
  const children = /** @type {Child[]} */ ([...parent.children]);
  const before = new Map(children.map((child) => [child.dataset.key, child]));
  // These go first, so that none of the others has to move: a moved element loses the focus.
  for (const [key, child] of before) if (!keys.includes(key ?? "")) child.remove();
  items.forEach((item, index) => {
    const child = before.get(keys[index]) ?? make(item, index);
    child.dataset.key = keys[index];
    update(child, item, index);
    if (parent.children[index] !== child) parent.insertBefore(child, parent.children[index] ?? null);
  });
}

/** The options of a select, as pairs of value and text.  The choice stays if it is still there.
 *  @param {HTMLSelectElement} select
 *  @param {[string, string][]} pairs */
export function setOptions(select, pairs) {
  keyed(select, pairs, ([value]) => value, ([value]) => el("option", { value }),
    (option, [, text]) => put(option, text));
}

/** Call `render` once for all the changes of a moment.  It is called by a message to oneself,
 *  because animation frames and timers are slow in a hidden tab.
 *  @param {() => void} render
 *  @returns {() => void} */
export function batched(render) {
  const channel = new MessageChannel();
  let waiting = false;
  channel.port1.onmessage = () => {
    waiting = false;
    render();
  };
  return () => {
    if (!waiting) channel.port2.postMessage(null);
    waiting = true;
  };
}
