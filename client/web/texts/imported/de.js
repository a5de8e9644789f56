/* What only the page of matches from files says, in German; see ../de.js. */

/** @import { Words } from "./words.js" */

/** @type {Words} */
export default {
  title: "Partien aus Dateien",
  about: "Eine eigene Partie: Match-Text (.mat) oder SGF eines beliebigen Backgammon-Programms, oder was Plyhouse von irgendeinem Spiel schreibt"
    + " (JSON oder Text). Dieser Server liest sie und behält nichts davon; die Partie bleibt in diesem Browser, nur für dich, bis du sie löschst.",
  choose: "Datei wählen",
  orDrop: "… oder zieh sie irgendwo auf diese Seite, oder füge sie ein, als Datei oder Text.",
  reading: (name) => `${name} wird gelesen …`,
  pasted: "eine eingefügte Partie",
  tooLarge: ({ name, most }) => `${name} ist zu groß: die Datei einer Partie hat höchstens ${most} MiB.`,
  refused: ({ name, why }) => `${name}: ${why}`,
  kept: "In diesem Browser aufgehoben",
  none: "Noch ist nichts aufgehoben.",
  notKept: "Dieser Browser konnte die Partie nicht aufheben: sie ist weg, wenn du die Seite verlässt.",
  gone: "Diese Partie ist in diesem Browser nicht oder nicht mehr aufgehoben.",
  all: "Alle Partien aus Dateien",
  file: (name) => `Aus ${name}`,
  readUpTo: (fault) => `Die Datei ist gelesen, so weit sie Sinn ergibt: ${fault}.`,
  remark: (remark) => `${remark}.`,
  notPromised: "Die Würfel sind die der Datei: niemand hat sie vorher versprochen.",
  unfinished: "die Datei endet vor dem Spiel",
  games: "Spiele",
  remove: "Löschen",
  reallyRemove: "Endgültig löschen?",
  removed: "Gelöscht: in diesem Browser ist nichts mehr davon.",
};
