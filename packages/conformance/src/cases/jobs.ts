import { type CaseGroup, conforms, creations } from "../conformance-case.ts";
import { container, type Fields, manifest } from "./manifests.ts";

const pods = (spec: Fields = {}): Fields => ({
  spec: { restartPolicy: "Never", containers: [container], ...spec },
});
const job = (spec: Fields): Fields =>
  manifest("batch/v1", "Job", "a", { spec: { suspend: true, template: pods(), ...spec } });
const cronJob = (spec: Fields): Fields =>
  manifest("batch/v1", "CronJob", "a", {
    spec: { suspend: true, schedule: "@yearly", jobTemplate: { spec: { template: pods() } }, ...spec },
  });

export const jobCases: CaseGroup = {
  title: "validation of jobs",
  cases: [
    ...creations([
      [
        "a Job's pods do not restart always",
        "batch/v1:jobs",
        job({ template: pods({ restartPolicy: "Always" }) }),
      ],
      [
        "a Job's numbers are not negative",
        "batch/v1:jobs",
        job({
          parallelism: -1,
          completions: -1,
          backoffLimit: -1,
          activeDeadlineSeconds: -1,
          ttlSecondsAfterFinished: -1,
        }),
      ],
      ["a Job has its own selector", "batch/v1:jobs", job({ selector: { matchLabels: { a: "b" } } })],
      [
        "a Job with a selector by hand",
        "batch/v1:jobs",
        job({
          manualSelector: true,
          selector: { matchLabels: { a: "b" } },
          template: { ...pods(), metadata: { labels: { a: "b" } } },
        }),
      ],
      ["an indexed Job has completions", "batch/v1:jobs", job({ completionMode: "Indexed" })],
      ["a Job's mode is one of two", "batch/v1:jobs", job({ completionMode: "Sorted" })],
      [
        "a Job's policy for failures",
        "batch/v1:jobs",
        job({
          podFailurePolicy: {
            rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [1, 2] } }],
          },
        }),
      ],
      [
        "a Job's policy for failures is sound",
        "batch/v1:jobs",
        job({
          podFailurePolicy: { rules: [{ action: "Shout", onExitCodes: { operator: "In", values: [0] } }] },
        }),
      ],
      ["a CronJob has a schedule", "batch/v1:cronjobs", cronJob({ schedule: "" })],
      ["a CronJob's schedule is one", "batch/v1:cronjobs", cronJob({ schedule: "* * * *" })],
      [
        "a CronJob's schedule has minutes of an hour",
        "batch/v1:cronjobs",
        cronJob({ schedule: "61 * * * *" }),
      ],
      [
        "a CronJob's schedule by its name has no blanks",
        "batch/v1:cronjobs",
        cronJob({ schedule: "@daily " }),
      ],
      ["a CronJob's schedule holds no zone", "batch/v1:cronjobs", cronJob({ schedule: "TZ=UTC 0 * * * *" })],
      ["a CronJob's zone exists", "batch/v1:cronjobs", cronJob({ timeZone: "Mars/Base" })],
      ["a CronJob in a zone", "batch/v1:cronjobs", cronJob({ timeZone: "Europe/Berlin" })],
      [
        "a CronJob's concurrency is one of three",
        "batch/v1:cronjobs",
        cronJob({ concurrencyPolicy: "Often" }),
      ],
      [
        "a CronJob's deadline is not negative",
        "batch/v1:cronjobs",
        cronJob({ startingDeadlineSeconds: -1, successfulJobsHistoryLimit: -1, failedJobsHistoryLimit: -1 }),
      ],
      [
        "a CronJob's name leaves room for its jobs",
        "batch/v1:cronjobs",
        { ...cronJob({}), metadata: { name: "a".repeat(53) } },
      ],
      [
        "a CronJob's template is validated",
        "batch/v1:cronjobs",
        cronJob({ jobTemplate: { spec: { template: pods({ restartPolicy: "Always" }) } } }),
      ],
    ]),
    conforms("a Job keeps its template, selector and completions", async (stage) => {
      await stage.prepare(stage.path("batch/v1:jobs"), job({ completions: 2 }));
      const path = stage.path("batch/v1:jobs/a");
      await stage.patch(path, { spec: { completions: 3 } });
      await stage.patch(path, { spec: { selector: { matchLabels: { a: "b" } } } });
      await stage.patch(path, { spec: { template: { spec: { restartPolicy: "OnFailure" } } } });
      await stage.patch(path, { spec: { completionMode: "Indexed" } });
    }),
  ],
};
