import { conditions, type Immutable, listMap, z } from "keelson";
import { permissions } from "./consumer.ts";
import { count, time } from "./fields.ts";

const consumer = z.object({
  consumer: z.string().describe("namespace/Kind/name, namespace/name of a pod, or namespace?labels"),
  permission: z.enum(permissions),
  approvedBy: z.string().exactOptional(),
  approvedAt: time.exactOptional(),
  restartedAt: time.exactOptional().describe("When the operator last restarted it for this SharedSecret"),
  problem: z.string().exactOptional().describe("Why it has not been restarted, or cannot get the secret"),
  failures: count.exactOptional().describe("How often that was tried in vain; absent after a restart"),
  failingSince: time.exactOptional().describe("When that began"),
  retryAt: time.exactOptional().describe("When it is tried again"),
});

const rotation = z.object({
  lastTime: time.exactOptional().describe("When the value was last rotated"),
  nextTime: time.exactOptional().describe("When it is due next"),
  failures: count.exactOptional().describe("How many attempts have failed since the last rotation"),
  totalFailures: count
    .exactOptional()
    .describe("How many attempts have failed since the SharedSecret was created"),
  rotations: count.exactOptional().describe("How often the value was rotated"),
  problem: z.string().exactOptional().describe("Why the last attempt failed; absent after a rotation"),
  lastAttempt: time.exactOptional().describe("When the last attempt failed"),
});

export const status = z.object({
  observedGeneration: z.int().exactOptional().describe("The generation that this status describes"),
  conditions: conditions().exactOptional(),
  approved: z.boolean().exactOptional().describe("Whether the policy lets the secret be shared"),
  rotateSeconds: count.exactOptional().describe("The approved rotation period; 0 for never"),
  secret: z.string().exactOptional().describe("The name of the Secret with the value"),
  lastUpdated: time
    .exactOptional()
    .describe("When the value of the Secret last changed, as a rotator reported it"),
  podsRestartRequired: z
    .boolean()
    .exactOptional()
    .describe(
      "Set by a rotator after it has written another value; false again when all consumers were restarted",
    ),
  restart: z
    .object({
      startedAt: time.describe("Pods that were started before are restarted"),
      version: z.string().describe("The version of the value that they get"),
    })
    .exactOptional()
    .describe("The restart of the read-only consumers that is under way"),
  restartedVersion: z
    .string()
    .exactOptional()
    .describe(
      "The version of the value for which all read-only consumers were last restarted; not a hash of the value alone",
    ),
  lastRestart: time.exactOptional().describe("When the last restart of all read-only consumers ended"),
  rotation: rotation.exactOptional(),
  consumers: listMap(consumer, ["consumer", "permission"]).exactOptional().describe("The approved consumers"),
  consumerCount: z
    .string()
    .exactOptional()
    .describe("How many of the approved consumers have the current value"),
  pendingRequests: count.exactOptional().describe("Requests that wait for a decision"),
});

/** What the operator has observed of a SharedSecret. */
export type SharedSecretStatus = Immutable<z.output<typeof status>>;

/** An approved consumer in the status. */
export type ConsumerStatus = NonNullable<SharedSecretStatus["consumers"]>[number];

/** The rotation in the status. Rotators write it, wherever they run. */
export type RotationStatus = NonNullable<SharedSecretStatus["rotation"]>;

/** The restart that is under way. */
export type RestartRound = NonNullable<SharedSecretStatus["restart"]>;
