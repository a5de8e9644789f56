/* Making and changing elements, and nothing else: what a view is built from.

   Text goes in as text nodes only, so whatever a name or a line of chat holds is shown, not run.
   Nothing here knows the house. */

/* An element with attributes, listeners (functions: `onclick`), and children (nodes or text). */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else set(node, name, value);
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

/* Set an attribute, only where it changes; false and null take it away, true leaves it empty. */
export function set(node, name, value) {
  const text = value === true ? "" : String(value);
  if (value === null || value === false) node.removeAttribute(name);
  else if (node.getAttribute(name) !== text) node.setAttribute(name, text);
}

/* Set the text, only where it changes: a screen reader reads a live region again at each change. */
export function put(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

export function show(node, visible) {
  node.hidden = !visible;
}

/* Make the children of `parent` one element for each item, in order.  An element stays while its
   key does, so that focus and scrolling stay, too. */
export function keyed(parent, items, key, make, update = () => {}) {
  const names = items.map((item, index) => String(key(item, index)));
  const known = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  // These go first, so that none of the others has to move: who moves loses the focus.
  for (const [name, child] of known) if (!names.includes(name)) child.remove();
  items.forEach((item, index) => {
    const node = known.get(names[index]) ?? make(item, index);
    node.dataset.key = names[index];
    update(node, item, index);
    if (parent.children[index] !== node) parent.insertBefore(node, parent.children[index] ?? null);
  });
}

/* A select's options: pairs of value and text.  The choice stays if it is still there. */
export function choices(select, pairs) {
  keyed(select, pairs, ([value]) => value, ([value]) => el("option", { value }),
    (option, [, text]) => put(option, text));
}
