/* What main.js hands to every view of the page. */

import type { Connection, HelloFields } from "../library/connection.js";
import type { Ratings } from "../library/ratings.js";
import type { Replica } from "../library/replica.js";
import type { Seating } from "../library/seating.js";
import type { Announcer } from "./announcer.js";

export interface App {
  connection: Connection;
  replica: Replica;
  seating: Seating;
  ratings: Ratings;
  /** Says what happens to a reader who does not see it. */
  announcer: Announcer;
  /** Do something for the person; whether it was done.  A refusal is shown as its sentence. */
  attempt(work: () => unknown): Promise<boolean>;
  /** Connect; without fields with the token of the last visit, else as a guest. */
  enter(hello?: HelloFields): void;
  /** Leave this name for another.  Its token is kept under "names", {name: token}, to come back by. */
  signOut(): void;
  /** Go to a room's table, or to the lobby (null). */
  go(room: number | null): void;
  /** Play a bot once the lobby is there, at the game that was chosen. */
  playBot(): void;
  /** Show a sentence for a while. */
  notify(text: string): void;
}
