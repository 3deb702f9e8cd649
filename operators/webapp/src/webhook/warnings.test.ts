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

describe("what a user may not have meant", () => {
  it("is nothing as a rule", () => {
    expect(warningsOf(made({}), undefined)).toEqual([]);
    expect(warningsOf(made(scaled), made(scaled))).toEqual([]);
  });

  it("is an image that floats", () => {
    const [warning] = warningsOf(made({ image: "web:latest", allowLatest: true }), undefined);
    expect(warning).toBe(
      "image web:latest may mean something else tomorrow: pods may run different versions",
    );
  });

  it("is a number of pods that an autoscaler overrules", () => {
    expect(warningsOf(made({ ...scaled, replicas: 2 }), made({ ...scaled, replicas: 1 }))).toEqual([
      "replicas has no effect while there is autoscaling",
    ]);
  });

  it("is an autoscaler that cannot know how busy the pods are", () => {
    expect(warningsOf(made({ autoscaling: { maxReplicas: 3 } }), undefined)).toEqual([
      "autoscaling needs resources.requests.cpu: without it nobody knows how busy the pods are",
    ]);
  });
});
