import { type Clock, type KubeObject, sleep } from "@keelson/core";
import type { Snapshot } from "../../watch/snapshot.ts";

/** As much JSON as is parsed and frozen in some milliseconds. */
const sliceBytes = 1 << 19;

/**
 * Reads snapshots for the first time, in slices between which other work is done: to parse all objects of a large kind
 * at once would block the event loop for seconds. Undefined if one slice was enough, so that nothing has to be awaited.
 */
export function readAhead(unread: Iterable<Snapshot<KubeObject>>, clock: Clock): Promise<void> | undefined {
  const rest = unread[Symbol.iterator]();
  return readSlice(rest) ? undefined : readRest(rest, clock);
}

async function readRest(rest: Iterator<Snapshot<KubeObject>>, clock: Clock): Promise<void> {
  do await sleep(clock, 0);
  while (!readSlice(rest));
}

/** True if no more are left. */
function readSlice(unread: Iterator<Snapshot<KubeObject>>): boolean {
  for (let bytes = 0; bytes < sliceBytes; ) {
    const { done, value } = unread.next();
    if (done === true) return true;
    bytes += value.unreadBytes;
    // The first read parses and freezes.
    void value.object;
  }
  return false;
}
