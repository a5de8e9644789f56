/* Has the browser keep the page for when the server does not answer; see service_worker.js.

   Browsers have this only where the page comes over https or from this machine itself.  Over plain
   http, in a home's network, nothing is lost but that page. */

const link = document.querySelector('link[rel="service-worker"]');

addEventListener("load", () => {
  if (link instanceof HTMLLinkElement) {
    // The address has the file's version, so what the browser has of it need not be asked for again.
    navigator.serviceWorker?.register(link.href, { updateViaCache: "all", scope: "/" }).catch(() => null);
  }
});
