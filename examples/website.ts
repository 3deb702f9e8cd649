import { controller, defineOperator, defineResource, z } from "keelson";
import { Deployment } from "keelson/kinds/apps/v1";
import { ConfigMap } from "keelson/kinds/core/v1";

export const Website = defineResource({
  group: "examples.keelson.dev",
  version: "v1",
  kind: "Website",
  spec: z.object({ html: z.string(), replicas: z.int32().min(0).default(1) }),
  status: z.object({ readyReplicas: z.int32() }),
});

const websites = controller(Website)
  .owns(ConfigMap)
  .owns(Deployment)
  .reconcile(async ({ object, apply, setStatus }) => {
    const { name } = object.metadata;
    await apply(ConfigMap, { metadata: { name }, data: { "index.html": object.spec.html } });
    const volumeMounts = [{ name: "html", mountPath: "/usr/share/nginx/html" }];
    const containers = [{ name: "nginx", image: "nginx:1.29", volumeMounts }];
    const pod = { containers, volumes: [{ name: "html", configMap: { name } }] };
    const template = { metadata: { labels: { website: name } }, spec: pod };
    const spec = { replicas: object.spec.replicas, selector: { matchLabels: { website: name } }, template };
    const deployment = await apply(Deployment, { metadata: { name }, spec });
    await setStatus({ readyReplicas: deployment.status?.readyReplicas ?? 0 });
  });

export const website = defineOperator({ name: "website", controllers: [websites] });
