/* What a board is: a module that draws one game, and lets it be played by mouse, finger and keyboard. */

import type { Event, Options } from "../library/messages.js";

/** An action that is pointed out: of the side to move what was played, or the best one; or what the viewer
    has planned while the other side thinks. */
export interface Mark {
  action: string;
  kind: "played" | "best" | "plan";
}

/** What a board shows.  `seat` is the viewer's; `plans`: while the other side is to move, what the viewer
    may plan as an answer, as `mayCome` says, each by the same press as a play; `last` the last decision, which no roll is; `over`:
    the match is over; `events` the newest actions of the match; `names`: what the seats are called;
    `flip`: seen from the other side; `coordinates`: drawn beside it; `motion`: what happened since the
    last view is seen happening, if it is one event or a few; `draw()`: asks for the server's drawing of
    this position as lines, which the board of a game without a drawing here shows. */
export interface BoardView {
  position: string;
  legal: string[] | null;
  plans?: string[] | null;
  seat: number | null;
  toMove: number;
  last: { seat: number; action: string } | null;
  events: Event[];
  over: boolean;
  marks: Mark[];
  names?: [string, string];
  flip?: boolean;
  coordinates?: boolean;
  motion?: boolean;
  draw?: () => Promise<string[]>;
}

/** What becomes of typed text: it was played, may become an action yet, or never does. */
export type Typed = "played" | "more" | "wrong";

export interface Board {
  /** May be called at any time, with any later or earlier position. */
  show(view: BoardView): void;
  /** Take what was typed so far, in the game's notation; `enter`: that was all of it. */
  type(text: string, enter: boolean): Typed;
  /** Put the focus on the board, where an action can be played if there is one. */
  focus(): void;
}

export interface BoardModule {
  /** A board in `host`, an empty element that it owns, of any size; `play` sends an action in the game's
      notation. */
  create(host: HTMLElement, play: (action: string) => unknown): Board;
  /** A position as a small still picture, for lists: as wide as what it stands in, and not read aloud. */
  picture(position: string): SVGElement;
  /** The whole position in two sentences or so, for a reader who does not see it. */
  read(view: BoardView): string;
  /** An action of `view.last`'s kind in words, without who: "column 4", "13 to 9, hitting". */
  say(action: string, view: BoardView): string;
  /** What may become legal by the action of the side that is to move, whichever it plays; a board has this
      if the other side can plan its answer there. */
  mayCome?(position: string): string[];
  /** What the viewer is asked, as a sentence, where that is more than whose turn it is. */
  asks?(view: BoardView): string | null;
  /** An action that is no move as a whole sentence: "Bert doubles."; `name` null: the viewer's own. */
  told?(action: string, name: string | null): string | null;
  /** The position before the first match by these terms, where it is not the usual one. */
  start?(options: Options): string | null;
  /** What made the winner win, in words: "four in a row", "three in a row", "a gammon". */
  why(reason: string): string;
}
