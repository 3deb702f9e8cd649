import { describe, expect, it } from "vitest";
import { type TriedFields, tryCreate, tryUpdate } from "../../../test/support/try-strategy.ts";
import { podStrategy } from "./pod-strategy.ts";

const container = { name: "a", image: "busybox" };

function pod(spec: TriedFields): TriedFields {
  return { spec: { containers: [container], ...spec } };
}

describe("a pod that is created", () => {
  it("gets everything that was left out", () => {
    const { object, problems } = tryCreate(podStrategy, pod({ volumes: [{ name: "e" }] }));
    expect(problems).toEqual([]);
    expect(object["spec"]).toEqual({
      containers: [
        {
          ...container,
          imagePullPolicy: "Always",
          resources: {},
          terminationMessagePath: "/dev/termination-log",
          terminationMessagePolicy: "File",
        },
      ],
      dnsPolicy: "ClusterFirst",
      enableServiceLinks: true,
      restartPolicy: "Always",
      schedulerName: "default-scheduler",
      securityContext: {},
      terminationGracePeriodSeconds: 30,
      volumes: [{ name: "e", emptyDir: {} }],
    });
    expect(object["status"]).toEqual({ phase: "Pending", qosClass: "BestEffort" });
  });

  it("requests what it is limited to and is then guaranteed it", () => {
    const limits = { cpu: 0.5, memory: "1024Mi" };
    const { object } = tryCreate(podStrategy, pod({ containers: [{ ...container, resources: { limits } }] }));
    const stored = { cpu: "500m", memory: "1Gi" };
    expect(object).toMatchObject({
      spec: { containers: [{ resources: { limits: stored, requests: stored } }] },
      status: { qosClass: "Guaranteed" },
    });
  });

  it("fills in probes, with zeros as good as nothing", () => {
    const readinessProbe = { httpGet: { port: 80 }, periodSeconds: 0 };
    const { object } = tryCreate(podStrategy, pod({ containers: [{ ...container, readinessProbe }] }));
    expect(object).toMatchObject({
      spec: {
        containers: [
          {
            readinessProbe: {
              failureThreshold: 3,
              httpGet: { path: "/", port: 80, scheme: "HTTP" },
              periodSeconds: 10,
              successThreshold: 1,
              timeoutSeconds: 1,
            },
          },
        ],
      },
    });
  });

  it.each([
    ["busybox:1", "IfNotPresent"],
    ["busybox:latest", "Always"],
    ["reg.io:500/x", "Always"],
    ["busybox@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "IfNotPresent"],
  ])("pulls %s by the policy %s", (image, imagePullPolicy) => {
    const { object } = tryCreate(podStrategy, pod({ containers: [{ name: "a", image }] }));
    expect(object).toMatchObject({ spec: { containers: [{ imagePullPolicy }] } });
  });

  it.each<[string, TriedFields, string[]]>([
    ["no containers", { containers: [] }, ["spec.containers: Required value"]],
    [
      "an unknown restart policy",
      { restartPolicy: "x" },
      ['spec.restartPolicy: Unsupported value: "x": supported values: "Always", "OnFailure", "Never"'],
    ],
    [
      "a mount of nothing",
      { containers: [{ ...container, volumeMounts: [{ name: "q", mountPath: "/q" }] }] },
      ['spec.containers[0].volumeMounts[0].name: Not found: "q"'],
    ],
    [
      "a port without a number",
      { containers: [{ ...container, ports: [{}] }] },
      ["spec.containers[0].ports[0].containerPort: Required value"],
    ],
    [
      "the same container twice",
      { containers: [container, container] },
      ['spec.containers[1].name: Duplicate value: "a"'],
    ],
    [
      "a probe that does nothing",
      { containers: [{ ...container, livenessProbe: {} }] },
      ["spec.containers[0].livenessProbe: Required value: must specify a handler type"],
    ],
    [
      "more requested than allowed",
      { containers: [{ ...container, resources: { limits: { cpu: "1" }, requests: { cpu: "2" } } }] },
      [
        'spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
      ],
    ],
    [
      "blanks around the image",
      { containers: [{ name: "a", image: " x " }] },
      ['spec.containers[0].image: Invalid value: " x ": must not have leading or trailing whitespace'],
    ],
  ])("is refused with %s", (_, spec, problems) => {
    expect(tryCreate(podStrategy, pod(spec)).problems).toEqual(problems);
  });
});

describe("a pod that is changed", () => {
  const { object: old } = tryCreate(podStrategy, pod({}));

  it("takes another image and keeps its status", () => {
    const { object, problems } = tryUpdate(podStrategy, old, (changed) => {
      Object.assign(changed, { status: { phase: "Running" } });
      Object.assign(changed["spec"] ?? {}, {
        containers: [{ ...container, image: "x:1", imagePullPolicy: "Always" }],
      });
    });
    expect(problems).toEqual([]);
    expect(object["status"]).toEqual({ phase: "Pending", qosClass: "BestEffort" });
  });

  it("shows what else was changed, in the form of the server's memory", () => {
    const { problems } = tryUpdate(podStrategy, old, (changed) => {
      Object.assign(changed["spec"] ?? {}, { terminationGracePeriodSeconds: 5 });
    });
    expect(problems).toEqual([
      [
        "spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
        "@@ -36,7 +36,7 @@",
        "  ],",
        '  "EphemeralContainers": null,',
        '  "RestartPolicy": "Always",',
        '- "TerminationGracePeriodSeconds": 30,',
        '+ "TerminationGracePeriodSeconds": 5,',
        '  "ActiveDeadlineSeconds": null,',
        '  "DNSPolicy": "ClusterFirst",',
        '  "NodeSelector": null,',
        "",
      ].join("\n"),
    ]);
  });

  it("writes only its status through the status", () => {
    const { object } = tryUpdate(
      podStrategy,
      old,
      (changed) => Object.assign(changed, { spec: {}, status: { phase: "Running" } }),
      "status",
    );
    expect(object).toMatchObject({ spec: old["spec"], status: { phase: "Running", qosClass: "BestEffort" } });
  });
});

describe("the grace period of a pod", () => {
  const running = { ...tryCreate(podStrategy, pod({ nodeName: "n" })).object };
  const waiting = tryCreate(podStrategy, pod({})).object;

  it("is the requested one, else the pod's own, and zero for pods that do not run", () => {
    expect(podStrategy.gracePeriodSeconds?.(running, 5)).toBe(5);
    expect(podStrategy.gracePeriodSeconds?.(running, undefined)).toBe(30);
    expect(podStrategy.gracePeriodSeconds?.(waiting, 5)).toBe(0);
  });
});
