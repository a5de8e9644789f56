/* Shows offline.html where a page of this server cannot be had; everything else is the browser's own.

   Nothing but that page is kept here.  Its style sheet and scripts have their versions in their
   addresses, so the browser keeps those itself; without them it is still a page to read. */

const PAGE = "/offline.html";
const CACHE = "offline";
const NOT_THERE = [502, 503, 504]; // what a proxy says where the server behind it does not answer

/** @typedef {Event & {waitUntil(work: Promise<unknown>): void}} LongEvent */
/** @typedef {LongEvent & {request: Request, preloadResponse: Promise<Response | undefined>,
 *    respondWith(response: Promise<Response>): void}} FetchEvent */
/** @typedef {LongEvent & {addRoutes?(rules: object[]): Promise<void>}} InstallEvent */

/** The worker, as far as it is used here: the page's types do not know it. */
const worker = /** @type {any} */ (globalThis);

/** @param {InstallEvent} event */
async function install(event) {
  // Whatever is no page goes past this worker, where a browser can be told so.
  const others = { condition: { not: { requestMode: "navigate" } }, source: "network" };
  await event.addRoutes?.([others]).catch(() => null);
  const page = await fetch(PAGE, { cache: "no-cache" });
  const files = [...(await page.clone().text()).matchAll(/(?:href|src)="(\/[^"]+\?v=[^"]+)"/g)];
  const cache = await caches.open(CACHE);
  await cache.put(PAGE, page);
  await Promise.all(files.map(([, address]) => fetch(address))); // into the browser's own cache
  await worker.skipWaiting();
}

async function activate() {
  await worker.registration.navigationPreload?.enable(); // ask the server while this worker starts
  await worker.clients.claim();
}

/** The page that was asked for, or else the one that says that the server does not answer.
 *  @param {FetchEvent} event */
async function pageOrOffline(event) {
  try {
    const response = await event.preloadResponse ?? await fetch(event.request);
    if (!NOT_THERE.includes(response.status)) return response;
    return await caches.match(PAGE) ?? response;
  } catch (error) {
    const page = await caches.match(PAGE);
    if (!page) throw error;
    return page;
  }
}

worker.addEventListener("install", (/** @type {InstallEvent} */ event) => event.waitUntil(install(event)));
worker.addEventListener("activate", (/** @type {LongEvent} */ event) => event.waitUntil(activate()));
worker.addEventListener("fetch", (/** @type {FetchEvent} */ event) => {
  if (event.request.mode === "navigate") event.respondWith(pageOrOffline(event));
});
