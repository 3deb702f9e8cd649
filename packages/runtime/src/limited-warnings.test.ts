import { VirtualClock } from "@keelson/testkit";
import { expect, it } from "vitest";
import { LimitedWarnings } from "./limited-warnings.ts";
import { silentLogger } from "./logger.ts";

it("logs twenty warnings a minute, and then once that there are more", async () => {
  const clock = new VirtualClock();
  const messages: string[] = [];
  const warnings = new LimitedWarnings({ ...silentLogger, warn: (message) => messages.push(message) }, clock);
  const warnOften = (): void => {
    for (let count = 0; count < 100; count++) warnings.warn("odd", { count });
  };
  warnOften();
  expect(messages).toEqual([...Array(20).fill("odd"), "odd; more such warnings are left out"]);
  await clock.advance(60_000);
  warnOften();
  expect(messages).toHaveLength(42);
});
