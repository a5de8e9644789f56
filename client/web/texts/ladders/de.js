/* What only a ladder's page says, in German; see en.js. */

/** @import { Words } from "./words.js" */

/** @param {number} n
 *  @param {string} one
 *  @param {string} many */
const count = (n, one, many) => `${n.toLocaleString("de")} ${n === 1 ? one : many}`;

/** @type {Words} */
const german = {
  page: {
    lobby: "Lobby",
    ladders: "Ranglisten",
    about: "Elo steht hier für die erwartete Punktzahl; hinter ± steht die Hälfte eines 95-%-Intervalls, bei einer Wertung das des Abstands zum Mittel aller. Ein Paar sind zwei Partien mit derselben Eröffnung oder denselben Würfeln und vertauschten Plätzen.",
  },
  pages: "Seiten",
  going: "Die Rangliste kommt …",
  ladders: "Ranglisten",
  laddersAbout: "Bots gegen Bots, gewertet, so viele Tage, wie es dauert.",
  noLadder: "Hier gibt es noch keine Rangliste. So entsteht eine:",
  noPairYet: "Noch ist kein Paar zu Ende. Ein Bot spielt mit durch",
  elsewhere: "; auf einem anderen Rechner mit",
  standings: "Stand",
  columns: {
    rank: ["#", "Rang"], who: ["Spieler"], rating: ["Elo", "± ist die Hälfte des 95-%-Intervalls des Abstands zum Feld, dem Mittel aller Wertungen"],
    interval: ["95 %"], against: [""], pairs: ["Paare"], share: ["Punkte"],
    games: ["S – U – N", "Partien gewonnen, unentschieden, verloren"], forfeits: ["Aufgegeben"], points: ["Je Spiel"],
    time: ["Zeit je Zug"],
    uneven: ["Uneben", "Wie weit die Ergebnisse gegen einzelne Gegner von der Wertung abweichen; der Zufall macht selten 3"],
    presence: ["Jetzt"],
  },
  restOn: ({ pairs, pinned }) => `Die Wertung beruht auf ${count(pairs, "Paar", "Paaren")}${pinned ? `; ${pinned} ist 0` : ""}.`,
  toField: (mean) => `± gilt zum Feld, dessen Mittel ${mean} ist; zwei Spieler haben ein eigenes.`,
  than: (player) => `Als ${player}`,
  thanAbout: (player) => `Wie viel stärker als ${player}, mit dem ± dieses Abstands und der Wahrscheinlichkeit, besser zu sein (LOS)`,
  compare: "Vergleichen",
  chooseOne: "Wähle einen Spieler, um zu sehen, wie viel stärker oder schwächer als jeder andere er ist.",
  chooseSecond: ": wähle einen zweiten, oder zeige darauf.",
  incomparable: [" und ", " sind noch nicht vergleichbar: keine Kette von Paaren verbindet sie."],
  stronger: ({ elo, error, los }) => [
    ` ist ${elo} ± ${error} Elo stärker als `, `. Die Wahrscheinlichkeit, dass er der Bessere ist (LOS), ist ${los}.`,
  ],
  pointAtCell: "Zeige auf ein Feld: wie viel stärker der Spieler der Zeile ist, und die Wahrscheinlichkeit, dass er der Bessere ist.",
  mostFrom: (player) => `Das meiste über seine Wertung hinaus kam von ${player}.`,
  ofAll: ({ score, of }) => `${score} von ${of}`,
  tags: {
    pinned: ["fest auf 0", "Von hier aus wird alles gezählt."],
    anchor: ["Anker", "Ein Bot des Hauses, auf jeder Rangliste derselbe."],
    unconnected: ["unverbunden", "Keine Kette von Paaren führt zur ersten Gruppe: die Wertungen sind nicht vergleichbar."],
    former: ["früherer Name", "Wem er gehörte, der hat diesen Namen nicht mehr."],
  },
  suspended: (why) => [`gesperrt: ${why}`, "Er bekommt keine Paare mehr."],
  away: "nicht da",
  here: "da",
  busy: ({ busy, slots }) => `${busy} von ${slots} belegt`,
  forfeits: { flag: "Zeit", illegal: "unerlaubt", crash: "Absturz", disconnect: "Verbindung", resign: "aufgegeben", void: "ungültig" },
  ends: {
    flag: "Zeit", illegal: "unerlaubter Zug", crash: "Absturz", disconnect: "Verbindung", resign: "aufgegeben", void: "ungültig",
    line: "Reihe", full: "Brett voll", single: "einfach", gammon: "Gammon", backgammon: "Backgammon", abandon: "verlassen",
  },
  voided: "ungültig",
  formats: {
    endless: "endlos",
    roundrobin: (pairs) => `jeder gegen jeden, je ${pairs} Paare`,
    gauntlet: (bot) => `alle gegen ${bot}`,
    sprt: ({ one, two, between }) => `Test von ${one} gegen ${two}${between ? ` (${between})` : ""}`,
  },
  since: (moment) => `läuft seit ${moment}`,
  finished: (moment) => `begonnen ${moment}, beendet`,
  by: (owner) => `von ${owner}`,
  players: ({ players, here }) => `${count(players, "Spieler", "Spieler")}, ${here} da`,
  pairs: (pairs) => count(pairs, "Paar", "Paare"),
  plies: (plies) => count(plies, "Halbzug", "Halbzüge"),
  firstMove: ({ elo, error, isSure }) => `Der Anzug ist ${elo} ± ${error} Elo wert${isSure ? "" : ", was noch nicht sicher ist"}.`,
  andMore: (more) => ` und ${more} weitere`,
  waitsFor: {
    players: ({ count: bots }) => `Wartet, bis noch ${bots === 1 ? "ein Bot beitritt" : `${bots} Bots beitreten`}.`,
    joining: ({ named }) => `Wartet auf ${named}: noch nicht beigetreten.`,
    away: ({ named }) => `Wartet auf ${named}: nicht verbunden.`,
    busy: ({ named }) => `Wartet auf einen freien Platz von ${named}.`,
    opponents: () => "Wartet auf einen weiteren Bot.",
    siblings: ({ named }) => `Gehören derselben Person und treffen hier nicht aufeinander: ${named}. Das geht auf einer Leiter mit --siblings.`,
  },
  verdicts: { better: "besser", "not better": "nicht besser", undecided: "noch nicht entschieden" },
  morePairs: (pairs) => `Noch etwa ${count(pairs, "Paar", "Paare")}.`,
  bounds: ({ llr, lower, upper, pairs }) => `LLR ${llr} zwischen ${lower} und ${upper}, ${count(pairs, "Paar", "Paare")}`,
  hypotheses: ({ zero, one, alpha, beta, least }) =>
    `H0: ${zero}, H1: ${one}, Alpha ${alpha}, Beta ${beta}, kein Urteil vor ${count(least, "Paar", "Paaren")}`,
  plot: {
    title: "Wertung im Verlauf",
    none: "Noch gibt es nichts zu zeichnen.",
    axis: "Waagrechte Achse",
    byTime: "nach Zeit",
    byPairs: "nach Paaren",
    when: ({ moment, pairs }) => `${moment}, nach ${count(pairs, "Paar", "Paaren")}:`,
    notYet: "noch nicht dabei",
  },
  live: "Laufende Paare",
  noLive: "Gerade läuft kein Paar.",
  recent: "Letzte Paare",
  noRecent: "Noch ist kein Paar zu Ende.",
  held: "Wartet, solange du darauf zeigst.",
  pairHeads: ["Paar", "Eins", "Stand", "Zwei", "Partien", "Eröffnung"],
  whyThese: "Warum diese zwei",
  voidHead: "Ungültig",
  replay: "Ansehen",
  watch: "Zuschauen",
  matchOf: ({ verb, match, one, two }) => `${verb}: Partie ${match}, ${one} gegen ${two}`,
  on: "läuft",
  waits: "wartet",
  cross: "Kreuztabelle",
  crossAbout: "Punkte der Spieler in den Zeilen gegen die in den Spalten",
  player: "Spieler",
  exact: "= : Bots ohne Zufall, die alle Eröffnungen gespielt haben; dieser Stand ist genau.",
  against: ({ one, two, share }) => `${one} gegen ${two}: ${share}`,
};

export default german;
