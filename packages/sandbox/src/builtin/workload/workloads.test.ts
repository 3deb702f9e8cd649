import { describe, expect, it } from "vitest";
import { type TriedFields, tryCreate, tryUpdate } from "../../../test/support/try-strategy.ts";
import { cronJobStrategy, jobStrategy } from "../job/job-strategy.ts";
import { daemonSetStrategy } from "./daemon-set.ts";
import { deploymentStrategy } from "./deployment.ts";
import { statefulSetStrategy } from "./stateful-set.ts";

const selector = { matchLabels: { a: "b" } };
const podSpec = { containers: [{ name: "a", image: "b" }] };
const template = { metadata: { labels: { a: "b" } }, spec: podSpec };
const jobTemplate = { spec: { ...podSpec, restartPolicy: "Never" } };

describe("a Deployment", () => {
  const deployment: TriedFields = { spec: { selector, template } };

  it("rolls by 25% by default", () => {
    expect(tryCreate(deploymentStrategy, deployment).object).toMatchObject({
      spec: {
        replicas: 1,
        progressDeadlineSeconds: 600,
        revisionHistoryLimit: 10,
        strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
      },
      status: {},
    });
  });

  it("must select its own pods", () => {
    expect(tryCreate(deploymentStrategy, {}).problems).toEqual([
      "spec.selector: Required value",
      "spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`",
      "spec.template.spec.containers: Required value",
    ]);
  });

  it("keeps its selector", () => {
    const { object } = tryCreate(deploymentStrategy, deployment);
    const other = { matchLabels: { a: "c" } };
    const { problems } = tryUpdate(deploymentStrategy, object, (changed) => {
      const labels = { a: "c" };
      Object.assign(changed["spec"] ?? {}, {
        selector: other,
        template: { ...template, metadata: { labels } },
      });
    });
    expect(problems).toEqual(['spec.selector: Invalid value: {"matchLabels":{"a":"c"}}: field is immutable']);
  });

  it("begins a generation when its annotations change", () => {
    const { object } = tryCreate(deploymentStrategy, deployment);
    const annotated = { ...object, metadata: { ...object.metadata, annotations: { a: "b" } } };
    expect(deploymentStrategy.isNewGeneration?.(annotated, object)).toBe(true);
    expect(deploymentStrategy.isNewGeneration?.({ ...object, status: { replicas: 1 } }, object)).toBe(false);
  });

  it("refuses a strategy it does not know, as the server prints it", () => {
    const spec = { selector, template, strategy: { type: "Foo", rollingUpdate: { maxSurge: "5" } } };
    expect(tryCreate(deploymentStrategy, { spec }).problems).toEqual([
      'spec.strategy: Unsupported value: {"Type":"Foo","RollingUpdate":{"MaxUnavailable":0,"MaxSurge":"5"}}: supported values: "Recreate", "RollingUpdate"',
    ]);
  });
});

describe("a StatefulSet", () => {
  it("drops how many pods may be unavailable, a feature that is off", () => {
    const updateStrategy = { rollingUpdate: { partition: 1, maxUnavailable: 2 } };
    const { object, problems } = tryCreate(statefulSetStrategy, {
      spec: { selector, template, updateStrategy },
    });
    expect(problems).toEqual([]);
    expect(object).toMatchObject({ spec: { updateStrategy: { rollingUpdate: { partition: 1 } } } });
    expect(JSON.stringify(object)).not.toContain("maxUnavailable");
    const { object: changed } = tryUpdate(statefulSetStrategy, object, (draft) => {
      Object.assign(draft["spec"] ?? {}, { updateStrategy: { type: "RollingUpdate", ...updateStrategy } });
    });
    expect(JSON.stringify(changed)).not.toContain("maxUnavailable");
  });

  it("keeps everything but what may move", () => {
    const { object } = tryCreate(statefulSetStrategy, { spec: { selector, template, serviceName: "s" } });
    const { problems } = tryUpdate(statefulSetStrategy, object, (changed) => {
      Object.assign(changed["spec"] ?? {}, { replicas: 4, serviceName: "t" });
    });
    expect(problems).toEqual([
      "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    ]);
  });
});

describe("a DaemonSet", () => {
  it("counts changes of its template in an annotation", () => {
    const { object } = tryCreate(daemonSetStrategy, { spec: { selector, template } });
    const key = "deprecated.daemonset.template.generation";
    expect(object.metadata.annotations).toEqual({ [key]: "1" });
    const { object: changed } = tryUpdate(daemonSetStrategy, object, (draft) => {
      Object.assign(draft["spec"] ?? {}, { template: { ...template, spec: { ...podSpec, hostPID: true } } });
    });
    expect(changed.metadata.annotations).toEqual({ [key]: "2" });
  });
});

describe("a Job", () => {
  it("finds its pods by its uid and takes their labels", () => {
    const { object, problems } = tryCreate(jobStrategy, { spec: { template: jobTemplate } });
    const labels = {
      "batch.kubernetes.io/controller-uid": "uid-1",
      "batch.kubernetes.io/job-name": "x",
      "controller-uid": "uid-1",
      "job-name": "x",
    };
    expect(problems).toEqual([]);
    expect(object.metadata.labels).toEqual(labels);
    expect(object).toMatchObject({
      spec: {
        backoffLimit: 6,
        completionMode: "NonIndexed",
        completions: 1,
        manualSelector: false,
        parallelism: 1,
        podReplacementPolicy: "TerminatingOrFailed",
        selector: { matchLabels: { "batch.kubernetes.io/controller-uid": "uid-1" } },
        suspend: false,
        template: { metadata: { labels } },
      },
    });
  });

  it("keeps its template", () => {
    const { object } = tryCreate(jobStrategy, { spec: { template: jobTemplate } });
    const { problems } = tryUpdate(jobStrategy, object, (changed) => {
      Object.assign(changed["spec"] ?? {}, {
        template: {
          metadata: { labels: object.metadata.labels },
          spec: { ...jobTemplate.spec, hostPID: true },
        },
      });
    });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(
      /^spec\.template: Invalid value: \{"labels":\{.*"HostPID":true.*\}: field is immutable$/,
    );
  });

  it("restricts the restart policy of its pods", () => {
    expect(tryCreate(jobStrategy, {}).problems).toEqual([
      "spec.template.spec.containers: Required value",
      'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
    ]);
  });
});

describe("a CronJob", () => {
  it.each([
    ["x", "expected exactly 5 fields, found 1: [x]"],
    ["60 * * * *", "end of range (60) above maximum (59): 60"],
    ["*/0 * * * *", "step of range should be a positive number: */0"],
    ["5-3 * * * *", "beginning of range (5) beyond end of range (3): 5-3"],
    ["a * * * *", 'failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax'],
    ["@foo", "unrecognized descriptor: @foo"],
    ["1-2-3 * * * *", "too many hyphens: 1-2-3"],
  ])("refuses the schedule %s", (schedule, detail) => {
    const { problems } = tryCreate(cronJobStrategy, {
      spec: { schedule, jobTemplate: { spec: { template: jobTemplate } } },
    });
    expect(problems).toEqual([`spec.schedule: Invalid value: ${JSON.stringify(schedule)}: ${detail}`]);
  });

  it.each(["@every 1h", "@hourly", "* * * jan mon", "? * * * *", "0-59/70 * * * *"])(
    "takes %s",
    (schedule) => {
      const { problems } = tryCreate(cronJobStrategy, {
        spec: { schedule, jobTemplate: { spec: { template: jobTemplate } } },
      });
      expect(problems).toEqual([]);
    },
  );

  it.each(["Foo/Bar", "europe/berlin", "../x"])("does not know the time zone %s", (timeZone) => {
    const spec = { schedule: "* * * * *", timeZone, jobTemplate: { spec: { template: jobTemplate } } };
    expect(tryCreate(cronJobStrategy, { spec }).problems).toEqual([
      `spec.timeZone: Invalid value: "${timeZone}": unknown time zone ${timeZone}`,
    ]);
  });
});
