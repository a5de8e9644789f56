/* What a board is: a module that draws one game, and lets it be played by clicks. */

import type { Event } from "../library/messages.js";

/** An action of the side to move that is pointed out: what was played, or the best one. */
export interface Mark {
  action: string;
  kind: "played" | "best";
}

/** What a board shows.  `seat` is the viewer's; `last` the last decision, which no roll is; `over`:
    nobody plays any more; `events` the newest actions of the match. */
export interface BoardView {
  position: string;
  legal: string[] | null;
  seat: number | null;
  toMove: number;
  last: { seat: number; action: string } | null;
  events: Event[];
  over: boolean;
  marks: Mark[];
}

export interface Board {
  /** May be called at any time, with any later or earlier position. */
  show(view: BoardView): void;
}

export interface BoardModule {
  /** A board in `host`, an empty element that it owns; `play` sends an action in the game's notation. */
  create(host: HTMLElement, play: (action: string) => unknown): Board;
}
