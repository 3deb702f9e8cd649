import { type Client, keyOf, mergePatch, NotFoundError, type Stored } from "keelson";
import { cutText } from "keelson/low-level";
import { fieldOwner } from "../api/names.ts";
import { SharedSecret } from "../api/shared-secret.ts";
import { nextRotationMs, retryDelayMs } from "./schedule.ts";
import { formatMs } from "./secret-content.ts";

/** The field owner of what rotators write, wherever they run. */
export const rotatorFieldOwner: string = `${fieldOwner}-rotator`;

/** In bytes. The status is for people to read. */
const longestProblem = 1024;

/** When the value was last rotated, as the status shows it. */
export function recordedMs({ status }: SharedSecret): number | undefined {
  const ms = Date.parse(status?.rotation?.lastTime ?? "");
  return Number.isNaN(ms) ? undefined : ms;
}

/**
 * Shows a rotation in the status, and has the consumers restarted. Only these fields are written, so that others may write
 * the rest of the status at the same time. Returns when the next rotation is due; undefined for never.
 */
export async function recordRotation(
  client: Client,
  sharedSecret: Stored<SharedSecret>,
  lastMs: number,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { metadata, status = {} } = sharedSecret;
  const { rotateSeconds = 0, rotation = {} } = status;
  const nextMs = rotateSeconds > 0 ? nextRotationMs({ lastMs, rotateSeconds, uid: metadata.uid }) : undefined;
  const lastTime = formatMs(lastMs);
  await patchStatus(client, sharedSecret, signal, {
    podsRestartRequired: true,
    lastUpdated: lastTime,
    rotation: {
      lastTime,
      nextTime: nextMs === undefined ? null : formatMs(nextMs),
      rotations: (rotation.rotations ?? 0) + 1,
      ...{ failures: null, problem: null, lastAttempt: null },
    },
  });
  return nextMs;
}

/** Shows in the status that an attempt failed, and why. Returns when the next one is due. */
export async function recordFailure(
  client: Client,
  sharedSecret: Stored<SharedSecret>,
  {
    problem,
    nowMs,
    signal,
  }: { readonly problem: string; readonly nowMs: number; readonly signal: AbortSignal },
): Promise<number> {
  const { failures: before = 0, totalFailures = 0 } = sharedSecret.status?.rotation ?? {};
  const failures = before + 1;
  await patchStatus(client, sharedSecret, signal, {
    rotation: {
      ...{ failures, totalFailures: totalFailures + 1 },
      problem: cutText(problem, longestProblem),
      lastAttempt: formatMs(nowMs),
    },
  });
  return nowMs + retryDelayMs(failures);
}

/** Nothing is written to an object that no longer exists. */
async function patchStatus(
  client: Client,
  sharedSecret: Stored<SharedSecret>,
  signal: AbortSignal,
  status: object,
): Promise<void> {
  const options = { fieldOwner: rotatorFieldOwner, signal };
  try {
    await client.status(SharedSecret).patch(keyOf(sharedSecret), mergePatch({ status }), options);
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
  }
}
