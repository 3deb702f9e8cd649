import { formatRef } from "../resource/watched-resource.ts";
import { errorOf, type ReloadAlert, textOf } from "./alert.ts";
import type { Payload, PayloadOf, PayloadOptions } from "./payload.ts";

/** Names between two braces, with or without spaces: `{{ workloadName }}`. */
const placeholder = /\{\{([^{}]*)\}\}/g;

/** What the placeholders of a template stand for. */
function valuesOf(alert: ReloadAlert, { additionalInfo = "" }: PayloadOptions) {
  const { title, text } = textOf(alert);
  const { outcome, workload, changes, strategy, time, configs } = alert;
  const [first] = changes;
  return {
    title,
    text,
    outcome,
    workloadKind: workload.kind,
    workloadName: workload.name,
    workloadNamespace: workload.namespace,
    resourceKind: first?.kind ?? "",
    resourceName: first?.name ?? "",
    resourceNamespace: first?.namespace ?? "",
    resources: changes.map(formatRef).join(", "),
    configs: configs.map(({ namespace = "", name }) => `${namespace}/${name}`).join(", "),
    strategy,
    time,
    error: errorOf(alert),
    additionalInfo,
  } as const;
}

const sample: ReloadAlert = {
  outcome: "reloaded",
  workload: { kind: "Deployment", namespace: "shop", name: "web" },
  changes: [{ kind: "Secret", namespace: "shop", name: "db" }],
  strategy: "env-vars",
  time: "2026-01-01T00:00:00.000Z",
  configs: [],
};

const names: readonly string[] = Object.keys(valuesOf(sample, {}));

/** What is wrong with a template, and what to write instead; undefined if every alert makes JSON of it. */
export function templateProblem(template: string): string | undefined {
  const unknown = [...template.matchAll(placeholder)]
    .map(([written, name = ""]) => ({ written, name: name.trim() }))
    .find(({ name }) => !names.includes(name));
  if (unknown !== undefined)
    return `${unknown.written} is no placeholder; write one of ${names.map((name) => `{{${name}}}`).join(", ")}`;
  try {
    JSON.parse(render(template, sample, {}));
    return undefined;
  } catch {
    return 'it does not make a JSON document; write one with placeholders inside of strings, such as {"text": "{{text}}"}';
  }
}

/**
 * A payload of a template in which `{{name}}` stands for a value of the alert. Values are written as in a JSON string, so
 * none can end the string that it is in. That is all of the syntax: nothing is evaluated, and a value that contains a
 * placeholder is not a template. Placeholders that do not exist stand for nothing; see `templateProblem`.
 */
export function templatePayload(template: string): PayloadOf {
  return (alert, options): Payload => ({
    contentType: "application/json",
    body: render(template, alert, options),
  });
}

function render(template: string, alert: ReloadAlert, options: PayloadOptions): string {
  const values = new Map<string, string>(Object.entries(valuesOf(alert, options)));
  return template.replace(placeholder, (_, name: string) =>
    JSON.stringify(values.get(name.trim()) ?? "").slice(1, -1),
  );
}
