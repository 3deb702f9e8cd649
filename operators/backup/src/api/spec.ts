import {
  duration,
  envSources,
  envVariables,
  imagePullSecrets,
  listMap,
  resourceRequirements,
  rule,
  sized,
  z,
} from "keelson";
import type { EnvSource, EnvVariables, ImagePullSecret, ResourceRequirements } from "keelson/schema";
import { type BackUpVolume, volume } from "./volume.ts";

export type BackupType = "full" | "incremental" | "differential";

export interface Retain {
  readonly successful: number;
  readonly failed: number;
}

interface OptionalSpec {
  /** Default: `/run/backup --type=<backupType>`. */
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly schedule?: string;
  readonly timeZone?: string;
  readonly timeout?: string;
  readonly resources?: ResourceRequirements;
  readonly env?: EnvVariables;
  readonly envFrom?: readonly EnvSource[];
  readonly volumes?: readonly BackUpVolume[];
  readonly serviceAccountName?: string;
  readonly imagePullSecrets?: readonly ImagePullSecret[];
  readonly podLabels?: Readonly<Record<string, string>>;
  readonly podAnnotations?: Readonly<Record<string, string>>;
}

/** What a BackUp asks for, with the defaults filled in. */
export interface BackUpSpec extends OptionalSpec {
  readonly image: string;
  readonly replicas: number;
  readonly backupType: BackupType;
  readonly suspend: boolean;
  readonly retain: Retain;
  readonly retries: number;
  readonly updatePolicy: "Wait" | "Replace";
}

/** What a user may write: what has a default may be left out. */
export interface BackUpSpecInput extends OptionalSpec {
  readonly image: string;
  readonly replicas?: number | undefined;
  readonly backupType?: BackupType | undefined;
  readonly suspend?: boolean | undefined;
  readonly retain?:
    | { readonly successful?: number | undefined; readonly failed?: number | undefined }
    | undefined;
  readonly retries?: number | undefined;
  readonly updatePolicy?: "Wait" | "Replace" | undefined;
}

/** Indexes of workers are in the names of their pods: more of them would leave less of a name to the user. */
const mostWorkers = 1000;

const schedule = [
  {
    rule: "self.matches('^(@[a-z]+( [0-9a-z.]+)?|[^ ]+( +[^ ]+){4})$')",
    message: "must be of five fields, such as 0 3 * * *, or one of those that begin with @, such as @daily",
  },
  { rule: "!self.contains('TZ=')", message: "must not name a time zone; timeZone does" },
].reduce((schema, each) => rule(schema, each), z.string().min(1).max(256));

const timeZone = rule(z.string().min(1).max(64), {
  rule: "self.lowerAscii() != 'local'",
  message: "must be the name of a time zone, such as Europe/Berlin",
});

const timeout = rule(duration().max(64), {
  rule: "self >= duration('1s')",
  message: "must be at least 1s",
});

const ownNames = sized(z.record(z.string(), z.string().max(4096)), { max: 32 });
const podNames = rule(ownNames, {
  rule: "self.all(name, !name.startsWith('backup.keelson.dev/'))",
  message: "must not begin with backup.keelson.dev/, which is the operator's own",
});

const texts = z.array(z.string().max(4096)).max(128);
const name = z.string().min(1).max(253);

export const spec: z.ZodType<BackUpSpec, BackUpSpecInput> = rule(
  z.object({
    image: z.string().min(1).max(500).describe("What makes the backup"),
    replicas: z
      .int32()
      .min(1)
      .max(mostWorkers)
      .default(1)
      .describe("How many workers run at once; each finds its number in JOB_COMPLETION_INDEX"),
    backupType: z.enum(["full", "incremental", "differential"]).default("full"),
    command: texts
      .min(1)
      .exactOptional()
      .describe("What the workers run; /run/backup --type=<backupType> if not given"),
    args: texts.exactOptional(),
    schedule: schedule
      .exactOptional()
      .describe("When it runs, in the syntax of cron; once and at once if not given"),
    timeZone: timeZone.exactOptional().describe("Whose clocks the schedule goes by; Etc/UTC if not given"),
    suspend: z.boolean().default(false).describe("Starts nothing, and ends a run that is not scheduled"),
    retain: z
      .object({
        successful: z.int32().min(0).max(100).default(3),
        failed: z.int32().min(0).max(100).default(1),
      })
      .prefault({})
      .describe("How many runs stay in the history, and of a schedule their Jobs"),
    timeout: timeout.exactOptional().describe("How long a run may take, retries included"),
    retries: z.int32().min(0).max(1000).default(3).describe("How many workers may fail before the run does"),
    resources: resourceRequirements().exactOptional(),
    env: envVariables().exactOptional(),
    envFrom: envSources().exactOptional(),
    volumes: listMap(volume, ["name"]).max(64).exactOptional().describe("What is backed up, and where to"),
    serviceAccountName: name.exactOptional().describe("Without it the workers get no token for the API"),
    imagePullSecrets: imagePullSecrets().exactOptional(),
    podLabels: podNames.exactOptional(),
    podAnnotations: podNames.exactOptional(),
    updatePolicy: z
      .enum(["Wait", "Replace"])
      .default("Wait")
      .describe("Whether a run of an earlier spec may end, or is ended"),
  }),
  { rule: "!has(self.timeZone) || has(self.schedule)", message: "timeZone needs a schedule" },
);
