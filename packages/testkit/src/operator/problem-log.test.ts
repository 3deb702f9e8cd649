import { describe, expect, it } from "vitest";
import { RecordingLogger } from "../recording-logger.ts";
import { formatProblem, ProblemLog } from "./problem-log.ts";

describe("the log of an operator's problems", () => {
  it("keeps the last warnings and errors, each text once, and passes every line on", () => {
    const inner = new RecordingLogger();
    const log = new ProblemLog(inner, () => false);
    const ofWeb = log.with({ controller: "webapp" }).with({ namespace: "shop", name: "web" });
    ofWeb.info("reconciles");
    ofWeb.error("reconcile failed", { error: new Error("no route") });
    for (const key of ["a", "b", "c", "d"]) log.warn("is slow", { key });
    ofWeb.error("reconcile failed", { error: new Error("no route") });
    log.warn("the server is gone");
    expect(log.problems.map(formatProblem)).toEqual([
      "b: is slow",
      "c: is slow",
      "d: is slow",
      "shop/web: reconcile failed: Error: no route",
      "the server is gone",
    ]);
    expect(inner.lines).toHaveLength(8);
    expect(inner.lines[1]?.fields).toMatchObject({ controller: "webapp", name: "web" });
  });

  it("keeps and passes on nothing while it is muted", () => {
    let isMuted = false;
    const inner = new RecordingLogger();
    const log = new ProblemLog(inner, () => isMuted);
    log.error("before");
    isMuted = true;
    log.with({ name: "web" }).error("after");
    log.debug("after");
    expect(log.problems.map(formatProblem)).toEqual(["before"]);
    expect(inner.lines.map(({ message }) => message)).toEqual(["before"]);
  });
});
