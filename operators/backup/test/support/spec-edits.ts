import type { SpecEdits } from "@keelson/testkit";
import { CronJob, Job } from "keelson/kinds/batch/v1";
import { BackUp } from "../../src/api/back-up.ts";

const from = (valueFrom: object) => ({ env: [{ name: "A", valueFrom }] });
const mounted = (source: object) => ({ volumes: [{ name: "data", mountPath: "/data", ...source }] });

/** Edits of a BackUp, which together change every field but those of the schedule. */
const edits: Readonly<Record<string, object>> = {
  "the image": { image: "backup:2" },
  "the image to latest": { image: "backup:latest" },
  "the image to one without a tag": { image: "localhost:5000/backup" },
  "the image to a digest": { image: `backup@sha256:${"a".repeat(64)}` },
  replicas: { replicas: 3 },
  backupType: { backupType: "incremental" },
  command: { command: ["sh", "-c"] },
  "command and args": { command: ["sh"], args: ["-c", "true"] },
  retain: { retain: { successful: 7, failed: 5 } },
  timeout: { timeout: "1h" },
  retries: { retries: 0 },
  resources: { resources: { requests: { cpu: "100m" }, limits: { cpu: 1, memory: "0.5Gi" } } },
  "the value of a variable": { env: [{ name: "A", value: "1" }] },
  "a variable from a field": from({ fieldRef: { fieldPath: "metadata.name" } }),
  "a variable from a Secret": from({ secretKeyRef: { name: "s", key: "k", optional: true } }),
  "a variable from a ConfigMap": from({ configMapKeyRef: { name: "c", key: "k", optional: false } }),
  envFrom: {
    envFrom: [
      { prefix: "A_", configMapRef: { name: "c", optional: true } },
      { secretRef: { name: "s", optional: true } },
    ],
  },
  "a volume of a claim": mounted({
    ...{ readOnly: true, subPath: "a", persistentVolumeClaim: { claimName: "c", readOnly: true } },
  }),
  "a volume of a Secret": mounted({ secret: { secretName: "s", optional: true } }),
  "a volume of a ConfigMap": mounted({ configMap: { name: "c", optional: true } }),
  "an empty volume": mounted({ emptyDir: { medium: "Memory", sizeLimit: "1Gi" } }),
  "a volume by NFS": mounted({ nfs: { server: "n", path: "/a", readOnly: true } }),
  "a volume of the node": mounted({ hostPath: { path: "/a", type: "Directory" } }),
  "another mount path": { volumes: [{ name: "data", mountPath: "/other", emptyDir: {} }] },
  "two volumes": {
    volumes: [
      { name: "more", mountPath: "/data", emptyDir: {} },
      { name: "data", mountPath: "/more", emptyDir: {} },
    ],
  },
  imagePullSecrets: { imagePullSecrets: [{ name: "registry" }] },
  serviceAccountName: { serviceAccountName: "privileged" },
  podLabels: { podLabels: { tier: "storage" } },
  podAnnotations: { podAnnotations: { "example.com/note": "1" } },
  updatePolicy: { updatePolicy: "Replace" },
};

const ofSchedule: Readonly<Record<string, object>> = {
  schedule: { schedule: "@every 1000h" },
  timeZone: { timeZone: "Europe/Berlin" },
  suspend: { suspend: true },
};

/** A Job takes over some fields, and is replaced for others. */
const ofJob: Readonly<Record<string, object>> = {
  replicas: { replicas: 3 },
  timeout: { timeout: "1h" },
  retries: { retries: 0 },
  "the image to latest": { image: "backup:latest" },
  serviceAccountName: { serviceAccountName: "privileged" },
};

function editsOf(base: object, changes: Readonly<Record<string, object>>): SpecEdits["specs"] {
  const specs = Object.entries(changes).map(([title, change]) => [title, { ...base, ...change }]);
  return { "a plain BackUp": base, ...Object.fromEntries(specs) };
}

/** BackUps are taken through specs that together change every field. None of them runs. */
export const specEdits: Readonly<Record<string, SpecEdits>> = {
  "a BackUp with a schedule": {
    resource: BackUp,
    specs: editsOf({ image: "backup:1", schedule: "0 0 1 1 *" }, { ...edits, ...ofSchedule }),
    owned: [Job, CronJob],
  },
  "a BackUp without a schedule": {
    resource: BackUp,
    specs: editsOf({ image: "backup:1", suspend: true }, ofJob),
    owned: [Job, CronJob],
  },
};
