import { describe, expect, it } from "vitest";
import { type NewWebApp, WebApp } from "../api/web-app.ts";
import { warningsOf } from "./warnings.ts";

function made(spec: Partial<NewWebApp["spec"]>): WebApp {
  return {
    apiVersion: "example.com/v1",
    kind: "WebApp",
    metadata: { name: "web" },
    spec: WebApp.schemas.spec.parse({ image: "web:1", ...spec }),
  };
}

const scaled = { autoscaling: { maxReplicas: 3 }, resources: { requests: { cpu: "1" } } };

describe("a warning", () => {
  it("is not given for a plain WebApp", () => {
    expect(warningsOf(made({}), undefined)).toEqual([]);
    expect(warningsOf(made(scaled), made(scaled))).toEqual([]);
  });

  it("is given for an image that is not pinned", () => {
    const [warning] = warningsOf(made({ image: "web:latest", allowLatest: true }), undefined);
    expect(warning).toBe("image web:latest may name another version later: pods may run different versions");
  });

  it("is given for a changed number of pods that an autoscaler overrules", () => {
    expect(warningsOf(made({ ...scaled, replicas: 2 }), made({ ...scaled, replicas: 1 }))).toEqual([
      "replicas has no effect while autoscaling is set",
    ]);
  });

  it("is given for an autoscaler without a CPU request", () => {
    expect(warningsOf(made({ autoscaling: { maxReplicas: 3 } }), undefined)).toEqual([
      "autoscaling needs resources.requests.cpu: without it the autoscaler cannot compute the CPU usage of the pods",
    ]);
  });
});
