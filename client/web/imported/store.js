/* What this browser keeps of matches that were read from files: it alone has them.

   A line of each stands in a list of its own, so that the list is shown without reading the matches. */

/** @import { ImportedMatch } from "../library/messages.js" */

/** A match in the list.  `name`: of its file; `title`: who played.
 *  @typedef {{id: number, name: string, title: string, at: number}} KeptLine */
/** A match with all that is known of it.  `file`: as it was brought, packed.
 *  @typedef {{id: number, name: string, file: Blob, match: ImportedMatch}} KeptMatch */

const [LINES, MATCHES] = ["lines", "matches"];

/** @type {Promise<IDBDatabase> | null} */
let opened = null;

function database() {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open("plyhouse.imported", 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore(LINES, { keyPath: "id", autoIncrement: true });
      request.result.createObjectStore(MATCHES, { keyPath: "id" });
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return opened;
}

/** Do something with both stores, all of it or nothing; its result once it is done for good.
 *  @template T
 *  @param {IDBTransactionMode} mode
 *  @param {(lines: IDBObjectStore, matches: IDBObjectStore) => IDBRequest<T>} work
 *  @returns {Promise<T>} */
async function transact(mode, work) {
  const transaction = (await database()).transaction([LINES, MATCHES], mode);
  return new Promise((resolve, reject) => {
    const request = work(transaction.objectStore(LINES), transaction.objectStore(MATCHES));
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = () => reject(transaction.error);
  });
}

/** All that are kept, the newest first.
 *  @returns {Promise<KeptLine[]>} */
export const listKept = async () => (await transact("readonly", (lines) => lines.getAll())).reverse();

/** @param {number} id
 *  @returns {Promise<KeptMatch | undefined>} */
export const findKept = (id) => transact("readonly", (_, matches) => matches.get(id));

/** Keep one more match; the number that it has from then on.
 *  @param {Omit<KeptLine, "id">} line
 *  @param {Omit<KeptMatch, "id">} match
 *  @returns {Promise<number>} */
export const keepMatch = (line, match) => transact("readwrite", (lines, matches) => {
  const request = lines.add(line);
  request.onsuccess = () => matches.add({ ...match, id: request.result });
  return /** @type {IDBRequest<number>} */ (request);
});

/** @param {number} id */
export const removeKept = (id) => transact("readwrite", (lines, matches) => {
  matches.delete(id);
  return lines.delete(id);
});
