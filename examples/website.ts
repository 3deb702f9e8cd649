// A web page as a Kubernetes object: nginx serves what its spec says.
import { controller, defineOperator, defineResource, usesOf, z } from "keelson";
import { Deployment } from "keelson/kinds/apps/v1";
import { ConfigMap } from "keelson/kinds/core/v1";
import { applyOwned, writeStatus } from "keelson/object";

export const Website = defineResource({
  group: "examples.keelson.dev",
  version: "v1",
  kind: "Website",
  scope: "Namespaced",
  spec: z.object({ html: z.string(), replicas: z.int32().min(0).default(1) }),
  status: z.object({ readyReplicas: z.int32().optional() }),
});

const websites = controller(Website)
  .owns(ConfigMap)
  .owns(Deployment)
  .reconcile(async ({ object, client }) => {
    const { name = "" } = object.metadata;
    const { html, replicas } = object.spec;
    const owner = { object, resource: Website };
    const by = { fieldOwner: "website" };
    await applyOwned(client, owner, ConfigMap, { metadata: { name }, data: { "index.html": html } }, by);
    const labels = { website: name };
    const volumeMounts = [{ name: "html", mountPath: "/usr/share/nginx/html" }];
    const containers = [{ name: "nginx", image: "nginx:1.29", volumeMounts }];
    const volumes = [{ name: "html", configMap: { name } }];
    const template = { metadata: { labels }, spec: { containers, volumes } };
    const wanted = { metadata: { name }, spec: { replicas, selector: { matchLabels: labels }, template } };
    const { object: deployment } = await applyOwned(client, owner, Deployment, wanted, by);
    await writeStatus(client, Website, object, { readyReplicas: deployment.status?.readyReplicas ?? 0 }, by);
  });

const apply = ["create", "patch"];
export const website = defineOperator({
  name: "website",
  resources: [Website],
  uses: [...usesOf(ConfigMap, apply), ...usesOf(Deployment, apply), ...usesOf(Website, ["patch"], "status")],
  setup: (manager) => void manager.add(websites),
});
