import { expect, it } from "vitest";
import { makePod, PodStory } from "../../test/support/situations.ts";
import { slicePod } from "./pod-slice.ts";

it("keeps everything that a decision depends on, and drops the rest", () => {
  const pod = makePod({
    annotations: { "hollow.keelson.dev/run": "5s" },
    metadata: { name: "web", namespace: "shop", uid: "u-1", generation: 1, labels: { app: "web" } },
    spec: {
      restartPolicy: "OnFailure",
      hostNetwork: true,
      activeDeadlineSeconds: 5,
      readinessGates: [{ conditionType: "example.com/gate" }],
      initContainers: [{ name: "proxy", image: "proxy:1", restartPolicy: "Always", command: ["proxy"] }],
      containers: [
        { name: "web", image: "web:1", imagePullPolicy: "Never", env: [{ name: "A", value: "b" }] },
      ],
      volumes: [{ name: "data", emptyDir: {} }],
    },
  });
  const sliced = slicePod(pod);
  expect(new PodStory(sliced).decide()).toEqual(new PodStory(pod).decide());
  expect(JSON.stringify(sliced)).not.toMatch(/labels|command|env|volumes/);
});
