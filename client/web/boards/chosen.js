/* Which board draws which game, and the position that a board shows before the first match.

   A board is a module with `create(host, play) -> {show(view)}`:

       host   an empty element that the board owns
       play   play(action) sends an action in the game's notation
       view   {position, legal: [..] | null, seat: 0|1|null (the viewer's), toMove: 0|1|-1|-2,
               last: {seat, action} | null, events: [the match message's], over,
               marks: [{action, kind: "played" | "best"}]}

   `marks` are actions of who is to move that are pointed out: what was played there, and what a bot
   would have played.

   `show` may come at any time, with any later or earlier position.  A board knows one game, and
   nothing of rooms or the line. */

const BOARDS = {
  tic_tac_toe: { file: "./tic_tac_toe.js", start: "3/3/3 x" },
  connect_four: { file: "./connect_four.js", start: "7/7/7/7/7/7 x" },
  ultimate_tic_tac_toe: { file: "./ultimate_tic_tac_toe.js", start: "9/9/9/9/9/9/9/9/9 x -" },
  backgammon: { file: "./backgammon.js", start: "XGID=-b----E-C---eE---c-e----B-:0:0:0:00:0:0:0:0:10" },
};
const PLAIN = { file: "./plain.js", start: null };

/* The board's module and its first position; for a game without a drawing, the plain one. */
export async function chosen(game) {
  const { file, start } = Object.hasOwn(BOARDS, game) ? BOARDS[game] : PLAIN;
  return { module: await import(file), start };
}
