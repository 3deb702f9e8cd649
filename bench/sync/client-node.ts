// The subject to compare with: the informer of @kubernetes/client-node.
import {
  CustomObjectsApi,
  KubeConfig,
  type KubernetesObject,
  makeInformer,
  VersionApi,
} from "@kubernetes/client-node";
import { measure } from "./measurement.ts";

const config = new KubeConfig();
let informer: ReturnType<typeof makeInformer<KubernetesObject>> | undefined;
let objects: readonly KubernetesObject[] = [];

await measure({
  async prepare(kubeconfigPath) {
    config.loadFromFile(kubeconfigPath);
    await config.makeApiClient(VersionApi).getCode();
  },
  async sync(count) {
    const api = config.makeApiClient(CustomObjectsApi);
    const list = (): ReturnType<typeof api.listClusterCustomObject> =>
      api.listClusterCustomObject({ group: "example.com", version: "v1", plural: "webapps" });
    await informer?.stop();
    informer = makeInformer<KubernetesObject>(config, "/apis/example.com/v1/webapps", list);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    informer.on("error", reject);
    let added = 0;
    informer.on("add", () => {
      added += 1;
      if (added === count) resolve();
    });
    await informer.start();
    await promise;
    objects = informer.list();
  },
  readAll: () => objects.filter(({ metadata }) => metadata?.name !== undefined).length,
});
