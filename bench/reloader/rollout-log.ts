import type { Client, KubeObject, Resource } from "keelson";
import { DaemonSet, Deployment, StatefulSet } from "keelson/kinds/apps/v1";
import type { PodTemplateSpec } from "keelson/kinds/core/v1";
import { type Workload, workloadLabel } from "./workload.ts";

/** A change of a pod template, as a watch shows it. */
interface TemplateChange {
  readonly version: number;
  readonly atMs: number;
}

/** A pod template that is being rolled out. */
interface Rollout extends TemplateChange {
  /** What the subject has written about content: without times. */
  readonly fingerprint: string;
}

/** What happened to one workload. */
export interface WorkloadHistory {
  /** The resource version with which it was first seen. */
  readonly createdVersion: number;
  isDeleted: boolean;
  template: PodTemplateSpec | undefined;
  /** Every template, also those of a paused Deployment. */
  readonly templateChanges: TemplateChange[];
  /** The templates that were rolled out. */
  readonly rollouts: Rollout[];
}

type WithTemplate = KubeObject & {
  readonly spec?: { readonly paused?: boolean | undefined; readonly template: PodTemplateSpec } | undefined;
};

/** Watches the workloads of the scenarios and notes every rollout. */
export class RolloutLog {
  readonly #histories = new Map<string, WorkloadHistory & { seen: string; rolledOut: string }>();

  /** Watches until the signal aborts. Rejects if a watch ends before: what it would have shown is lost. */
  async watch(client: Client, signal: AbortSignal): Promise<void> {
    await Promise.all([
      this.#watchKind(client, Deployment, signal),
      this.#watchKind(client, StatefulSet, signal),
      this.#watchKind(client, DaemonSet, signal),
    ]);
  }

  historyOf(workload: Workload): WorkloadHistory | undefined {
    return this.#histories.get(keyOf(workload.kind, workload));
  }

  async #watchKind(client: Client, resource: Resource<WithTemplate>, signal: AbortSignal): Promise<void> {
    try {
      for await (const event of client.watch(resource, { labelSelector: workloadLabel, signal })) {
        if (event.type === "ERROR") throw new Error(`watch ${resource.plural}: ${event.status.message}`);
        if (event.type !== "BOOKMARK") this.#note(resource.kind, event.object, event.type === "DELETED");
      }
      throw new Error(`watch ${resource.plural}: the server ended it`);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  #note(kind: string, { metadata, spec }: WithTemplate, isDeleted: boolean): void {
    const key = keyOf(kind, { namespace: metadata.namespace ?? "", name: metadata.name ?? "" });
    const version = Number(metadata.resourceVersion);
    const atMs = performance.now();
    const template = JSON.stringify(spec?.template);
    const history = this.#histories.get(key);
    if (history === undefined) {
      const log = { templateChanges: [], rollouts: [], createdVersion: version, isDeleted };
      this.#histories.set(key, { ...log, template: spec?.template, seen: template, rolledOut: template });
      return;
    }
    history.isDeleted = isDeleted;
    if (isDeleted) return;
    if (template !== history.seen) history.templateChanges.push({ version, atMs });
    history.seen = template;
    if (spec?.paused === true || template === history.rolledOut) return;
    history.rolledOut = template;
    history.template = spec?.template;
    history.rollouts.push({ version, atMs, fingerprint: fingerprintOf(spec?.template) });
  }
}

function keyOf(
  kind: string,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): string {
  return `${kind} ${namespace}/${name}`;
}

/** The variables and annotations that say for which content a template was made; times are left out. */
function fingerprintOf(template: PodTemplateSpec | undefined): string {
  const annotations = template?.metadata?.annotations ?? {};
  const source = annotations["reloader.stakater.com/last-reloaded-from"];
  const { type, name, hash } = source === undefined ? {} : JSON.parse(source);
  const variables = upstreamVariables(template);
  return JSON.stringify([annotations["reloader.stakater.com/resource-hash"], type, name, hash, variables]);
}

/** The values of all `STAKATER_*` variables of the containers, by name. */
export function upstreamVariables(template: PodTemplateSpec | undefined): Readonly<Record<string, string>> {
  const variables = (template?.spec?.containers ?? []).flatMap(({ env = [] }) => env);
  return Object.fromEntries(
    variables.flatMap(({ name, value = "" }) => (name.startsWith("STAKATER_") ? [[name, value]] : [])),
  );
}
