/* The page of a search: a film of what it did, to play, to step through, and to unfold. */

import { byId, el, put, set, show, svg } from "../../../client/web/page/dom.js";
import { picture } from "./picture.js";
import { Boards, number } from "./parts.js";
import { TreeStory } from "./tree_story.js";
import { TreeView } from "./tree_view.js";
import * as treeWords from "./tree_words.js";
import { WindowStory } from "./window_story.js";
import * as windowWords from "./window_words.js";

/** How fast: milliseconds a frame; whole: only the last frame of each simulation. */
const SPEEDS = [
  { name: "slow", ms: 2400, whole: false }, { name: "normal", ms: 1200, whole: false }, { name: "quick", ms: 450, whole: false },
  { name: "fast", ms: 120, whole: true }, { name: "rush", ms: 25, whole: true },
];
const KEYS = [
  ["Space", "play or pause"], ["← →", "one step back or on"], ["Page Up, Page Down", "one simulation, or one depth, back or on"], ["Home, End", "to the beginning, to the answer"],
  ["+ −", "faster, slower"], ["Tab, then arrows", "through the tree; Enter unfolds a node and shows its board"],
];

const trace = JSON.parse(byId("trace").textContent ?? "{}");
const isWindow = trace.kind === "window";
const story = isWindow ? new WindowStory(trace) : new TreeStory(trace);
const boards = new Boards(trace, trace.drawings ? null : picture);
const teller = isWindow ? new windowWords.WindowWords(/** @type {WindowStory} */ (story), boards) : new treeWords.TreeWords(/** @type {TreeStory} */ (story), boards);
const { PHASES, phasesOf } = /** @type {any} */ (isWindow ? windowWords : treeWords);

class Player {
  /** @type {ReturnType<typeof setTimeout> | null} */
  #timer = null;
  /** @type {HTMLElement | null} */
  chapters = null;
  #speed = 1;

  constructor() {
    this.view = new TreeView(byId("growth"), boards, () => this.show());
    this.first = button("The beginning", "M6 5v14M19 5 9 12l10 7Z", () => this.go(0));
    this.before = button("One back", "M12 5 4 12l8 7ZM20 5l-8 7 8 7Z", () => this.go(story.jumps[0]));
    this.back = button("Step back", "M16 5 8 12l8 7Z", () => this.step(-1));
    this.play = button("Play", "M8 5v14l11-7Z", () => this.toggle());
    this.on = button("Step", "M8 5l8 7-8 7Z", () => this.step(1));
    this.after = button("One on", "M4 5l8 7-8 7ZM12 5l8 7-8 7Z", () => this.go(story.jumps[1]));
    this.last = button("The answer", "M18 5v14M5 5l10 7-10 7Z", () => this.go(story.frames.length - 1));
    this.play.classList.add("primary");
    const [back, on] = isWindow ? ["The depth before", "The next depth"] : ["One simulation back", "One simulation on"];
    set(this.before, "aria-label", back);
    set(this.after, "aria-label", on);
    this.slider = el("input", { type: "range", min: 0, max: story.length, value: 0, "aria-label": `${story.noun} of ${story.length}`, oninput: (/** @type {any} */ { target }) => this.go(story.after(Number(target.value))) });
    this.number = el("input", { type: "number", min: 0, max: story.length, value: 0, inputmode: "numeric", "aria-label": `Go to ${story.noun}`, onchange: (/** @type {any} */ { target }) => this.go(story.after(Number(target.value))) });
    this.speed = el("select", { "aria-label": "Speed", onchange: (/** @type {any} */ { target }) => this.setSpeed(target.selectedIndex) }, ...SPEEDS.map(({ name }) => el("option", {}, name)));
    this.speed.selectedIndex = this.#speed;
    byId("controls").append(
      el("div", { class: "buttons" }, this.first, this.before, this.back, this.play, this.on, this.after, this.last),
      el("label", { class: "where" }, el("span", {}, story.noun), this.number, el("span", {}, `of ${story.length.toLocaleString("en")}`)),
      this.slider, el("label", { class: "speed" }, el("span", { class: "unseen" }, "Speed"), this.speed));
    if (isWindow) byId("step").append(this.chapters = el("div", { class: "chapters", role: "group", "aria-label": "Depths" }));
    byId("phases").append(...PHASES.map((/** @type {string} */ name) => el("li", {}, name)));
    document.addEventListener("keydown", (event) => this.#press(event));
  }

  get isPlaying() {
    return this.#timer !== null;
  }

  /** Show a frame; a selected node gives way to what happens.
   *  @param {number} frame */
  go(frame) {
    this.pause();
    this.#show(frame);
  }

  /** @param {number} by */
  step(by) {
    this.go(story.frame + by);
  }

  /** @param {number} frame */
  #show(frame) {
    this.view.release();
    story.goTo(frame);
    this.show();
  }

  toggle() {
    if (this.isPlaying) return this.pause();
    if (story.frame === story.frames.length - 1) this.#show(0);
    this.#wait();
    return this.#showControls();
  }

  pause() {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#showControls();
  }

  /** @param {number} speed */
  setSpeed(speed) {
    this.#speed = Math.max(0, Math.min(SPEEDS.length - 1, speed));
    this.speed.selectedIndex = this.#speed;
    document.body.classList.toggle("hurried", SPEEDS[this.#speed].ms < 300);
    if (!this.isPlaying) return;
    this.pause();
    this.toggle();
  }

  #wait() {
    const { ms, whole } = SPEEDS[this.#speed];
    this.#timer = setTimeout(() => {
      const last = story.frames.length - 1;
      this.#show(whole ? Math.max(story.frame + 1, story.after(story.iteration + 1)) : story.frame + 1);
      if (story.frame < last) this.#wait();
      else this.pause();
    }, ms);
  }

  /** Draw what is to be seen now. */
  show() {
    this.view.show(story);
    const sentence = teller.sentence();
    set(byId("sentence"), "aria-live", this.isPlaying ? "off" : "polite");
    put(byId("sentence"), sentence);
    const on = phasesOf(story);
    [...byId("phases").children].forEach((node, index) => {
      set(node, "class", on.includes(index) ? "on" : null);
      set(node, "aria-current", on.includes(index) ? "step" : null);
    });
    document.body.dataset.phase = on.length ? PHASES[on[0]].toLowerCase() : "none";
    const selected = this.view.selected;
    byId("detail").replaceChildren(...(selected ? [el("p", { class: "aside" }, el("button", { type: "button", class: "words-only", onclick: () => this.#release() }, "Back to this step"))] : []),
      ...teller.detail(/** @type {any} */ (selected ?? story.current), !selected));
    if (this.chapters) /** @type {windowWords.WindowWords} */ (teller).showChapters(this.chapters, (frame) => this.go(frame));
    this.#showControls();
  }

  /** Back from a node that was selected to what happens now. */
  #release() {
    this.#show(story.frame);
    this.play.focus();
  }

  #showControls() {
    const isLast = story.frame === story.frames.length - 1;
    for (const each of [this.first, this.before, this.back]) each.disabled = story.frame === 0;
    for (const each of [this.on, this.after, this.last]) each.disabled = isLast;
    set(this.play, "aria-label", this.isPlaying ? "Pause" : "Play");
    set(/** @type {Element} */ (this.play.querySelector("path")), "d", this.isPlaying ? "M8 5v14M16 5v14" : "M8 5v14l11-7Z");
    this.play.classList.toggle("pausing", this.isPlaying);
    const at = String(story.iteration);
    if (document.activeElement !== this.number || this.number.value !== at) this.number.value = at;
    this.slider.value = at;
    set(this.slider, "aria-valuetext", `${story.noun} ${at} of ${story.length}`);
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.altKey || event.ctrlKey || event.metaKey || target.closest("input, select")) return;
    const isOnButton = target.closest("button, summary") !== null;
    const acts = {
      " ": () => this.toggle(), ArrowLeft: () => this.step(-1), ArrowRight: () => this.step(1), PageUp: () => this.go(story.jumps[0]), PageDown: () => this.go(story.jumps[1]),
      Home: () => this.go(0), End: () => this.go(story.frames.length - 1), "+": () => this.setSpeed(this.#speed + 1), "-": () => this.setSpeed(this.#speed - 1),
    };
    const act = acts[/** @type {keyof typeof acts} */ (event.key)];
    if (!act || (event.key === " " && isOnButton)) return;
    event.preventDefault();
    act();
  }
}

/** A button with a sign.
 *  @param {string} name
 *  @param {string} path
 *  @param {() => unknown} press */
function button(name, path, press) {
  return el("button", { type: "button", class: "sign", "aria-label": name, title: name, onclick: press }, svg("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, svg("path", { d: path })));
}

/** What the signs in the tree mean, and which keys there are. */
function legend() {
  const signs = isWindow ? [["now", "on the way down now"], ["cut", "cut off: not looked at, and it cannot matter"], ["table", "known by the table"], ["untried", "not looked at yet"]]
    : [["now", "this simulation's path"], ["bar", "the mean: to the right it is good for who chooses it, in the colour of the side it is good for"], ["proven", "proven: best play gives this"], ["untried", "not tried yet"]];
  const seats = trace.seats.map((/** @type {string} */ name, /** @type {number} */ seat) => [`top-${seat}`, `${name} is to move`]);
  const dice = trace.places.some((/** @type {any[]} */ [, mover]) => mover === -1) ? [["top-dice", "dice are to be rolled"]] : [];
  return [el("h2", {}, "Signs"), el("ul", { class: "signs" }, ...[...seats, ...dice, ...signs].map(([kind, text]) => el("li", {}, el("i", { class: `sample ${kind}` }), text))),
    el("h2", {}, "Keys"), el("dl", {}, ...KEYS.map(([keys, what]) => el("div", {}, el("dt", {}, keys), el("dd", {}, what))))];
}

put(byId("title"), `${trace.bot} thinks about ${trace.title.toLowerCase()}`);
put(byId("head"), `${trace.head}, seed ${trace.seed}: it plays ${trace.chosen}, value ${number(trace.value)} for ${trace.seats[trace.mover]}${trace.cut ? ` (the first ${trace.recorded.toLocaleString("en")} of ${trace.nodes.toLocaleString("en")} are recorded)` : ""}`);
const help = byId("help");
help.onclick = () => {
  const isOpen = help.getAttribute("aria-expanded") === "true";
  set(help, "aria-expanded", String(!isOpen));
  show(byId("keys"), !isOpen);
};
byId("keys").append(...legend());
byId("colours").onclick = () => {
  const { dataset } = document.documentElement;
  const isDark = dataset.colours ? dataset.colours === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  dataset.colours = isDark ? "light" : "dark";
};
document.body.dataset.kind = trace.kind;
const player = new Player();
const wanted = /^#(\d+)$/.exec(location.hash);
player.go(wanted ? story.after(Number(wanted[1])) : 0);
addEventListener("hashchange", () => player.go(story.after(Number(location.hash.slice(1)) || 0)));
