/** A part of an object, as a case writes it. */
export type Fields = Readonly<Record<string, unknown>>;

/** An object by its kind and name; `rest` may add to the metadata. */
export function manifest(apiVersion: string, kind: string, name: string, rest: Fields = {}): Fields {
  const { metadata, ...fields } = rest;
  return { apiVersion, kind, metadata: { name, ...fieldsOf(metadata) }, ...fields };
}

export function configMap(name: string, rest: Fields = { data: { color: "blue" } }): Fields {
  return manifest("v1", "ConfigMap", name, rest);
}

export function secret(name: string, rest: Fields = {}): Fields {
  return manifest("v1", "Secret", name, rest);
}

export const container: Fields = { name: "main", image: "web:1" };

/** A pod that no scheduler takes, so that only the case changes it. */
export function pod(name: string, spec: Fields = {}, rest: Fields = {}): Fields {
  return manifest("v1", "Pod", name, {
    ...rest,
    spec: { schedulerName: "no-scheduler", containers: [container], ...spec },
  });
}

/** A template for pods, labelled `app: web`. */
export function template(spec: Fields = {}): Fields {
  return { metadata: { labels: { app: "web" } }, spec: { containers: [container], ...spec } };
}

/** A PodTemplate: it holds a pod's fields, and no controller cares for it. */
export function podTemplate(name: string, spec: Fields = {}): Fields {
  return manifest("v1", "PodTemplate", name, { template: template(spec) });
}

export function workload(kind: string, name: string, spec: Fields = {}): Fields {
  return manifest("apps/v1", kind, name, {
    spec: { selector: { matchLabels: { app: "web" } }, template: template(), ...spec },
  });
}

/** A Service that no controller changes. */
export function service(name: string, spec: Fields = {}): Fields {
  return manifest("v1", "Service", name, { spec: { ports: [{ port: 80 }], ...spec } });
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
