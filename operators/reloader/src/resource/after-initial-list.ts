import type { Predicate } from "keelson";

/**
 * Leaves out the objects that existed when a controller started. Each workload and ReloaderConfig is reconciled then anyway,
 * with all of them: to look for those that each of 20,000 Secrets concerns would take many seconds.
 */
export const afterInitialList: Predicate = { create: ({ isInInitialList }) => !isInInitialList };
