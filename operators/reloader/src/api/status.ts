import { conditions, type Immutable, z } from "keelson";

const time = z.iso.datetime({ offset: true });
const count = z.int().min(0);

const targetStatus = z.object({
  kind: z.string(),
  name: z.string(),
  namespace: z.string(),
  reloadCount: count.describe("Successful reloads of this target for this ReloaderConfig"),
  lastReloadTime: time.exactOptional(),
  pausedUntil: time.exactOptional().describe("Until then changes wait"),
  lastError: z.string().exactOptional(),
});

export const status = z.object({
  observedGeneration: z.int().exactOptional().describe("The generation that this status describes"),
  conditions: conditions().exactOptional(),
  targets: count.exactOptional().describe("How many targets the spec has"),
  reloadCount: count.exactOptional().describe("Successful reloads of all targets"),
  lastReloadTime: time.exactOptional(),
  watchedResourceHashes: z
    .record(z.string(), z.string())
    .exactOptional()
    .describe("SHA-256 of the content, by namespace/Kind/name"),
  targetStatus: z.array(targetStatus).exactOptional(),
});

/** What the operator has observed of a ReloaderConfig. */
export type ReloaderConfigStatus = Immutable<z.output<typeof status>>;

/** What the operator has observed of one target. */
export type TargetStatus = NonNullable<ReloaderConfigStatus["targetStatus"]>[number];
