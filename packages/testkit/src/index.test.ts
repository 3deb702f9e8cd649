import { expect, it } from "vitest";
import * as entry from "./index.ts";

it("exports exactly what users may rely on", () => {
  expect(Object.keys(entry).sort()).toMatchInlineSnapshot(`
    [
      "AcceptedError",
      "ClockBusyError",
      "ClockStuckError",
      "EndlessTimersError",
      "FaultyTransportClosedError",
      "NotConvergedError",
      "NotSettledError",
      "OperatorEndedError",
      "RecordingLogger",
      "SandboxStoppedError",
      "Space",
      "TestkitError",
      "UnknownLevelError",
      "VirtualClock",
      "WebhooksNotCalledError",
      "crashAtEveryWrite",
      "crashingTransport",
      "describeWrite",
      "errorEvent",
      "failingWrites",
      "failureStatus",
      "faults",
      "faultyTransport",
      "normalized",
      "runOperator",
      "secondPass",
      "startCluster",
      "startSandbox",
      "startWorld",
    ]
  `);
});
