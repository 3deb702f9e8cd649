import type { Operator } from "keelson";

/** The operators that come with the command, by name. Each is loaded when somebody asks for it. */
export type BundledOperators = ReadonlyMap<string, () => Promise<Operator>>;

export const bundledOperators: BundledOperators = new Map([
  ["webapp", async () => (await import("@keelson/webapp")).webapp],
  ["backup", async () => (await import("@keelson/backup")).backup],
]);
