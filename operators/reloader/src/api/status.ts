import { conditions, type Immutable, z } from "keelson";

const time = z.iso.datetime({ offset: true });
const count = z.int().min(0);

const targetStatus = z.object({
  kind: z.string(),
  name: z.string(),
  namespace: z.string(),
  reloadCount: count.describe("Successful reloads of this target for this ReloaderConfig"),
  lastReloadTime: time.exactOptional().describe("When it was last reloaded for this ReloaderConfig"),
  pausedUntil: time.exactOptional().describe("Until then changes wait"),
  pending: z
    .string()
    .exactOptional()
    .describe(
      "Why changes wait: Paused, OutsideWindow, CircuitOpen, RateLimited, Collecting or ReloadFailed",
    ),
  records: z
    .array(z.object({ uid: z.string(), reloadCount: count }))
    .exactOptional()
    .describe("How many reloads of which ReloadRecord reloadCount includes"),
  lastError: z.string().exactOptional().describe("Why the last reload failed; absent after a successful one"),
});

export const status = z.object({
  observedGeneration: z.int().exactOptional().describe("The generation that this status describes"),
  conditions: conditions().exactOptional(),
  strategy: z
    .enum(["env-vars", "annotations", "restart"])
    .exactOptional()
    .describe("How targets are reloaded that do not say it themselves"),
  targets: count.exactOptional().describe("How many targets the spec has"),
  reloadCount: count
    .exactOptional()
    .describe("Successful reloads for this ReloaderConfig, of all targets it has or had"),
  lastReloadTime: time.exactOptional().describe("When a target was last reloaded for this ReloaderConfig"),
  watchedResourceHashes: z
    .record(z.string(), z.string())
    .exactOptional()
    .describe(
      "SHA-256 of the content of the watched resources, by namespace/Kind/name; of at most 1000 of them",
    ),
  targetStatus: z.array(targetStatus).exactOptional().describe("One entry for each target"),
});

/** What the operator has observed of a ReloaderConfig. */
export type ReloaderConfigStatus = Immutable<z.output<typeof status>>;

/** What the operator has observed of one target. */
export type TargetStatus = NonNullable<ReloaderConfigStatus["targetStatus"]>[number];
