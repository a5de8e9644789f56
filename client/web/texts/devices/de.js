/* What only the part about one's devices says, in German; see ../de.js. */

/** @import { Words } from "./words.js" */

/** @type {Words} */
export default {
  title: "Deine Geräte",
  about: "Auf diesen Geräten gilt dein Name, mit seinen Partien und Wertungen. Trenne eines, das verloren ging: Dort kann dann niemand mehr in deinem Namen spielen.",
  unnamed: "Ein Gerät, das nichts über sich sagt",
  own: "dieses hier",
  here: "verbunden",
  seen: (day) => `zuletzt hier ${day}`,
  linked: (day) => `dabei seit ${day}`,
  cut: "Trennen",
  cutOff: (device) => `Trennen: ${device}`,
  sure: "Wirklich trennen?",
  link: "Diesen Namen auf einem anderen Gerät benutzen",
  linkAbout: "Öffne dort den Link, oder gib den Code unter „Ich habe hier schon einen Namen“ ein. Dein Name gilt dann auf beiden Geräten.",
  minutes: ({ minutes }) => (minutes === 1 ? "Er gilt einmal, eine Minute lang." : `Er gilt einmal, ${minutes} Minuten lang.`),
  recovery: "Wiederherstellungscode",
  none: "Du hast noch keinen Wiederherstellungscode: Ohne ihn geht dein Name mit deinem letzten Gerät verloren.",
  keep: ({ name }) =>
    `Bewahre diesen Code auf, er wird nur jetzt gezeigt. Er bringt den Namen ${name} jederzeit auf jedes Gerät, auch wenn alle anderen verloren gehen oder gestohlen werden: Scanne ihn, öffne den Link, oder gib ihn unter „Ich habe hier schon einen Namen“ ein.`,
  code: "Wiederherstellungscode",
  copy: "Code kopieren",
  print: "Drucken",
  old: "Dein Name hat einen Wiederherstellungscode, der einmal gezeigt wurde. Um ihn zu ersetzen, gib ihn hier ein; er gilt dann nicht mehr.",
  oldCode: "Der Code, den du hast",
  replace: "Einen neuen zeigen",
  lostAbout: "Hast du ihn verloren? Jedes Gerät, auf dem dein Name seit einem Tag gilt, macht einen neuen, und deine anderen Geräte erfahren davon. Auch dann gilt der alte nicht mehr.",
  lost: "Ich habe ihn verloren",
  tooNew: "Dein Name gilt auf diesem Gerät noch keinen Tag: Es macht nur mit dem Code, den du hast, einen neuen.",
  wrong: "Das ist nicht der Wiederherstellungscode dieses Namens.",
};
