/* SHA-256 and HMAC (FIPS 180-4, RFC 2104) in plain JavaScript: browsers have their own only over https,
   and at home a page mostly comes without. */

const BLOCK = 64; // bytes
const WORD = 2 ** 32;
const PRIMES = firstPrimes(64);
const START = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
const ROUNDS = PRIMES.map((prime) => fraction(Math.cbrt(prime)));

/** @param {number} count
 *  @returns {number[]} */
function firstPrimes(count) {
  /** @type {number[]} */
  const primes = [];
  for (let number = 2; primes.length < count; number++) if (primes.every((prime) => number % prime)) primes.push(number);
  return primes;
}

/** The first 32 bits behind the point.
 *  @param {number} root */
function fraction(root) {
  return ((root % 1) * WORD) | 0;
}

/** @param {number} word
 *  @param {number} by */
const turned = (word, by) => (word >>> by) | (word << (32 - by));

/** The hash of some bytes, 32 bytes.
 *  @param {Uint8Array} bytes */
export function sha256(bytes) {
  const data = new Uint8Array((((bytes.length + 8) >> 6) + 1) * BLOCK);
  data.set(bytes);
  data[bytes.length] = 0x80;
  const view = new DataView(data.buffer);
  view.setUint32(data.length - 8, Math.floor((bytes.length * 8) / WORD));
  view.setUint32(data.length - 4, bytes.length * 8);
  let state = START;
  for (let at = 0; at < data.length; at += BLOCK) state = mixed(state, view, at);
  const hash = new DataView(new ArrayBuffer(32));
  state.forEach((word, index) => hash.setUint32(4 * index, word));
  return new Uint8Array(hash.buffer);
}

/** The state after one more block.
 *  @param {number[]} state
 *  @param {DataView} view
 *  @param {number} at */
function mixed(state, view, at) {
  const words = new Int32Array(64);
  let [a, b, c, d, e, f, g, h] = state;
  for (let i = 0; i < 64; i++) {
    if (i < 16) words[i] = view.getInt32(at + 4 * i);
    else {
      const [late, early] = [words[i - 2], words[i - 15]];
      words[i] = words[i - 16] + words[i - 7] + (turned(early, 7) ^ turned(early, 18) ^ (early >>> 3))
        + (turned(late, 17) ^ turned(late, 19) ^ (late >>> 10));
    }
    const one = (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + ROUNDS[i] + words[i]) | 0;
    const two = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [a, b, c, d, e, f, g, h] = [(one + two) | 0, a, b, c, (d + one) | 0, e, f, g];
  }
  return [a, b, c, d, e, f, g, h].map((word, index) => (word + state[index]) | 0);
}

/** The HMAC-SHA256 of a message.
 *  @param {Uint8Array} key
 *  @param {Uint8Array} message */
export function hmac(key, message) {
  const short = key.length > BLOCK ? sha256(key) : key;
  const padded = (/** @type {number} */ pad) => Array.from({ length: BLOCK }, (_, index) => (short[index] ?? 0) ^ pad);
  const inner = sha256(Uint8Array.from([...padded(0x36), ...message]));
  return sha256(Uint8Array.from([...padded(0x5c), ...inner]));
}
