/* What only the part about one's devices says, in English; see ../en.js. */

export default {
  title: "Your devices",
  about: "Your name is on these devices, with its matches and ratings. Cut off one that is lost: no one can play there in your name any more.",
  unnamed: "A device that says nothing of itself",
  own: "this one",
  here: "connected",
  seen: (/** @type {string} */ day) => `last here ${day}`,
  linked: (/** @type {string} */ day) => `linked ${day}`,
  cut: "Cut off",
  cutOff: (/** @type {string} */ device) => `Cut off: ${device}`,
  sure: "Really cut off?",
  link: "Use this name on another device",
  linkAbout: "Open the link there, or enter the code under “I have a name here already”. Your name is on both devices then.",
  minutes: (/** @type {{minutes: number}} */ { minutes }) => (minutes === 1 ? "It works once, for a minute." : `It works once, for ${minutes} minutes.`),
  recovery: "Recovery code",
  none: "You have no recovery code yet: without one your name is lost with your last device.",
  keep: (/** @type {{name: string}} */ { name }) =>
    `Keep this code; it is shown only now. It brings the name ${name} to any device at any time, also if all others are lost or stolen: scan it, open the link, or enter it under “I have a name here already”.`,
  code: "Recovery code",
  copy: "Copy the code",
  print: "Print",
  old: "Your name has a recovery code, which was shown once. To replace it, enter it here; it is void then.",
  oldCode: "The code that you have",
  replace: "Show a new one",
  wrong: "That is not the recovery code of this name.",
};
