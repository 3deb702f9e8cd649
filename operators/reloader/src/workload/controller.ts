import {
  annotationsChanged,
  anyOf,
  type ControllerDefinition,
  controllerFor,
  deepEqual,
  generationChanged,
  type KubeObject,
  labelsChanged,
  metadataOnly,
  type Predicate,
  type ReconcileContext,
  type ReconcileResult,
  type Resource,
  type Stored,
} from "keelson";
import type { HandlerContext, KeyControllerBuilder, MapObject } from "keelson/controller";
import { Namespace } from "keelson/kinds/core/v1";
import { ReloadRecord } from "../api/reload-record.ts";
import { ReloaderConfig } from "../api/reloader-config.ts";
import type { EventType } from "../metrics.ts";
import { workloadOfRecord } from "../record/reload-records.ts";
import type { MountKinds } from "../resource/hashed-kinds.ts";
import type { HashedResource } from "../resource/hashed-resource.ts";
import type { ResourceKind } from "../resource/watched-resource.ts";
import {
  afterInitialList,
  sameWorkloads,
  workloadsConcernedBy,
  workloadsOfConfig,
  workloadsSelectedIn,
} from "./concerned-workloads.ts";
import type { ReloaderParts } from "./parts.ts";
import { reconcileWorkload } from "./reconcile.ts";
import { targetsOf } from "./targets.ts";
import { reloadUses } from "./uses.ts";
import { formatWorkload, type WorkloadRef } from "./workload-kind.ts";
import { workloadKinds } from "./workload-kinds.ts";

/** Enough to be limited by the API server. */
const concurrency = 16;

type Builder = KeyControllerBuilder<WorkloadRef>;

/**
 * Reconciles a workload when it changes, when a resource changes that may count for it, when a ReloaderConfig changes that
 * names it, and when its record is deleted.
 */
export function workloadController(parts: ReloaderParts): ControllerDefinition<WorkloadRef> {
  const { secrets, configMaps, mounts } = parts.hashedKinds;
  let builder: Builder = controllerFor<WorkloadRef>(
    { name: "workload", formatKey: formatWorkload, namespaceOf: ({ namespace }) => namespace },
    { concurrency, backoff: "oneSecondToFiveMinutes", fairNamespaces: true },
  )
    .uses(...reloadUses(parts.workloadKinds))
    .watches(
      ReloaderConfig,
      counted((config, { client }) => workloadsOfConfig(config, client, parts), parts),
      {
        predicates: [
          anyOf(generationChanged, annotationsChanged),
          noteSights((config) => {
            for (const workload of targetsOf(config))
              parts.firstSights.workloadSeen(workload, undefined, config.metadata.resourceVersion);
          }),
        ],
      },
    )
    .watches(
      ReloadRecord,
      counted((record) => [workloadOfRecord(record)], parts),
      { predicates: [recordMatters] },
    );
  for (const kind of parts.workloadKinds)
    builder = builder.watches(
      workloadKinds[kind].resource,
      counted((object) => sameWorkloads(kind, object), parts),
      {
        predicates: [
          anyOf(generationChanged, annotationsChanged),
          noteSights(({ metadata: { namespace = "", name, uid, resourceVersion } }) =>
            parts.firstSights.workloadSeen({ kind, namespace, name }, uid, resourceVersion),
          ),
        ],
      },
    );
  if (secrets !== undefined) builder = watchHashes(builder, "Secret", secrets, parts);
  if (configMaps !== undefined) builder = watchHashes(builder, "ConfigMap", configMaps, parts);
  if (mounts !== undefined) builder = watchMounts(builder, mounts, parts);
  if (parts.readsNamespaces)
    builder = builder.watches(
      metadataOnly(Namespace),
      counted((namespace, { client }) => workloadsSelectedIn(namespace.metadata.name, client, parts), parts),
      { predicates: [afterInitialList, labelsChanged] },
    );
  return builder.reconcileKey((context) => measured(context, parts));
}

/** Counts the workloads that an event adds to the queue. */
function counted<T extends KubeObject>(
  handler: MapObject<T, WorkloadRef>,
  { metrics }: ReloaderParts,
): MapObject<T, WorkloadRef> {
  const count = (workloads: Iterable<WorkloadRef>): Iterable<WorkloadRef> => {
    for (const workload of workloads) metrics.queued(workload);
    return workloads;
  };
  return (object, context) => {
    const workloads = handler(object, context);
    return workloads instanceof Promise ? workloads.then(count) : count(workloads);
  };
}

/** Notes from when on changes of resources count for workloads that have no baselines yet, and lets every event pass. */
function noteSights<T extends KubeObject>(note: (object: Stored<T>) => void): Predicate<T> {
  const pass = ({ object }: { readonly object: Stored<T> }): boolean => {
    note(object);
    return true;
  };
  return { create: pass, update: pass };
}

/** Each reconcile is counted once, by what came of it. */
async function measured(
  context: ReconcileContext<WorkloadRef>,
  parts: ReloaderParts,
): Promise<ReconcileResult> {
  const { key, clock } = context;
  const { metrics } = parts;
  const startedMs = clock.monotonicNow();
  metrics.dequeued(key);
  try {
    const result = await reconcileWorkload(context, parts);
    metrics.reconciled(result === undefined ? "success" : "skipped", clock.monotonicNow() - startedMs);
    return result;
  } catch (error) {
    if (!context.signal.aborted) {
      metrics.reconciled("error", clock.monotonicNow() - startedMs);
      metrics.failed("handler_error");
    }
    throw error;
  }
}

/**
 * Nothing but the operator changes records, so only their deletion by a user matters, and at the start those of Jobs that are being
 * replaced: no event is about a Job that does not exist.
 */
const recordMatters: Predicate<ReloadRecord> = {
  create: ({ object }) => object.status?.recreatedJob !== undefined,
  update: () => false,
};

function watchHashes(
  builder: Builder,
  kind: ResourceKind,
  resource: Resource<HashedResource>,
  parts: ReloaderParts,
): Builder {
  return builder.watches(
    resource,
    counted(
      ({ metadata: { namespace, name } }: Stored<HashedResource>, { client }: HandlerContext) =>
        workloadsConcernedBy({ kind, namespace, name }, client, parts),
      parts,
    ),
    { predicates: [contentChanged(kind, parts)] },
  );
}

/** What a SecretProviderClass mounts is known from its pods; its annotations decide whether it counts. */
function watchMounts(builder: Builder, { podStatuses, classes }: MountKinds, parts: ReloaderParts): Builder {
  const kind = "SecretProviderClass";
  return builder
    .watches(
      podStatuses,
      counted(
        ({ metadata: { namespace }, secretProviderClass: name }, { client }) =>
          name === undefined ? [] : workloadsConcernedBy({ kind, namespace, name }, client, parts),
        parts,
      ),
      { predicates: [contentChanged(kind, parts)] },
    )
    .watches(
      classes,
      counted(
        ({ metadata: { namespace = "", name } }, { client }) =>
          workloadsConcernedBy({ kind, namespace, name }, client, parts),
        parts,
      ),
      { predicates: [afterInitialList, annotationsChanged] },
    );
}

/** Neither labels nor annotations of a resource are content, but both decide whether it counts. */
function contentChanged(
  kind: ResourceKind,
  { metrics, firstSights }: ReloaderParts,
): Predicate<HashedResource> {
  const received = (type: EventType, isPassed: boolean): boolean => {
    metrics.eventReceived(type, kind);
    metrics.eventProcessed(type, kind, "success");
    return isPassed;
  };
  return {
    create: ({ isInInitialList }) => received("add", !isInInitialList),
    delete: () => received("delete", true),
    update: ({ old, object }) => {
      const isChanged =
        old.hash !== object.hash ||
        !sameTexts(old.metadata.labels, object.metadata.labels) ||
        !sameTexts(old.metadata.annotations, object.metadata.annotations);
      const { namespace, name } = object.metadata;
      if (old.hash === object.hash) metrics.skipped("no_data_change");
      // What a SecretProviderClass mounts is only known from pods that exist.
      else if (kind !== "SecretProviderClass")
        firstSights.resourceChanged({ kind, namespace, name }, old.hash, object.metadata.resourceVersion);
      return received("update", isChanged);
    },
  };
}

type Texts = Readonly<Record<string, string>> | undefined;

function sameTexts(one: Texts, other: Texts): boolean {
  return deepEqual(one ?? {}, other ?? {});
}
