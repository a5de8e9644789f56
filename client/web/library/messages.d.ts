/* What travels between server and page, as types: protocol/messages.py, ladder.py, analysis.py and
   past.py, the documents of server/net/replays.py and server/services/invitation_card.py, and the
   rows of server/admin/core/views.py.  Written by tests/web/test_wire_types.py, which also fails
   when this file is out of step.  A field that holds its default may be left out. */

export interface Abort { type: "abort"; match: string; id?: number | null }

export interface Analyse {
  type: "analyse";
  match: string;
  code?: string | null;
  anew?: boolean;
  id?: number | null;
}

export interface Analysed {
  type: "analysis";
  match: string;
  bot: string;
  analysis: MatchAnalysis;
  re?: number | null;
}

export interface AnalysedCube {
  plays?: number;
  loss?: number;
  normalised?: number;
  doubtful?: number;
  blunders?: number;
}

export interface AnalysedOption { action: string; value?: number | null; note?: string }

export interface AnalysedPlay {
  ply: number;
  seat: 0 | 1;
  action: string;
  loss?: number | null;
  error?: number | null;
  doubtful?: boolean;
  blunder?: boolean;
  best?: AnalysedOption[];
  normalised?: number | null;
  cube?: boolean;
  shows?: number;
  trivial?: boolean;
  mistake?: "early_double" | "missed_beaver" | "missed_double" | "too_good" | "wrong_beaver" | "wrong_drop" | "wrong_take" | null;
}

export interface AnalysedResigning {
  decisions?: number;
  loss?: number;
  doubtful?: number;
  blunders?: number;
}

export interface AnalysedRoll { ply: number; seat: 0 | 1; roll: string; luck: number }

export interface AnalysedTotal {
  plays?: number;
  forced?: number;
  unknown?: number;
  loss?: number;
  doubtful?: number;
  blunders?: number;
  luck?: number | null;
  rated?: number;
  normalised?: number | null;
  cube?: AnalysedCube | null;
  resigning?: AnalysedResigning | null;
}

export interface AnalysisWaits {
  type: "analysis_waits";
  match: string;
  bot: string;
  wait_ms: number;
  re?: number | null;
}

export interface Answer {
  type: "answer";
  match: string;
  kind: "draw" | "resign" | "takeback";
  accept: boolean;
  id?: number | null;
}

export interface BotInfo {
  program: string;
  version?: string;
  games?: string[];
  levels?: number;
  slots?: number;
  analyses?: string[];
}

export interface BotLine {
  name: string;
  program: string;
  version: string;
  games: string[];
  levels: number;
  free: number;
  analyses?: string[];
}

export interface Bye {
  type: "bye";
  code: string;
  text: string;
  at?: string | null;
  re?: number | null;
}

export interface Claim { type: "claim"; match: string; id?: number | null }

export interface ClockOptions {
  base_ms?: number | null;
  increment_ms?: number;
  per_move_ms?: number | null;
}

export interface Clocks {
  remaining: [number, number];
  increment_ms?: number;
  per_move_ms?: number | null;
  running?: number | null;
  paused?: "pair" | "server" | "store" | null;
  suggested_ms?: number | null;
}

export interface Create {
  type: "create";
  game: string;
  options?: Options;
  seat?: 0 | 1 | null;
  id?: number | null;
}

export interface Cross { one: number; two: number; pairs: number; score: number; exact?: boolean }

export interface CubeDecision { ply: number; seat: 0 | 1; action: string }

export interface Decline {
  type: "decline";
  room: number;
  why?: "busy" | "game" | "no" | "terms";
  text?: string | null;
  id?: number | null;
}

export interface Declined {
  type: "declined";
  room: number;
  by: string;
  why?: "busy" | "game" | "no" | "terms";
  text?: string;
  re?: number | null;
}

export interface Difference { one: number; two: number; elo: number; error: number; los: number }

export interface DiskRow { of: string; size: number; limit: number | null }

export interface Draw { type: "draw"; match: string; id?: number | null }

export interface Drawn {
  type: "drawn";
  match: string;
  turn: number;
  lines: string[];
  re?: number | null;
}

export interface Error {
  type: "error";
  code: string;
  text: string;
  legal?: string[] | null;
  suggestion?: string | null;
  retry_ms?: number | null;
  match?: string | null;
  re?: number | null;
}

export interface Event {
  seq: number;
  kind: string;
  match?: string | null;
  ply?: number | null;
  seat?: number | null;
  action?: string | null;
  spent_ms?: number | null;
  lag_ms?: number | null;
  note?: string | null;
  at?: number | null;
  player?: Player | null;
  players?: [Player, Player] | null;
  game?: string | null;
  rules_version?: number | null;
  options?: Options | null;
  offer?: "draw" | "resign" | "takeback" | null;
  accept?: boolean | null;
  text?: string | null;
  commitment?: string | null;
  salts?: [string, string] | null;
  secret?: string | null;
  result?: Result | null;
  deal?: string | null;
  ladder?: string | null;
  pair?: number | null;
  leg?: 0 | 1 | null;
  points?: number | null;
  series?: Series | null;
}

export interface GameInfo { game: string; title: string; start: string; seats: [string, string] }

export interface GameTally { game: string; won?: number; drawn?: number; lost?: number }

export interface Hello {
  type: "hello";
  version: number;
  name?: string | null;
  token?: string | null;
  link?: string | null;
  bot?: BotInfo | null;
  client?: string | null;
  id?: number | null;
}

export interface Hint { type: "hint"; match: string; id?: number | null }

export interface HintWaits {
  type: "hint_waits";
  match: string;
  bot: string;
  wait_ms: number;
  re?: number | null;
}

export interface Hinted {
  type: "hint";
  match: string;
  turn: number;
  action: string;
  by: string;
  note?: string | null;
  re?: number | null;
}

export interface History {
  type: "history";
  room: number;
  since?: number;
  code?: string | null;
  id?: number | null;
}

export interface HistoryPage {
  type: "history";
  room: number;
  events: Event[];
  next?: number | null;
  re?: number | null;
}

export interface InvitationCard {
  room: number;
  game: string;
  options: Options;
  seats: [Player | null, Player | null];
  state: "closed" | "over" | "playing" | "waiting";
  owner: string;
}

export interface Invite {
  type: "invite";
  room: number;
  who: string;
  strength?: Strength;
  id?: number | null;
}

export interface Invited {
  type: "invited";
  room: number;
  game: string;
  options: Options;
  by: string;
  expires_ms: number;
  code?: string | null;
  strength?: Strength;
  re?: number | null;
}

export interface Join {
  type: "join";
  room?: number | null;
  code?: string | null;
  seat?: 0 | 1 | null;
  level?: number | null;
  id?: number | null;
}

export interface LadderCompare {
  type: "ladder_compare";
  ladder: string;
  players?: string[];
  id?: number | null;
}

export interface LadderDifferences {
  type: "ladder_compare";
  ladder: string;
  rated: number;
  players: string[];
  differences: Difference[];
  re?: number | null;
}

export interface LadderHistory { type: "ladder_history"; ladder: string; id?: number | null }

export interface LadderLine {
  name: string;
  game: string;
  format: string;
  clock: ClockOptions;
  state: "finished" | "running";
  owner: string;
  at: number;
  players?: number;
  here?: number;
  pairs?: number;
  invited?: boolean;
  siblings?: boolean;
  by_owner?: boolean;
}

export interface LadderState {
  type: "ladder";
  ladder: LadderLine;
  seq: number;
  standings?: Standing[];
  cross?: Cross[];
  live?: PairLine[];
  recent?: PairLine[];
  rated?: number;
  pinned?: string | null;
  field?: number | null;
  first_move?: number | null;
  first_move_error?: number | null;
  verdict?: Verdict | null;
  waits?: LadderWait[];
  re?: number | null;
}

export interface LadderStatus {
  type: "ladder_status";
  ladder?: string | null;
  follow?: boolean;
  id?: number | null;
}

export interface LadderWait { why: string; text: string; players?: string[]; count?: number }

export interface Ladders { type: "ladders"; ladders: LadderLine[]; re?: number | null }

export interface Leave { type: "leave"; room: number; id?: number | null }

export interface Link { type: "link"; recovery?: boolean; id?: number | null }

export interface Linked { type: "link"; code: string; expires_ms: number; re?: number | null }

export interface Lobby { type: "lobby"; follow?: boolean | "changes"; id?: number | null }

export interface LobbyChanged {
  type: "lobby_changed";
  seq: number;
  total: number;
  rooms?: RoomLine[];
  bots?: BotLine[];
  people?: PersonLine[];
  rooms_gone?: number[];
  bots_gone?: string[];
  people_gone?: string[];
  re?: number | null;
}

export interface LobbyList {
  type: "lobby";
  rooms: RoomLine[];
  bots: BotLine[];
  total: number;
  people?: PersonLine[];
  seq?: number | null;
  re?: number | null;
}

export interface LogRow { seq: number; at: number; by: string; kind: string; text: string }

export interface MatchAnalysis {
  game: string;
  by: string;
  unit: "chance" | "points" | "score" | "value";
  totals: [AnalysedTotal, AnalysedTotal];
  blunder?: number | null;
  plays?: AnalysedPlay[];
  rolls?: AnalysedRoll[];
  left?: number[];
  partial?: boolean;
  series?: Series | null;
  resignations?: AnalysedPlay[];
}

export interface MatchLine {
  match: string;
  game: string;
  seats: [Player, Player];
  result: Result;
  at: number;
  plies: number;
  rated?: boolean;
  position?: string;
  code?: string | null;
  ladder?: string | null;
  former?: (0 | 1)[];
  series?: Series | null;
}

export interface MatchPage {
  type: "matches";
  matches: MatchLine[];
  more?: boolean;
  re?: number | null;
}

export interface MatchState {
  type: "match";
  match: string;
  room: number;
  seq: number;
  turn: number;
  game: string;
  ply: number;
  position: string;
  seats: [Player, Player];
  to_move: number;
  events: Event[];
  legal?: string[] | null;
  clocks?: Clocks | null;
  offers?: Offer_[];
  result?: Result | null;
  secret?: string | null;
  resign?: number[] | null;
  rules_version?: number;
  series?: Series | null;
  re?: number | null;
}

export interface Matches {
  type: "matches";
  who?: string | null;
  before?: string | null;
  limit?: number;
  id?: number | null;
}

export interface NodeView {
  node: number;
  epoch: number;
  url: string;
  version: number;
  lease_ms: number;
  rooms: number;
  connections: number;
  ladders?: boolean;
  line?: boolean;
  here?: boolean;
  drains?: boolean;
}

export interface Notice { type: "notice"; text: string; re?: number | null }

export interface Offer {
  type: "offer";
  match: string;
  kind: "draw" | "takeback";
  id?: number | null;
}

export interface Offer_ {
  kind: "draw" | "resign" | "takeback";
  seat: 0 | 1;
  points?: number | null;
}

export interface Ok { type: "ok"; seq?: number | null; re?: number | null }

export interface OpponentTally {
  player: Player;
  won?: number;
  drawn?: number;
  lost?: number;
  former?: boolean;
}

export interface Options {
  clock?: ClockOptions | null;
  public?: boolean;
  rated?: boolean;
  points?: number | null;
  cube?: boolean;
  jacoby?: boolean;
  beavers?: boolean;
  start?: string;
}

export interface PairLeg { match?: string | null; result?: Result | null; plies?: number }

export interface PairLine {
  pair: number;
  one: string;
  two: string;
  at: number;
  legs: [PairLeg, PairLeg];
  opening?: string[];
  why?: string;
  void?: string | null;
}

export interface Person { type: "person"; name: string; id?: number | null }

export interface PersonLine { name: string; playing?: boolean }

export interface PersonPage {
  type: "person";
  name: string;
  program?: string | null;
  here?: boolean;
  since?: number | null;
  counted?: number;
  games?: GameTally[];
  opponents?: OpponentTally[];
  streak?: number;
  ratings?: PersonRating[];
  former?: boolean;
  re?: number | null;
}

export interface PersonRating {
  game: string;
  matches: number;
  least: number;
  elo?: number | null;
  interval?: [number, number] | null;
  field?: number;
  curve?: RatingMoment[];
  doubtful?: boolean;
}

export interface Play {
  type: "play";
  match: string;
  turn: number;
  action: string;
  note?: string | null;
  id?: number | null;
}

export interface Player {
  name: string;
  program?: string | null;
  absent?: boolean;
  claim_ms?: number | null;
  level?: number | null;
}

export interface RatingHistory {
  type: "ladder_history";
  ladder: string;
  points: RatingPoint[];
  re?: number | null;
}

export interface RatingMoment { at: number; elo: number; error: number }

export interface RatingOf { player: string; rating: number; error: number }

export interface RatingPoint { at: number; pairs: number; ratings: RatingOf[] }

export interface Ready { type: "ready"; room: number; salt?: string | null; id?: number | null }

export interface ReplayDocument {
  match: string;
  room: number;
  game: string;
  seats: [Player, Player];
  options: Options;
  at: number;
  result: Result;
  moments: ReplayPosition[];
  former?: (0 | 1)[];
  ladder?: string | null;
  games?: StoryGame[];
}

export interface ReplayPosition { position: string; to_move: number; event?: Event | null }

export interface Resign {
  type: "resign";
  match: string;
  crashed?: boolean;
  points?: number | null;
  id?: number | null;
}

export interface RestrictionRow {
  restraint: string;
  target: string;
  since: number;
  for_ms: number | null;
  why: string;
}

export interface Result {
  winner: 0 | 1 | null;
  returns: [number, number];
  how: string;
  reason: string;
}

export interface RoomLine {
  room: number;
  game: string;
  state: string;
  seats: [Player | null, Player | null];
  options: Options;
  match?: string | null;
  ply?: number;
  score?: [number, number];
  ladder?: string | null;
  position?: string | null;
  series?: Series | null;
}

export interface RoomState {
  type: "room";
  room: number;
  seq: number;
  game: string;
  state: string;
  owner: string;
  seats: [Player | null, Player | null];
  ready: [boolean, boolean];
  options: Options;
  score?: [number, number];
  match?: string | null;
  code?: string | null;
  commitment?: string | null;
  seat?: number | null;
  watching?: number;
  ladder?: string | null;
  pair?: number | null;
  leg?: 0 | 1 | null;
  series?: Series | null;
  re?: number | null;
}

export interface RoomView {
  room: number;
  game: string;
  state: string;
  seats: [string | null, string | null];
  owner: string;
  public: boolean;
  idle_ms: number;
  match?: string | null;
  ply?: number;
  ladder?: string | null;
  following?: number;
  address?: string;
}

export interface Said {
  type: "said";
  room: number;
  seq: number;
  name: string;
  text: string;
  at: number;
  re?: number | null;
}

export interface Say { type: "say"; room: number; text: string; id?: number | null }

export interface Series {
  points: number;
  score?: [number, number];
  game?: number;
  crawford?: boolean;
  winner?: 0 | 1 | null;
  conceded?: boolean;
}

export interface Standing {
  player: string;
  rank: number;
  rating?: number | null;
  error?: number | null;
  group?: number;
  pairs?: number;
  score?: number;
  wins?: number;
  draws?: number;
  losses?: number;
  lost_by?: Record<string, number>;
  voids?: number;
  points?: number | null;
  points_error?: number | null;
  move_ms?: number | null;
  slots?: number;
  busy?: number;
  anchor?: boolean;
  suspended?: string | null;
  uneven?: number | null;
  most_from?: string | null;
  former?: boolean;
}

export interface StoryGame { match: string; series: Series; result: Result; cube?: CubeDecision[] }

export interface Strength {
  level?: number | null;
  nodes?: number | null;
  ms?: number | null;
  set?: Record<string, string>;
}

export interface Verdict {
  word: string;
  text: string;
  pairs: number;
  llr?: number;
  lower?: number;
  upper?: number;
  more?: number | null;
  elo0?: number;
  elo1?: number;
  alpha?: number;
  beta?: number;
  least?: number;
}

export interface VisitorRow {
  name: string;
  program: string | null;
  addresses: string[];
  rooms: number[];
  muted?: boolean;
}

export interface Watch {
  type: "watch";
  room?: number | null;
  code?: string | null;
  id?: number | null;
}

export interface Welcome {
  type: "welcome";
  version: number;
  server: string;
  name: string;
  now: number;
  token?: string | null;
  rooms?: number[];
  matches?: string[];
  games?: string[];
  catalog?: GameInfo[];
  recovery?: string | null;
  at?: string | null;
  re?: number | null;
}

export type AnyRequest =
  | Hello
  | Lobby
  | Create
  | Join
  | Watch
  | Leave
  | Ready
  | Invite
  | Decline
  | Play
  | Resign
  | Abort
  | Claim
  | Offer
  | Answer
  | Say
  | Hint
  | Draw
  | History
  | Link
  | Analyse
  | LadderStatus
  | LadderHistory
  | LadderCompare
  | Matches
  | Person;

export type AnyPush =
  | Ok
  | Error
  | Bye
  | Welcome
  | LobbyList
  | LobbyChanged
  | RoomState
  | MatchState
  | Said
  | Notice
  | Invited
  | Declined
  | HintWaits
  | Hinted
  | Drawn
  | HistoryPage
  | Linked
  | Analysed
  | AnalysisWaits
  | Ladders
  | LadderState
  | RatingHistory
  | LadderDifferences
  | MatchPage
  | PersonPage;
