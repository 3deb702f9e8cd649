import { Deployment } from "@keelson/core/kinds/apps/v1";
import { CronJob } from "@keelson/core/kinds/batch/v1";
import { ConfigMap } from "@keelson/core/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { withMirroredFields } from "./mirrored-fields.ts";

const metadata = { name: "web" };
const selector = { matchLabels: { app: "web" } };
const containers = [{ name: "web", image: "web:1" }];
const deployment = (podSpec: object) => ({
  metadata,
  spec: { selector, template: { spec: { containers, ...podSpec } } },
});

describe("the desired state with mirrored fields", () => {
  it.each(["build", ""])("states the ServiceAccount %j under both names", (serviceAccountName) => {
    const both = { serviceAccountName, serviceAccount: serviceAccountName };
    expect(withMirroredFields(Deployment, deployment({ serviceAccountName }))).toEqual(deployment(both));
    const spec = { schedule: "@daily", jobTemplate: deployment({ serviceAccountName }) };
    expect(withMirroredFields(CronJob, { metadata, spec })).toMatchObject({
      spec: { jobTemplate: { spec: { template: { spec: both } } } },
    });
  });

  it("is the same if no such field is stated, or both are", () => {
    for (const podSpec of [{}, { serviceAccountName: "a", serviceAccount: "b" }])
      expect(withMirroredFields(Deployment, deployment(podSpec))).toEqual(deployment(podSpec));
    const data = { serviceAccountName: "a" };
    expect(withMirroredFields(ConfigMap, { metadata, data })).toEqual({ metadata, data });
    expect(withMirroredFields(Deployment, { metadata })).toEqual({ metadata });
  });
});
