// offline.js - keeps the page for times without a network (sw.js), where the browser allows it.
import { toast } from "./dom.js";
import { build } from "./made.js";

/** Not before the page is there: what is kept is fetched a second time, mostly from the browser's own cache. */
export async function keepForLater() {
  if (!build || !isSecureContext || !("serviceWorker" in navigator)) return;
  const { serviceWorker } = navigator;
  try {
    const registration = await serviceWorker.register(new URL("./sw.js", import.meta.url), { updateViaCache: "none" });
    if (!serviceWorker.controller) (await serviceWorker.ready).active.postMessage({ claim: build });
    tell(registration);
  } catch {
    // it works as long as there is a network
  }
}

// A newer version has come. It waits as long as another page of the older one is open (sw.js); one that has just been loaded may go
// over to it at once, later the person says when.
function tell(registration) {
  const { serviceWorker } = navigator;
  const change = () => {
    serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true });
    serviceWorker.controller?.postMessage({ giveWay: true });
  };
  serviceWorker.addEventListener("message", ({ data }) => data?.others && toast("The newer version waits until the other tabs of this page are closed"));
  let told = false;
  const follow = (worker) => worker.addEventListener("statechange", () => {
    if (worker.state !== "installed" || told) return;
    told = true;
    toast("A newer version is ready", { label: "Reload", run: change });
  });
  if (registration.waiting) change();
  if (registration.installing) follow(registration.installing);
  registration.addEventListener("updatefound", () => follow(registration.installing));
}
