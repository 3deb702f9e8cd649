// The subject: Keelson's cache with its defaults.
import type { Client, ObjectOf } from "keelson";
import { InformerCache, type InformerLease } from "keelson/cache";
import { connect } from "keelson/client";
import { measure } from "./measurement.ts";
import { WebApp } from "./webapps.ts";

let client: Client;
let stop = new AbortController();
let informer: InformerLease<ObjectOf<typeof WebApp>>;

await measure({
  async prepare(kubeconfigPath) {
    ({ client } = await connect({ kubeconfigPath }));
    await client.raw("/version");
  },
  async sync(count) {
    stop.abort(new Error("another sync follows"));
    stop = new AbortController();
    const cache = new InformerCache({ client });
    informer = cache.acquire(WebApp);
    let added = 0;
    const subscription = informer.subscribe(() => {
      added += 1;
    });
    void cache.run(stop.signal);
    await subscription.synced();
    if (added !== count) throw new Error(`sync: the handler received ${added} objects, not ${count}`);
  },
  readAll: () => informer.list().filter(({ spec }) => spec.image !== "").length,
});
