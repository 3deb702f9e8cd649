import { conditions, defineResource, type Immutable, immutable, type ObjectOf, z } from "keelson";
import { workloadKindNames } from "../workload/workload-kind.ts";

const time = z.iso.datetime({ offset: true });
const count = z.int().min(0);
const texts = z.array(z.string());

const spec = immutable(
  z.object({
    kind: z.enum(workloadKindNames).describe("The kind of the workload"),
    name: z.string().min(1).max(253).describe("The name of the workload"),
    uid: z.string().describe("The uid of the workload; another one of the same name has other pods"),
  }),
);

const status = z.object({
  baselines: z
    .record(z.string(), z.string())
    .exactOptional()
    .describe(
      "What the pods were started with: SHA-256 of the content by namespace/Kind/name, or absent for a resource that did not exist",
    ),
  adoptedAt: time.exactOptional().describe("When the first baselines were recorded"),
  reloadCount: count.exactOptional().describe("How many times the workload was reloaded"),
  lastReload: z
    .object({
      time,
      strategy: z.enum(["env-vars", "annotations", "restart"]),
      hash: z.string().describe("The hash over all resources that had changed"),
      resources: texts.describe("What had changed, as namespace/Kind/name"),
    })
    .exactOptional(),
  configs: z
    .array(
      z.object({
        namespace: z.string(),
        name: z.string(),
        reloadCount: count,
        lastReloadTime: time.exactOptional(),
      }),
    )
    .exactOptional()
    .describe("How many of the reloads were for which ReloaderConfig"),
  recentReloads: z.array(time).exactOptional().describe("Times of the last reloads, for the circuit breaker"),
  pausedUntil: time.exactOptional().describe("Changes wait until then"),
  pending: z
    .object({
      since: time,
      resources: texts,
      reason: z.enum(["Paused", "OutsideWindow", "CircuitOpen", "RateLimited", "Collecting", "ReloadFailed"]),
      until: time.exactOptional().describe("When the reload is due"),
    })
    .exactOptional()
    .describe("Changes that wait, and why"),
  restart: z
    .object({ startedAt: time, message: z.string().exactOptional() })
    .exactOptional()
    .describe("A restart under way: pods that are older are evicted one after the other"),
  recreatedJob: z
    .string()
    .exactOptional()
    .describe("A Job that is being replaced, as JSON, until its successor exists"),
  lastError: z.string().exactOptional(),
  conditions: conditions().exactOptional(),
});

/**
 * What the operator knows of one workload: the hashes its pods were started with, and changes that wait. The operator
 * makes and owns these; the garbage collector deletes them with the workload.
 */
export const ReloadRecord = defineResource({
  group: "reloader.stakater.com",
  version: "v1alpha1",
  kind: "ReloadRecord",
  plural: "reloadrecords",
  shortNames: ["rlr"],
  description:
    "What the Reloader knows of one workload: with which content its pods were started, and which changes wait",
  spec,
  status,
  printerColumns: [
    { name: "Kind", type: "string", jsonPath: ".spec.kind" },
    { name: "Workload", type: "string", jsonPath: ".spec.name" },
    { name: "Reloads", type: "integer", jsonPath: ".status.reloadCount" },
    { name: "Last Reload", type: "date", jsonPath: ".status.lastReload.time" },
    { name: "Pending", type: "string", jsonPath: ".status.pending.reason" },
    { name: "Until", type: "string", jsonPath: ".status.pending.until" },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
});

/** The condition of a ReloadRecord: whether the pods have the content that exists now. */
export const upToDate = "UpToDate";

/** Why the condition of a ReloadRecord has its status; a reason to wait is another one. */
export const RecordReason = {
  /** The pods have the content that exists now. */
  UpToDate: "UpToDate",
  /** Pods that were started before a change are evicted one after the other. */
  Restarting: "Restarting",
  /** The reload failed. The operator retries. */
  ReloadFailed: "ReloadFailed",
} as const;

export type ReloadRecord = ObjectOf<typeof ReloadRecord>;

/** What the operator has recorded of one workload. */
export type ReloadRecordStatus = Immutable<z.output<typeof status>>;
