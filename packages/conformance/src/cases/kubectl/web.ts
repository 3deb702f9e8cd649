import { type Fields, manifest } from "../manifests.ts";

/** A Deployment without pods, unless `replicas` is set, and so one that is settled as soon as it is seen. */
export function web(spec: Fields = {}, metadata: Fields = {}): Fields {
  return manifest("apps/v1", "Deployment", "web", {
    metadata: { labels: { app: "web" }, ...metadata },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: "web" } },
      template: webTemplate(),
      ...spec,
    },
  });
}

export function webTemplate(spec: Fields = {}, annotations?: Fields): Fields {
  return {
    metadata: { labels: { app: "web" }, ...(annotations && { annotations }) },
    spec: { containers: [{ name: "main", image: "web:1" }], ...spec },
  };
}

/** A pod that no scheduler takes, so that it stays as it is. */
export function idlePod(name: string, rest: Fields = {}): Fields {
  const { metadata, spec } = rest;
  return manifest("v1", "Pod", name, {
    metadata: { labels: { app: name }, ...asFields(metadata) },
    spec: {
      schedulerName: "no-scheduler",
      containers: [{ name: "main", image: "web:1" }],
      ...asFields(spec),
    },
  });
}

function asFields(value: unknown): Fields {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
