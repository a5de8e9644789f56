/* What only the host's page says, in German; see en.js. */

/** @import { Words } from "./words.js" */

/** @type {Words} */
const german = {
  page: {
    lobby: "Lobby",
    ladders: "Ranglisten",
    whose: "Für alle, die diesen Server betreiben. Der Schlüssel steht in der Datei admin.token seines Datenordners; dieser Tab vergisst ihn, wenn er geschlossen wird.",
    terminal: "Dasselbe im Terminal:",
  },
  pages: "Seiten",
  title: "Die Seite der Leitung",
  token: "Schlüssel",
  enter: "Eintreten",
  forget: "Schlüssel vergessen",
  lost: "Der Server antwortet nicht.",
  done: (what) => `Erledigt: ${what}.`,
  tellAll: "Allen etwas sagen",
  notice: "Mitteilung",
  told: "Wer sie bekommt",
  send: "Senden",
  present: "alle, die da sind",
  within: (time) => `und wer kommt, Dauer: ${time}`,
  drainAbout: "Den Server anhalten, ohne eine Partie zu verlieren: nichts Neues beginnt, alle erfahren es, und mit der letzten Partie hört er auf.",
  drain: {
    button: "Auslaufen lassen", title: "Auslaufen lassen?", consequence: "Nichts Neues beginnt. Der Server hört mit der letzten Partie auf.",
    done: "Auslaufen lassen",
  },
  stop: {
    button: "Jetzt anhalten", title: "Jetzt anhalten?", done: "Anhalten",
    consequence: "Partien stehen im Protokoll und gehen weiter, wenn der Server wieder gestartet wird.",
  },
  times: { "": "für immer", "10min": "10 Minuten", "1h": "eine Stunde", "24h": "ein Tag", "7d": "eine Woche", "30d": "ein Monat" },
  howLong: "Wie lange",
  why: "Warum (wird mitgeteilt)",
  player: "Welcher Bot (etwa ann/mcts)",
  leaveIt: "Doch nicht",
  spans: { d: "T", h: "h", min: "min", s: "s" },
  forGood: "für immer",
  free: "frei",
  muted: "stumm",
  private: (state) => `${state}, privat`,
  states: { waiting: "wartet", playing: "Partie läuft", closed: "geschlossen", running: "läuft", finished: "beendet" },
  restraints: { ban: "Sperre", mute: "stumm" },
  some: ({ shown, total }) => `${shown} von ${total}`,
  hereOf: ({ here, players }) => `${here} von ${players} da`,
  lists: {
    who: { title: "Jetzt da", none: "Niemand ist verbunden.", head: ["Name", "Von", "Räume", "Chat"] },
    rooms: { title: "Räume", none: "Kein Raum ist offen.", head: ["Raum", "Spiel", "Zustand", "Plätze", "Dabei", "Still seit"] },
    ladders: { title: "Ranglisten", none: "Es gibt keine Rangliste.", head: ["Rangliste", "Spiel", "Von", "Zustand", "Spieler", "Paare"] },
    bans: { title: "Gesperrt und stumm", none: "Niemand ist gesperrt oder stumm.", head: ["Wer", "Was", "Wie lange noch", "Warum"] },
    nodes: { title: "Server", none: "Dieser Server ist der einzige.", head: ["Server", "Erreichbar unter", "Räume", "Verbindungen", "Zustand"] },
    disk: { title: "Platte", none: "Über die Platte ist nichts bekannt.", head: ["Was", "Größe", "Grenze"] },
    log: { title: "Was getan wurde", none: "Noch nichts.", head: ["Wann", "Von", "Was"] },
  },
  kick: {
    button: "Trennen", label: (name) => `${name} trennen`,
    title: (name) => `${name} trennen?`, consequence: "Alle Verbindungen dieses Namens enden. Er darf wiederkommen.", done: "Trennen",
  },
  mute: {
    button: "Stumm", label: (name) => `${name} stumm schalten`,
    title: (name) => `${name} stumm schalten?`, consequence: "Was von dort gesagt wird, wird abgelehnt.", done: "Stumm schalten",
  },
  ban: {
    button: "Sperren", label: (name) => `${name} sperren`,
    title: (name) => `${name} sperren?`, consequence: "Alle Verbindungen von dort enden, und keine neue wird angenommen.", done: "Sperren",
  },
  banAddress: { button: "Adresse sperren", label: ({ address, name }) => `Adresse sperren: ${address} von ${name}` },
  release: {
    button: "Freigeben", label: (name) => `Den Namen ${name} freigeben`,
    title: (name) => `Den Namen ${name} freigeben?`,
    consequence: "Wer ihn hat, verliert ihn für immer, mit allem, was unter ihm offen ist.", done: "Freigeben",
  },
  close: {
    button: "Schließen", label: (room) => `Raum ${room} schließen`,
    title: (room) => `Raum ${room} schließen?`, consequence: "Eine Partie, die dort läuft, endet ohne Ergebnis.", done: "Schließen",
  },
  closeAll: {
    button: "Alle schließen", label: (target) => `Alle schließen: ${target}`,
    title: (target) => `Alle Räume schließen, die ${target} geöffnet hat?`,
    consequence: "Partien, die dort laufen, enden ohne Ergebnis.", done: "Schließen",
  },
  dropBot: {
    button: "Bot ausschließen", label: (name) => `Einen Bot von der Rangliste ${name} ausschließen`,
    title: (name) => `Einen Bot von ${name} ausschließen?`,
    consequence: "Er beginnt dort keine Paare mehr, für immer. Eine andere Version von ihm darf kommen.", done: "Ausschließen",
  },
  stopLadder: {
    button: "Beenden", label: (name) => `Die Rangliste ${name} beenden`,
    title: (name) => `${name} beenden?`, consequence: "Laufende Paare zählen nicht. Die Tabelle bleibt.", done: "Beenden",
  },
  removeLadder: {
    button: "Entfernen", label: (name) => `Die Rangliste ${name} entfernen`,
    title: (name) => `${name} entfernen?`, consequence: "Sie endet und wird nicht mehr gezeigt.", done: "Entfernen",
  },
  drainOne: {
    button: "Auslaufen lassen", label: (server) => `Server ${server} auslaufen lassen`,
    title: (server) => `Server ${server} auslaufen lassen?`, done: "Auslaufen lassen",
    consequence: "Er übergibt seine Räume den anderen, während gespielt wird, und hört dann auf. Ein zweites Mal: er hört sofort auf.",
  },
  node: { here: "dieser hier", cut: "keine Leitung zu ihm", ladders: "Ranglisten", drains: "läuft aus" },
  openLadder: {
    title: "Eine Rangliste des Hauses eröffnen", button: "Eröffnen",
    labels: { ladder: "Name", game: "Spiel", clock: "Uhr", format: "Format (sonst endlos)", members: "Mitglieder (sonst alle)", code: "Code (sonst offen für alle)",
      siblings: "Bots eines Besitzers spielen gegeneinander", by_owner: "Jeder Besitzer zählt einmal" },
  },
  purge: "Gespieltes wird gelöscht, während der Server aus ist, im Terminal:",
  disk: {
    about: { free: "Frei; darunter werden Chat und Notizen abgelehnt", log: "Das Protokoll" },
    lately: (address) => `Zuletzt gespeichert von ${address}`,
  },
  absent: { title: "Wer in keiner Liste steht", label: "Name oder Adresse" },
  lift: { button: "Aufheben", label: ({ restraint, target }) => `${restraint} aufheben: ${target}` },
};

export default german;
