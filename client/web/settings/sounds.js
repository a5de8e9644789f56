/* The sounds of play, made of plain tones and a little noise; silent until somebody switches them on. */

import { settings } from "../library/settings.js";

/** A tone: its pitch in Hz, when it begins and how long it lasts, in seconds, and how loud it is, up to 1.
 *  A pitch of 0 is a click of noise.
 *  @typedef {{hz: number, at: number, for: number, loud: number, wave?: OscillatorType}} Tone */

/** @type {Record<string, Tone[]>} */
export const SOUNDS = {
  place: [{ hz: 0, at: 0, for: 0.025, loud: 0.4 }, { hz: 420, at: 0, for: 0.09, loud: 0.5 }],
  hit: [{ hz: 0, at: 0, for: 0.04, loud: 0.4 }, { hz: 120, at: 0, for: 0.16, loud: 0.6 }, { hz: 0, at: 0.08, for: 0.06, loud: 0.5 }, { hz: 90, at: 0.08, for: 0.16, loud: 0.5 }],
  dice: [0.05, 0.11, 0.16, 0.24, 0.29, 0.38].map((at, index) => ({ hz: 0, at, for: 0.045, loud: 0.65 - 0.04 * index })),
  double: [523, 523, 698].map((hz, index) => ({ hz, at: [0, 0.14, 0.28][index], for: index < 2 ? 0.1 : 0.3, loud: 0.4, wave: "triangle" })),
  arrival: [{ hz: 440, at: 0, for: 0.14, loud: 0.35, wave: "triangle" }, { hz: 587, at: 0.16, for: 0.14, loud: 0.35, wave: "triangle" }, { hz: 440, at: 0.32, for: 0.24, loud: 0.35, wave: "triangle" }],
  turn: [{ hz: 660, at: 0, for: 0.12, loud: 0.35 }, { hz: 880, at: 0.11, for: 0.2, loud: 0.35 }],
  low: [0, 0.18].map((at) => ({ hz: 990, at, for: 0.08, loud: 0.3, wave: "square" })),
  won: [523, 659, 784, 1047].map((hz, index) => ({ hz, at: 0.13 * index, for: 0.34, loud: 0.3 })),
  lost: [392, 330, 262].map((hz, index) => ({ hz, at: 0.18 * index, for: 0.36, loud: 0.4 })),
};
const ATTACK_S = 0.006;
const SILENT = 0.0001; // a level falls towards this, for it cannot fall to nothing
const LOUDEST = 0.5; // so that a hit, the dice and the turn that comes, all at once, are not clipped

/** @type {AudioContext | null} */
let context = null;

/** Make a sound, if sounds are on.
 *  @param {string} name one of the above */
export function play(name) {
  if (!settings.sound || !Object.hasOwn(SOUNDS, name)) return;
  context ??= new AudioContext();
  if (context.state === "suspended") context.resume().catch(() => {}); // not before the first press on the page
  render(context, name);
}

/** Let a sound begin now, wherever it is heard or written down.
 *  @param {BaseAudioContext} audio
 *  @param {string} name one of the above */
export function render(audio, name) {
  for (const tone of SOUNDS[name]) renderTone(audio, tone);
}

/** @param {BaseAudioContext} audio
 *  @param {Tone} tone */
function renderTone(audio, { hz, at, for: length, loud, wave = "sine" }) {
  const start = audio.currentTime + at;
  const level = audio.createGain();
  level.gain.setValueAtTime(SILENT, start);
  level.gain.exponentialRampToValueAtTime(loud * LOUDEST, start + ATTACK_S);
  level.gain.exponentialRampToValueAtTime(SILENT, start + length);
  const source = hz > 0 ? oscillator(audio, hz, wave) : noise(audio, length);
  source.connect(level).connect(audio.destination);
  source.start(start);
  source.stop(start + length);
}

/** @param {BaseAudioContext} audio
 *  @param {number} hz
 *  @param {OscillatorType} wave */
function oscillator(audio, hz, wave) {
  const source = audio.createOscillator();
  source.type = wave;
  source.frequency.value = hz;
  return source;
}

/** @param {BaseAudioContext} audio
 *  @param {number} seconds */
function noise(audio, seconds) {
  const buffer = audio.createBuffer(1, Math.ceil(seconds * audio.sampleRate), audio.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let index = 0; index < samples.length; index++) samples[index] = 2 * Math.random() - 1;
  const source = audio.createBufferSource();
  source.buffer = buffer;
  return source;
}
