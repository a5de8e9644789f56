/* A QR code of a text: bytes, error correction M, versions 1 to 10 (ISO/IEC 18004).

   A square of modules, dark or light: three finders in the corners, timing and alignment patterns,
   15 bits of format; and in zigzags of two columns, from the right, the codewords: the text and what
   corrects up to 15 % of them.  Of eight masks the one is taken that looks least like a finder. */

import { svg } from "./dom.js";

/** For each version: what corrects a block, in bytes, and how many blocks there are. */
const CORRECTING = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26];
const BLOCKS = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5];
const QUIET = 4; // modules around it that stay light
const FORMAT_M = 0; // the two bits of the level in the format
/** @type {((row: number, column: number) => boolean)[]} */
const MASKS = [
  (r, c) => (r + c) % 2 === 0,
  (r) => r % 2 === 0,
  (r, c) => c % 3 === 0,
  (r, c) => (r + c) % 3 === 0,
  (r, c) => (Math.floor(r / 2) + Math.floor(c / 3)) % 2 === 0,
  (r, c) => ((r * c) % 2) + ((r * c) % 3) === 0,
  (r, c) => (((r * c) % 2) + ((r * c) % 3)) % 2 === 0,
  (r, c) => (((r + c) % 2) + ((r * c) % 3)) % 2 === 0,
];

const FINDER = /^(?:00001011101|.{4}10111010000)/; // with what is light before or after it

/** @typedef {boolean[][]} Modules by row and column; true: dark */

/** The code of a text as a picture, dark on light in any colours of the page.
 *  @param {string} text
 *  @param {string} label */
export function qrPicture(text, label) {
  const modules = qrModules(text);
  const size = modules.length + 2 * QUIET;
  const path = modules.flatMap((row, r) => row.map((dark, c) => (dark ? `M${c + QUIET} ${r + QUIET}h1v1h-1z` : ""))).join("");
  return svg("svg", { class: "qr", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": label, "shape-rendering": "crispEdges" },
    svg("rect", { width: size, height: size, fill: "#fff" }), svg("path", { d: path, fill: "#000" }));
}

/** The modules of a text, without the quiet zone.  RangeError for more than 213 bytes.
 *  @param {string} text
 *  @returns {Modules} */
export function qrModules(text) {
  const bytes = [...new TextEncoder().encode(text)];
  const version = CORRECTING.findIndex((_, index) => bytes.length + (index < 9 ? 2 : 3) <= dataLength(index + 1)) + 1;
  if (version === 0) throw new RangeError("too long for a QR code of version 10");
  const { modules, fixed } = patterns(version);
  placeCodewords(modules, fixed, interleaved(version, dataOf(bytes, version)));
  const masked = MASKS.map((_, mask) => withMask(modules, fixed, mask));
  const penalties = masked.map(penaltyOf);
  return masked[penalties.indexOf(Math.min(...penalties))];
}

/** How many codewords a version has.
 *  @param {number} version */
function length(version) {
  const alignments = version === 1 ? 0 : Math.floor(version / 7) + 2;
  const patternBits = alignments ? (25 * alignments - 10) * alignments - 55 : 0;
  return Math.floor(((16 * version + 128) * version + 64 - patternBits - (version >= 7 ? 36 : 0)) / 8);
}

/** @param {number} version */
const dataLength = (version) => length(version) - CORRECTING[version - 1] * BLOCKS[version - 1];

/** Mode, length, text and padding, as codewords.
 *  @param {number[]} bytes
 *  @param {number} version */
function dataOf(bytes, version) {
  const bits = (/** @type {number} */ value, /** @type {number} */ width) => value.toString(2).padStart(width, "0");
  const written = bits(4, 4) + bits(bytes.length, version < 10 ? 8 : 16) + bytes.map((byte) => bits(byte, 8)).join("") + "0000";
  const codewords = written.padEnd(Math.ceil(written.length / 8) * 8, "0").match(/.{8}/g) ?? [];
  const data = codewords.map((codeword) => parseInt(codeword, 2)).slice(0, dataLength(version));
  for (let pad = 0; data.length < dataLength(version); pad++) data.push(pad % 2 ? 0x11 : 0xec);
  return data;
}

/** The data in blocks, with what corrects them, taken in turns.
 *  @param {number} version
 *  @param {number[]} data */
function interleaved(version, data) {
  const [count, correcting] = [BLOCKS[version - 1], CORRECTING[version - 1]];
  const short = Math.floor(data.length / count);
  const shorts = count - (data.length % count);
  const starts = Array.from({ length: count + 1 }, (_, index) => index * short + Math.max(0, index - shorts));
  const blocks = starts.slice(0, count).map((start, index) => data.slice(start, starts[index + 1]));
  const corrections = blocks.map((block) => remainder(block, correcting));
  const inTurns = (/** @type {number[][]} */ lists, /** @type {number} */ most) =>
    Array.from({ length: most }, (_, index) => lists.flatMap((list) => list.slice(index, index + 1))).flat();
  return [...inTurns(blocks, short + 1), ...inTurns(corrections, correcting)];
}

/** A product in the field of 256 elements with the polynomial 0x11d.
 *  @param {number} a
 *  @param {number} b */
function times(a, b) {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) product = (product << 1) ^ ((product >> 7) * 0x11d) ^ (((b >> bit) & 1) * a);
  return product;
}

/** Reed and Solomon's correction of a block, `degree` codewords.
 *  @param {number[]} block
 *  @param {number} degree */
function remainder(block, degree) {
  const divisor = Array(degree).fill(0);
  divisor[degree - 1] = 1;
  for (let index = 0, root = 1; index < degree; index++, root = times(root, 2)) {
    divisor.forEach((factor, at) => { divisor[at] = times(factor, root) ^ (divisor[at + 1] ?? 0); });
  }
  let rest = Array(degree).fill(0);
  for (const codeword of block) {
    const factor = codeword ^ rest[0];
    rest = [...rest.slice(1), 0].map((value, at) => value ^ times(divisor[at], factor));
  }
  return rest;
}

/** A code with its fixed patterns only; `fixed` says which modules those are.
 *  @param {number} version */
function patterns(version) {
  const size = 17 + 4 * version;
  const grid = () => Array.from({ length: size }, () => Array(size).fill(false));
  const [modules, fixed] = /** @type {Modules[]} */ ([grid(), grid()]);
  const put = (/** @type {number} */ row, /** @type {number} */ column, /** @type {boolean} */ dark) => {
    if (modules[row]?.[column] === undefined) return;
    modules[row][column] = dark;
    fixed[row][column] = true;
  };
  /** Rings around a centre; `dark` says of which distances. */
  const rings = (/** @type {number} */ row, /** @type {number} */ column, /** @type {number} */ radius, /** @type {number[]} */ dark) => {
    for (let down = -radius; down <= radius; down++) {
      for (let right = -radius; right <= radius; right++) {
        put(row + down, column + right, dark.includes(Math.max(Math.abs(down), Math.abs(right))));
      }
    }
  };
  for (let at = 0; at < size; at++) for (const [row, column] of [[6, at], [at, 6]]) put(row, column, at % 2 === 0);
  const centres = alignmentsOf(version, size);
  const last = size - 7;
  for (const row of centres) {
    for (const column of centres) {
      const isFinder = [[6, 6], [6, last], [last, 6]].some(([r, c]) => r === row && c === column);
      if (!isFinder) rings(row, column, 2, [0, 2]);
    }
  }
  for (const [row, column] of [[3, 3], [3, size - 4], [size - 4, 3]]) rings(row, column, 4, [0, 1, 3]);
  if (version >= 7) placeVersion(version, size, put);
  placeFormat(size, 0, put);
  return { modules, fixed };
}

/** The rows, and columns, of the alignment patterns.
 *  @param {number} version
 *  @param {number} size */
function alignmentsOf(version, size) {
  if (version === 1) return [];
  return version < 7 ? [6, size - 7] : [6, (size - 1) / 2, size - 7];
}

/** A number with the rest that its generator leaves, which corrects it.
 *  @param {number} value
 *  @param {number} generator
 *  @param {number} bits of the rest */
function withRest(value, generator, bits) {
  let rest = value;
  for (let bit = 0; bit < bits; bit++) rest = (rest << 1) ^ ((rest >> (bits - 1)) * generator);
  return (value << bits) | rest;
}

/** @param {number} version
 *  @param {number} size
 *  @param {(row: number, column: number, dark: boolean) => void} put */
function placeVersion(version, size, put) {
  const bits = withRest(version, 0x1f25, 12);
  for (let bit = 0; bit < 18; bit++) {
    const [near, far] = [Math.floor(bit / 3), size - 11 + (bit % 3)];
    put(near, far, ((bits >> bit) & 1) === 1);
    put(far, near, ((bits >> bit) & 1) === 1);
  }
}

/** @param {number} size
 *  @param {number} mask
 *  @param {(row: number, column: number, dark: boolean) => void} put */
function placeFormat(size, mask, put) {
  const bits = withRest((FORMAT_M << 3) | mask, 0x537, 10) ^ 0x5412;
  for (let bit = 0; bit < 15; bit++) {
    const dark = ((bits >> bit) & 1) === 1;
    const around = bit < 6 ? bit : bit < 8 ? bit + 1 : 14 - bit + (bit === 8 ? 1 : 0);
    if (bit < 8) put(around, 8, dark);
    else put(8, around, dark);
    if (bit < 8) put(8, size - 1 - bit, dark);
    else put(size - 15 + bit, 8, dark);
  }
  put(size - 8, 8, true);
}

/** @param {Modules} modules
 *  @param {Modules} fixed
 *  @param {number[]} codewords */
function placeCodewords(modules, fixed, codewords) {
  const size = modules.length;
  let bit = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5; // the timing pattern has a column for itself
    for (let step = 0; step < size; step++) {
      const row = ((right + 1) & 2) === 0 ? size - 1 - step : step;
      for (const column of [right, right - 1]) {
        if (!fixed[row][column] && bit < codewords.length * 8) {
          modules[row][column] = ((codewords[bit >> 3] >> (7 - (bit & 7))) & 1) === 1;
          bit++;
        }
      }
    }
  }
}

/** @param {Modules} modules
 *  @param {Modules} fixed
 *  @param {number} mask
 *  @returns {Modules} */
function withMask(modules, fixed, mask) {
  const masked = modules.map((row, r) => row.map((dark, c) => dark !== (!fixed[r][c] && MASKS[mask](r, c))));
  placeFormat(modules.length, mask, (row, column, dark) => { masked[row][column] = dark; });
  return masked;
}

/** How hard a code is to read: long runs, squares, what looks like a finder, too much of one shade.
 *  @param {Modules} modules */
function penaltyOf(modules) {
  const size = modules.length;
  const lines = [...modules, ...modules.map((_, column) => modules.map((row) => row[column]))]
    .map((line) => line.map(Number).join(""));
  let penalty = 0;
  for (const line of lines) {
    for (const run of line.match(/0{5,}|1{5,}/g) ?? []) penalty += run.length - 2;
    const framed = `0000${line}0000`; // around the code all is light
    for (let at = 0; at < size; at++) if (FINDER.test(framed.slice(at, at + 15))) penalty += 40;
  }
  for (let row = 1; row < size; row++) {
    for (let column = 1; column < size; column++) {
      const square = [modules[row - 1][column - 1], modules[row - 1][column], modules[row][column - 1]];
      if (square.every((dark) => dark === modules[row][column])) penalty += 3;
    }
  }
  const dark = modules.flat().filter(Boolean).length;
  return penalty + 10 * Math.floor(Math.abs(dark * 20 - size * size * 10) / (size * size));
}
