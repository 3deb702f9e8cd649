import { z } from "keelson";

/** The settings of the operator, by flag, variable and file; see the README. */
export const settings = z.object({
  autoReloadAll: z.boolean().default(false).describe("reload every workload for what it references"),
});

export type ReloaderSettings = z.output<typeof settings>;
