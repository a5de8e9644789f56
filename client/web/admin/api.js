/* What the host asks of the server: requests of HTTP with the token in a header.  No DOM in here. */

/** @import * as wire from "../library/messages.js" */

import { texts } from "../texts/admin/words.js";

/** What is shown for each word, row by row.
 *  @typedef {object} Rows
 *  @property {wire.VisitorRow} who
 *  @property {wire.RoomView} rooms
 *  @property {wire.LadderLine} ladders
 *  @property {wire.RestrictionRow} bans
 *  @property {wire.NodeView} nodes
 *  @property {wire.DiskRow} disk
 *  @property {wire.LogRow} log */
/** @template Row
 *  @typedef {{rows: Row[], total: number, server?: string}} Listing */
/** @typedef {Record<string, string>} Fields */

const TIMEOUT_MS = 10_000;

/** The server's "no", or that it did not answer; `code` is for programs, the message for people. */
export class No extends Error {
  /** @param {string} code
   *  @param {string} text */
  constructor(code, text) {
    super(text);
    this.code = code;
  }
}

export class AdminApi {
  /** @param {string} token */
  constructor(token) {
    this.token = token;
  }

  /** The rows of one list.
   *  @template {keyof Rows} Verb
   *  @param {Verb} verb
   *  @returns {Promise<Listing<Rows[Verb]>>} */
  see(verb) {
    return this.#ask("GET", verb, {});
  }

  /** Have something done; what came of it, in words.
   *  @param {string} verb
   *  @param {Fields} fields
   *  @returns {Promise<string>} */
  async act(verb, fields) {
    const { text } = await this.#ask("POST", verb, fields);
    return text;
  }

  /** @param {string} method
   *  @param {string} verb
   *  @param {Fields} fields
   *  @returns {Promise<any>} */
  async #ask(method, verb, fields) {
    const query = new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== ""));
    const address = `/admin/api/${verb}${query.size ? `?${query}` : ""}`;
    const headers = { Authorization: `Bearer ${this.token}` };
    const answer = await fetch(address, { method, headers, signal: AbortSignal.timeout(TIMEOUT_MS) })
      .then(async (response) => ({ ok: response.ok, body: await response.json() }))
      .catch(() => { throw new No("page/lost", texts.lost); });
    if (!answer.ok) throw new No(answer.body.code, answer.body.text);
    return answer.body;
  }
}
