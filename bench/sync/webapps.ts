import { type Client, defineResource, z } from "keelson";

const env = z.array(z.object({ name: z.string(), value: z.string() }));

/** The kind that is synced: a custom resource of the size that real ones have. */
export const WebApp = defineResource({
  group: "example.com",
  version: "v1",
  kind: "WebApp",
  scope: "Namespaced",
  spec: z.object({
    image: z.string(),
    replicas: z.int32().min(0).default(1),
    port: z.int32().default(80),
    host: z.string(),
    env,
    resources: z.object({ cpu: z.string(), memory: z.string() }),
  }),
  status: z.object({ readyReplicas: z.int32().optional() }),
});

/** So many creates are under way at once. */
const parallelCreates = 32;

export async function createWebApps(
  client: Client,
  count: number,
  onProgress: (made: number) => void,
): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) {
      const index = next++;
      await client.create(WebApp, makeWebApp(index), { fieldOwner: "benchmark" });
      if ((index + 1) % 2000 === 0) onProgress(index + 1);
    }
  };
  await Promise.all(Array.from({ length: parallelCreates }, work));
}

export function makeWebApp(index: number) {
  const name = `webapp-${String(index).padStart(5, "0")}`;
  return {
    metadata: {
      namespace: "default",
      name,
      labels: {
        "app.kubernetes.io/name": name,
        "app.kubernetes.io/part-of": `shop-${index % 100}`,
        "app.kubernetes.io/managed-by": "keelson",
        team: `team-${index % 20}`,
      },
      annotations: {
        "example.com/contact": `team-${index % 20}@example.com`,
        "example.com/cost-centre": `${index % 50}`,
      },
    },
    spec: {
      image: `registry.example.com/shop/${name}:1.${index % 30}.${index % 7}`,
      replicas: index % 5,
      port: 8080,
      host: `${name}.apps.example.com`,
      env: [
        "DATABASE_URL",
        "CACHE_URL",
        "QUEUE_URL",
        "LOG_LEVEL",
        "FEATURE_FLAGS",
        "PUBLIC_HOST",
        "SENTRY_DSN",
      ].map((variable) => ({
        name: variable,
        value: `${variable.toLowerCase()}-of-${name}`,
      })),
      resources: { cpu: "250m", memory: "128Mi" },
    },
  };
}
