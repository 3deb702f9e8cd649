import {
  duration,
  envSources,
  envVariables,
  type Immutable,
  imagePullSecrets,
  listMap,
  resourceRequirements,
  rule,
  z,
} from "keelson";
import { podAnnotations, podLabels } from "./pod-metadata.ts";
import { timeZonePattern } from "./time-zone.ts";
import { volume } from "./volume.ts";

/** The index of a worker is part of the name of its pod: more workers would leave fewer characters for the name of a BackUp. */
const mostWorkers = 1000;

const schedule = [
  {
    rule: "self.matches('^(@[a-z]+( [0-9a-z.]+)?|[^ ]+( +[^ ]+){4})$')",
    message: "must be of five fields, such as 0 3 * * *, or one of those that begin with @, such as @daily",
  },
  { rule: "!self.contains('TZ=')", message: "must not name a time zone; timeZone does" },
].reduce((schema, each) => rule(schema, each), z.string().min(1).max(256));

const timeZone = rule(z.string().min(1).max(64), {
  rule: `self.matches('${timeZonePattern}')`,
  message: "must be the name of a time zone, such as Europe/Berlin, in upper and lower case as there",
});

const image = rule(z.string().min(1).max(500), {
  rule: "!self.matches('[[:space:]]')",
  message: "must not contain blanks",
});

/** The server keys the mounts of a container by their paths. */
const volumes = rule(listMap(volume, ["name"]).max(64), {
  rule: "self.all(volume, self.exists_one(other, other.mountPath == volume.mountPath))",
  message: "must not have two volumes with the same mountPath",
});

const timeout = rule(duration().max(64), {
  rule: "self >= duration('1s')",
  message: "must be at least 1s",
});

const texts = z.array(z.string().max(4096)).max(128);
const name = z.string().min(1).max(253);

export const spec = rule(
  z.object({
    image: image.describe("The image of the workers, which make the backup"),
    replicas: z
      .int32()
      .min(1)
      .max(mostWorkers)
      .default(1)
      .describe("How many workers run at once; each has its index in JOB_COMPLETION_INDEX"),
    backupType: z
      .enum(["full", "incremental", "differential"])
      .default("full")
      .describe("Passed to the default command as --type"),
    command: texts
      .min(1)
      .exactOptional()
      .describe("The command of the workers; default: /run/backup --type=<backupType>"),
    args: texts.exactOptional().describe("Arguments of the command"),
    schedule: schedule
      .exactOptional()
      .describe("When it runs, in the syntax of cron; without it, once and at once"),
    timeZone: timeZone.exactOptional().describe("The time zone of the schedule; default: Etc/UTC"),
    suspend: z
      .boolean()
      .default(false)
      .describe("Starts no run; stops the workers of a BackUp without a schedule until it is false"),
    retain: z
      .object({
        successful: z.int32().min(0).max(100).default(3),
        failed: z.int32().min(0).max(100).default(1),
      })
      .prefault({})
      .describe("How many runs the history keeps, and how many Jobs a schedule keeps"),
    timeout: timeout.exactOptional().describe("How long a run may take, retries included"),
    retries: z.int32().min(0).max(1000).default(3).describe("How many workers may fail before the run does"),
    resources: resourceRequirements().exactOptional().describe("As in a container"),
    env: envVariables().exactOptional().describe("As in a container"),
    envFrom: envSources().exactOptional().describe("As in a container"),
    volumes: volumes.exactOptional().describe("Volumes with the data to back up, and with the backups"),
    serviceAccountName: name
      .exactOptional()
      .describe("The ServiceAccount of the workers; without it they get no token for the API"),
    imagePullSecrets: imagePullSecrets().exactOptional().describe("As in a pod"),
    podLabels: podLabels.exactOptional().describe("Further labels of the pods"),
    podAnnotations: podAnnotations.exactOptional().describe("Annotations of the pods"),
    updatePolicy: z
      .enum(["Wait", "Replace"])
      .default("Wait")
      .describe(
        "Whether a run of an earlier spec finishes first (Wait) or is deleted and run anew (Replace)",
      ),
  }),
  { rule: "!has(self.timeZone) || has(self.schedule)", message: "timeZone needs a schedule" },
);

/** The spec of a BackUp, as it is stored: with defaults. */
export type BackUpSpec = Immutable<z.output<typeof spec>>;

/** The spec of a BackUp, as a user writes it: fields with a default are optional. */
export type BackUpSpecInput = Immutable<z.input<typeof spec>>;

export type BackupType = BackUpSpec["backupType"];

export type Retain = BackUpSpec["retain"];

export type BackUpVolume = NonNullable<BackUpSpec["volumes"]>[number];
