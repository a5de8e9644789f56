/* The page of a match that is over, `/match/17.2`: board and steps as at a table, below it the dice, the
   chat, and the match as files.

   The server sends each position and the record; a private match needs the `code` in the address. */

/** @import { AnyPush } from "../library/messages.js" */
/** @import { FullReplay } from "./match_page.js" */

import { boardOf } from "../boards/registry.js";
import { matchPath } from "../library/words.js";
import { byId, el } from "../page/dom.js";
import { words } from "../texts/words.js";
import { About } from "./about.js";
import { House } from "./house.js";
import { MatchPage } from "./match_page.js";

const { past: texts } = words;
const name = location.pathname.split("/")[2];
const code = new URLSearchParams(location.search).get("code") ?? new URLSearchParams(location.hash.slice(1)).get("code");

/** @type {MatchPage | null} */
let page = null;
const main = byId("main");
const house = new House(receive);

/** @param {AnyPush} message */
function receive(message) {
  if (message.type === "analysis_waits") {
    page?.review.wait(message);
    page?.series.wait(message);
  }
  if (message.type === "welcome") entitle();
}

/** The titles of games come with the welcome, which may be later than the match. */
function entitle() {
  if (page) house.entitle(`${house.replica.catalog.title(page.replay.game)}: ${page.names.join(" – ")}`);
}

async function open() {
  house.entitle(texts.match(name));
  const response = await fetch(`/replay/${encodeURIComponent(name)}.json${code ? `?code=${encodeURIComponent(code)}` : ""}`)
    .catch(() => null);
  if (!response?.ok) {
    const text = response ? (await response.text()).trim() : texts.unreachable;
    main.replaceChildren(el("p", { class: "card", role: "alert" }, text));
    return;
  }
  /** @type {FullReplay} */
  const replay = await response.json();
  const about = new About(house, replay, code);
  page = new MatchPage(house, replay, await boardOf(replay.game), {
    isOurs: true, about: about.node,
    path: (match, ply) => matchPath(match, code) + (ply === undefined ? "" : `#ply=${ply}`),
    analyse: (match) => house.connection.request({ type: "analyse", match, code }),
  });
  main.replaceChildren(page.node);
  entitle();
  page.show();
  about.fetch();
}

addEventListener("hashchange", () => page?.arrive());
house.enter();
open();
