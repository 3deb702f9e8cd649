import { type ApplyConfiguration, type Stored, textResources } from "keelson";
import type { Job } from "keelson/kinds/batch/v1";
import { imagePullPolicyOf } from "keelson/object";
import type { BackUp } from "../../api/back-up.ts";
import { backupLabel } from "../../api/names.ts";
import type { BackUpSpec, BackUpVolume } from "../../api/spec.ts";

export const containerName = "backup";

type PodTemplate = NonNullable<NonNullable<ApplyConfiguration<Job>["spec"]>["template"]>;

/** The labels of every object of a BackUp. */
export function makeLabels(backup: string): Readonly<Record<string, string>> {
  return { [backupLabel]: backup, "app.kubernetes.io/managed-by": "keelson-backup" };
}

/** The template of the workers. */
export function makePodTemplate({ metadata: { name }, spec }: Stored<BackUp>): PodTemplate {
  const { podLabels, podAnnotations, serviceAccountName, imagePullSecrets, volumes } = spec;
  return {
    metadata: {
      labels: { ...podLabels, ...makeLabels(name) },
      ...(podAnnotations !== undefined && { annotations: podAnnotations }),
    },
    spec: {
      restartPolicy: "Never",
      // A worker needs the API only if the user chose a ServiceAccount for it.
      automountServiceAccountToken: serviceAccountName !== undefined,
      // An empty name is stated too: an account that another writer chose would run the workers with its permissions.
      serviceAccountName: serviceAccountName ?? "",
      ...(imagePullSecrets !== undefined && { imagePullSecrets }),
      containers: [makeContainer(spec)],
      ...(volumes !== undefined && { volumes: makeVolumes(volumes) }),
    },
  };
}

function makeContainer(spec: BackUpSpec) {
  const { image, backupType, command, args, resources, env, envFrom, volumes } = spec;
  return {
    name: containerName,
    image,
    imagePullPolicy: imagePullPolicyOf(image),
    command: command ?? ["/run/backup", `--type=${backupType}`],
    ...(args !== undefined && { args }),
    ...(resources !== undefined && { resources: textResources(resources) }),
    ...(env !== undefined && { env }),
    ...(envFrom !== undefined && { envFrom }),
    ...(volumes !== undefined && {
      volumeMounts: volumes.map(({ name, mountPath, readOnly, subPath }) => ({
        ...{ name, mountPath },
        ...(readOnly !== undefined && { readOnly }),
        ...(subPath !== undefined && { subPath }),
      })),
    }),
  };
}

function makeVolumes(volumes: readonly BackUpVolume[]) {
  return volumes.map(({ mountPath: _, readOnly: __, subPath: ___, emptyDir, ...volume }) => ({
    ...volume,
    ...(emptyDir !== undefined && { emptyDir: makeEmptyDir(emptyDir) }),
  }));
}

function makeEmptyDir({ sizeLimit, ...rest }: NonNullable<BackUpVolume["emptyDir"]>) {
  return { ...rest, ...(sizeLimit !== undefined && { sizeLimit: String(sizeLimit) }) };
}
