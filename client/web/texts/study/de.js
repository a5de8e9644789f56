/* What only the analysis board says, in German; see ../de.js. */

/** @import { Words } from "./words.js" */

/** @type {Words} */
export default {
  title: (game) => `Analysebrett: ${game}`,
  any: "Analysebrett",
  going: "Zum Brett …",
  sides: ["Erste Seite", "Zweite Seite"],
  toMove: (side) => `${side} ist am Zug.`,
  toRoll: "Welche Würfel?",
  roll: "Würfeln",
  won: ({ side, why }) => `${side} hat gewonnen: ${why}.`,
  drawn: "Unentschieden.",
  best: "Die besten Züge",
  thinking: "Ein Bot sieht es sich an …",
  deeper: (by) => `${by} · sieht weiter …`,
  by: ({ bot, by }) => `Von ${bot}: ${by}.`,
  back: "Zurück",
  hide: "Bestes aus",
  show: "Bestes an",
  course: (name) => `Die Chancen von ${name}, Zug für Zug: ein Druck führt dorthin.`,
  worst: "Die schlimmsten Momente",
  again: "Noch einmal versuchen",
  branches: "Hier probiert",
  position: "Stellung",
  positionAbout: "Füge eine Stellung ein: wie diese Seite sie schreibt, eine XGID oder GNU Position ID, oder die Spalten von Vier gewinnt.",
  put: "Aufs Brett stellen",
  first: "Die Anfangsstellung",
  game: "Spiel",
  share: "Teilen",
  text: "Die Stellung als Text",
  copyText: "Text kopieren",
  picture: "Bild speichern",
};
