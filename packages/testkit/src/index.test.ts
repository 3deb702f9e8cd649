import { expect, it } from "vitest";
import * as entry from "./index.ts";

it("exports exactly what users may rely on", () => {
  expect(Object.keys(entry).sort()).toMatchInlineSnapshot(`
    [
      "ClockBusyError",
      "ClockStuckError",
      "EndlessTimersError",
      "FaultyTransportClosedError",
      "SandboxStoppedError",
      "TestkitError",
      "UnknownLevelError",
      "VirtualClock",
      "errorEvent",
      "failureStatus",
      "faults",
      "faultyTransport",
      "startCluster",
      "startSandbox",
    ]
  `);
});
