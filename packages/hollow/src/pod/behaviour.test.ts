import { describe, expect, it } from "vitest";
import { makePod, noDelays } from "../../test/support/situations.ts";
import { behaviourOf } from "./behaviour.ts";

const prefix = "hollow.keelson.dev";
const behaviour = (annotations: Record<string, string>, restartPolicy: "Always" | "Never" = "Always") => {
  const named = Object.entries(annotations).map(([name, value]) => [`${prefix}/${name}`, value]);
  const pod = makePod({ annotations: Object.fromEntries(named), spec: { restartPolicy } });
  return behaviourOf(pod, { ...noDelays, runMs: 200, readyDelayMs: 30 });
};
const runsForEver = {
  startDelayMs: 0,
  runMs: undefined,
  exitCode: 0,
  exitCodes: new Map(),
  canPull: true,
  readyAfterMs: 30,
};

describe("the behaviour of a pod's containers", () => {
  it.each([
    ["nothing", {}, "Always", runsForEver],
    ["nothing, for a pod that ends", {}, "Never", { ...runsForEver, runMs: 200 }],
    ["run", { run: "1m30s" }, "Always", { ...runsForEver, runMs: 90_000 }],
    ["run for ever", { run: "forever" }, "Never", runsForEver],
    ["an exit code", { "exit-code": "7" }, "Always", { ...runsForEver, runMs: 200, exitCode: 7 }],
    ["a crash", { "crash-after": "250ms" }, "Always", { ...runsForEver, runMs: 250, exitCode: 1 }],
    [
      "a crash with a code",
      { "crash-after": "1s", "exit-code": "139" },
      "Always",
      { ...runsForEver, runMs: 1000, exitCode: 139 },
    ],
    ["a pull that fails", { pull: "fail" }, "Always", { ...runsForEver, canPull: false }],
    ["never ready", { ready: "false" }, "Always", { ...runsForEver, readyAfterMs: undefined }],
    ["ready later", { ready: "10s" }, "Always", { ...runsForEver, readyAfterMs: 10_000 }],
    ["no start", { start: "never" }, "Always", { ...runsForEver, startDelayMs: Number.POSITIVE_INFINITY }],
    ["a late start", { start: "2s" }, "Always", { ...runsForEver, startDelayMs: 2000 }],
    [
      "exit codes of single containers",
      { "exit-code": "web=3, setup=1" },
      "Always",
      {
        ...runsForEver,
        exitCodes: new Map([
          ["web", 3],
          ["setup", 1],
        ]),
      },
    ],
    ["ready as usual", { ready: "true" }, "Always", runsForEver],
  ] as const)("follows the annotations: %s", (_, annotations, restartPolicy, expected) => {
    expect(behaviour(annotations, restartPolicy)).toEqual(expected);
  });

  it.each([
    [{ run: "soon" }, "run"],
    [{ run: "-5s" }, "run"],
    [{ run: "5" }, "run"],
    [{ "exit-code": "256" }, "exit-code"],
    [{ "exit-code": "" }, "exit-code"],
    [{ "exit-code": "web=3,setup" }, "exit-code"],
    [{ "exit-code": "web=300" }, "exit-code"],
    [{ start: "always" }, "start"],
    [{ "crash-after": "forever" }, "crash-after"],
    [{ pull: "no" }, "pull"],
    [{ ready: "maybe" }, "ready"],
    [{ run: "5s", "crash-after": "5s" }, "crash-after"],
  ])("has a problem with %j", (annotations, name) => {
    expect(behaviour(annotations).problem).toContain(`${prefix}/${name}`);
  });

  it("reports all problems at once", () => {
    const { problem } = behaviour({ run: "soon", "exit-code": "x" });
    expect(problem).toBe(
      `annotation ${prefix}/run is "soon", must be a duration such as 5s or forever; ` +
        `annotation ${prefix}/exit-code is "x", must be a number from 0 to 255 or main=1,setup=2`,
    );
  });
});
