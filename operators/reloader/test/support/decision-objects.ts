import type { Stored } from "keelson";
import type { Container, PodSpec, PodTemplateSpec } from "keelson/kinds/core/v1";
import { annotationKeys } from "../../src/api/annotation-keys.ts";
import type { ReloaderConfig } from "../../src/api/reloader-config.ts";
import { spec as configSpec, type ReloaderConfigSpecInput } from "../../src/api/spec.ts";
import type { DecisionSettings } from "../../src/decision/decision-settings.ts";
import {
  formatRef,
  type ResourceKind,
  type ResourceReader,
  type WatchedResource,
} from "../../src/resource/watched-resource.ts";
import { type ReloaderSettings, settings } from "../../src/settings.ts";
import type { Workload } from "../../src/workload/workload.ts";
import type { WorkloadKindName } from "../../src/workload/workload-kind.ts";
import { workloadOf } from "../../src/workload/workload-kinds.ts";

/** Annotations or labels. */
export type Texts = Readonly<Record<string, string>>;

const created = "2026-01-01T00:00:00Z";

/** Upstream's names of the annotations. */
export const keys = annotationKeys();

/** The settings with these changes. */
export function chosenSettings(given: object = {}): ReloaderSettings {
  return settings.parse(given);
}

/** Settings that leave out nothing. */
export const plainSettings: DecisionSettings = chosenSettings();

/** What a test says of a workload. */
export interface WorkloadParts {
  readonly kind?: WorkloadKindName;
  readonly namespace?: string;
  readonly name?: string;
  readonly annotations?: Texts;
  readonly onTemplate?: Texts;
  readonly pod?: PodSpec;
  /** Annotations of a Rollout `alias` whose template this is. */
  readonly onAlias?: Texts;
}

/** A workload `shop/web` whose only container has no references. */
export function workload(parts: WorkloadParts = {}): Workload {
  const { kind = "Deployment", namespace = "shop", name = "web" } = parts;
  const { annotations = {}, onTemplate = {}, pod = podOf(), onAlias } = parts;
  const template: PodTemplateSpec = { metadata: { annotations: onTemplate }, spec: pod };
  const meta = { namespace, uid: `${kind}-${name}`, resourceVersion: "1", creationTimestamp: created };
  const object = {
    ...{ apiVersion: "apps/v1", kind, metadata: { ...meta, name, annotations } },
    spec: kind === "CronJob" ? { jobTemplate: { spec: { template } } } : { template },
  };
  const alias = {
    ...object,
    kind: "Rollout",
    metadata: { ...meta, name: "alias", annotations: onAlias ?? {} },
  };
  return workloadOf(kind, object, onAlias === undefined ? [] : [{ kind: "Rollout", object: alias }]);
}

/** A pod whose container `app` is as given. */
export function podOf(container: Partial<Container> = {}, more: Partial<PodSpec> = {}): PodSpec {
  return { containers: [{ name: "app", image: "app", ...container }], ...more };
}

/** A pod that takes its environment from Secrets and ConfigMaps. */
export function podUsing(...used: readonly (readonly [kind: ResourceKind, name: string])[]): PodSpec {
  return podOf({
    envFrom: used.map(([kind, name]) =>
      kind === "Secret" ? { secretRef: { name } } : { configMapRef: { name } },
    ),
  });
}

/** A resource `shop/db`, a Secret unless said otherwise. */
export function resource(parts: Partial<WatchedResource> = {}): WatchedResource {
  return {
    ...{ kind: "Secret", namespace: "shop", name: "db", hash: "1", upstreamHash: "1" },
    ...{ labels: {}, annotations: {}, creationTimestamp: created },
    ...parts,
  };
}

/** A ReloaderConfig `shop/config` with the defaults of the server. */
export function config(
  given: ReloaderConfigSpecInput,
  {
    name = "config",
    namespace = "shop",
    annotations = {},
  }: { name?: string; namespace?: string; annotations?: Texts } = {},
): Stored<ReloaderConfig> {
  return {
    ...{
      apiVersion: "reloader.stakater.com/v1alpha1",
      kind: "ReloaderConfig",
      spec: configSpec.parse(given),
    },
    metadata: { name, namespace, annotations, uid: name, resourceVersion: "1", creationTimestamp: created },
  };
}

/** The target that `workload()` is. */
export const web = { kind: "Deployment", name: "web" } as const;

/** Reads these resources. */
export function readerOf(resources: readonly WatchedResource[]): ResourceReader {
  return {
    get: async (ref) => resources.find((each) => formatRef(each) === formatRef(ref)),
    list: async (kind, namespace) =>
      resources.filter((each) => each.kind === kind && each.namespace === namespace),
  };
}
