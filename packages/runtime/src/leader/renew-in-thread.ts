import type { Client } from "@keelson/client";
import type { Clock, Random } from "@keelson/core";
import type { ElectionDriver } from "./election-driver.ts";
import { ElectionLoop } from "./election-loop.ts";
import type { ElectionRules } from "./election-rules.ts";
import type { LeaseTerm } from "./lease-term.ts";

export interface ThreadDriverOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly rules: ElectionRules;
  readonly term: LeaseTerm;
}

/** Runs the loop among everything else that this thread does: a reconcile that computes for 10 s costs the lease. */
export function threadDriver(options: ThreadDriverOptions): ElectionDriver {
  let loop: ElectionLoop | undefined;
  return {
    run: (report, signal) => {
      loop = new ElectionLoop({ ...options, report });
      return loop.run(signal);
    },
    release: async () => (await loop?.release()) ?? false,
    close: async () => undefined,
  };
}
