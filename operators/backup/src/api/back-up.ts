import { defineResource, type InputOf, type ObjectOf } from "keelson";
import { spec } from "./spec.ts";
import { status } from "./status.ts";

/** The kind of backups: `kubectl get backups`, or `bks` in short. */
export const BackUp = defineResource({
  group: "backup.keelson.dev",
  version: "v1",
  kind: "BackUp",
  plural: "backups",
  shortNames: ["bks"],
  description: "A backup that runs once or by a schedule",
  spec,
  status,
  rules: [
    {
      // job-<name>-<eight digits of a time>-<the index of a worker> is a host name, of at most 63 characters.
      rule: "self.metadata.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$') && size(self.metadata.name) <= 46",
      message: "the name of a BackUp has no dots and at most 46 characters, as its pods are named after it",
    },
  ],
  printerColumns: [
    { name: "Type", type: "string", jsonPath: ".spec.backupType" },
    { name: "Schedule", type: "string", jsonPath: ".spec.schedule" },
    { name: "Phase", type: "string", jsonPath: ".status.phase" },
    { name: "Active", type: "integer", jsonPath: ".status.active" },
    { name: "Last Success", type: "date", jsonPath: ".status.lastSuccessTime" },
    { name: "Next Run", type: "string", jsonPath: ".status.nextRunTime", priority: 1 },
    { name: "Image", type: "string", jsonPath: ".spec.image", priority: 1 },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
});

export type BackUp = ObjectOf<typeof BackUp>;

/** A BackUp as a user writes it. */
export type NewBackUp = InputOf<typeof BackUp>;
