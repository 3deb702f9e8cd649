import type { DownwardAPIVolumeFile, KeyToPath, Volume } from "@keelson/core/kinds/core/v1";
import {
  duplicateValue,
  type FieldProblem,
  forbiddenField,
  indexed,
  invalidValue,
  notSupported,
  required,
} from "../../status/field-problem.ts";
import type { Given } from "../builtin-strategy.ts";
import { claimSpecProblems } from "../storage/claim-validation.ts";
import { driverNameProblems, podSourceProblems } from "../storage/volume-sources.ts";
import { dnsLabel, dnsSubdomain, requiredText, textOf } from "../value-problems.ts";
import { fieldRefProblems, resourceRefProblems } from "./env-validation.ts";
import { readAmount } from "./resource-requirements.ts";

type GivenVolume = Given<Volume>;
type Projected = NonNullable<GivenVolume["projected"]>;

/** The volumes without problems, which containers may mount, and the problems of the remaining volumes. */
export interface CheckedVolumes {
  readonly byName: ReadonlyMap<string, GivenVolume>;
  readonly problems: readonly FieldProblem[];
}

export function checkVolumes(
  volumes: readonly GivenVolume[] | undefined,
  field: string,
  isPod: boolean,
): CheckedVolumes {
  const byName = new Map<string, GivenVolume>();
  const problems: FieldProblem[] = [];
  for (const [index, volume] of (volumes ?? []).entries()) {
    const own = volumeProblems(volume, indexed(field, index), isPod);
    const name = textOf(volume.name);
    if (byName.has(name)) own.push(duplicateValue(`${indexed(field, index)}.name`, name));
    if (own.length === 0) byName.set(name, volume);
    else problems.push(...own);
  }
  return { byName, problems };
}

function volumeProblems(volume: GivenVolume, field: string, isPod: boolean): FieldProblem[] {
  return [...sourceProblems(volume, field, isPod), ...requiredText(volume.name, `${field}.name`, dnsLabel)];
}

/** In the order in which the server looks for them. */
const sources = [
  "emptyDir",
  "hostPath",
  "gitRepo",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "secret",
  "nfs",
  "iscsi",
  "glusterfs",
  "persistentVolumeClaim",
  "rbd",
  "cinder",
  "cephfs",
  "quobyte",
  "flocker",
  "downwardAPI",
  "fc",
  "flexVolume",
  "azureFile",
  "configMap",
  "vsphereVolume",
  "azureDisk",
  "photonPersistentDisk",
  "projected",
  "portworxVolume",
  "scaleIO",
  "storageos",
  "csi",
  "ephemeral",
  "image",
] as const satisfies readonly (keyof Volume)[];

function sourceProblems(volume: GivenVolume, field: string, isPod: boolean): readonly FieldProblem[] {
  const given = sources.filter((source) => volume[source] !== undefined);
  const [first, ...rest] = given;
  if (first === undefined) return [required(field, "must specify a volume type")];
  return [
    ...(podSourceProblems(first, volume[first] ?? {}, `${field}.${placeOf(first)}`) ??
      problemsOfSource({ [first]: volume[first] }, field, isPod)),
    ...rest.map((source) => forbiddenField(`${field}.${source}`, "may not specify more than 1 volume type")),
  ];
}

/** Like the real server, messages have another name for one source. */
function placeOf(source: (typeof sources)[number]): string {
  return source === "gcePersistentDisk" ? "persistentDisk" : source;
}

/** Checks the sources that pods alone have. */
function problemsOfSource(volume: GivenVolume, field: string, isPod: boolean): readonly FieldProblem[] {
  const { configMap, secret, emptyDir, gitRepo, persistentVolumeClaim, projected } = volume;
  const { downwardAPI, csi, ephemeral, image } = volume;
  if (configMap !== undefined) {
    return [
      ...need(configMap, ["name"], `${field}.configMap`),
      ...filesProblems(configMap, `${field}.configMap`),
    ];
  }
  if (secret !== undefined) {
    return [...need(secret, ["secretName"], `${field}.secret`), ...filesProblems(secret, `${field}.secret`)];
  }
  if (gitRepo !== undefined) {
    return [
      ...need(gitRepo, ["repository"], `${field}.gitRepo`),
      ...innerPathProblems(gitRepo.directory ?? "", `${field}.gitRepo.directory`),
    ];
  }
  if (emptyDir !== undefined) return emptyDirProblems(emptyDir, `${field}.emptyDir`);
  if (persistentVolumeClaim !== undefined) {
    return need(persistentVolumeClaim, ["claimName"], `${field}.persistentVolumeClaim`);
  }
  if (csi !== undefined) {
    const { driver = "", nodePublishSecretRef } = csi;
    return [
      ...driverNameProblems(driver, `${field}.csi.driver`),
      ...(nodePublishSecretRef === undefined
        ? []
        : requiredText(nodePublishSecretRef.name, `${field}.csi.nodePublishSecretRef.name`, dnsSubdomain)),
    ];
  }
  if (downwardAPI !== undefined) return downwardProblems(downwardAPI, `${field}.downwardAPI`);
  if (projected !== undefined) return projectedProblems(projected, `${field}.projected`);
  if (ephemeral !== undefined) {
    const place = `${field}.ephemeral.volumeClaimTemplate`;
    return ephemeral.volumeClaimTemplate === undefined
      ? [required(place)]
      : claimSpecProblems(ephemeral.volumeClaimTemplate.spec ?? {}, `${place}.spec`);
  }
  return image === undefined ? [] : imageProblems(image, `${field}.image`, isPod);
}

const pullPolicies = ["Always", "IfNotPresent", "Never"];

function imageProblems(
  image: NonNullable<GivenVolume["image"]>,
  field: string,
  isPod: boolean,
): readonly FieldProblem[] {
  const { pullPolicy = "" } = image;
  return [
    // A template may leave the claim to a controller or webhook that changes the pods.
    ...(isPod ? need(image, ["reference"], field) : []),
    ...(pullPolicies.includes(pullPolicy)
      ? []
      : [notSupported(`${field}.pullPolicy`, pullPolicy, pullPolicies)]),
  ];
}

function need<Name extends string>(
  source: Readonly<Partial<Record<Name, unknown>>>,
  names: readonly Name[],
  field: string,
): readonly FieldProblem[] {
  return names.flatMap((name) =>
    source[name] === undefined || source[name] === "" ? [required(`${field}.${name}`)] : [],
  );
}

function emptyDirProblems(
  { sizeLimit }: NonNullable<GivenVolume["emptyDir"]>,
  field: string,
): readonly FieldProblem[] {
  const limit = sizeLimit === undefined ? undefined : readAmount(sizeLimit);
  return limit !== undefined && limit.nanos < 0n
    ? [forbiddenField(`${field}.sizeLimit`, "SizeLimit field must be a valid resource quantity")]
    : [];
}

type Projection = NonNullable<Projected["sources"]>[number];

/** Files from the keys of a ConfigMap or Secret. */
function filesProblems(
  {
    defaultMode,
    items = [],
  }: { readonly defaultMode?: number; readonly items?: readonly Given<KeyToPath>[] },
  field: string,
): readonly FieldProblem[] {
  return [
    ...modeProblems(defaultMode, `${field}.defaultMode`),
    ...items.flatMap((item, index) => keyToPathProblems(item, indexed(`${field}.items`, index))),
  ];
}

function keyToPathProblems(
  { key = "", path = "", mode }: Given<KeyToPath>,
  field: string,
): readonly FieldProblem[] {
  return [
    ...(key === "" ? [required(`${field}.key`)] : []),
    ...filePathProblems(path, `${field}.path`),
    ...modeProblems(mode, `${field}.mode`),
  ];
}

/** Files with fields of the pod. A problem names the volume, not the file, as on the real server. */
function downwardProblems(
  { defaultMode, items = [] }: NonNullable<GivenVolume["downwardAPI"]>,
  field: string,
): readonly FieldProblem[] {
  return [
    ...modeProblems(defaultMode, `${field}.defaultMode`),
    ...items.flatMap((item) => downwardFileProblems(item, field)),
  ];
}

const fieldPaths = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
];

function downwardFileProblems(
  { path = "", mode, fieldRef, resourceFieldRef }: Given<DownwardAPIVolumeFile>,
  field: string,
): readonly FieldProblem[] {
  const problems: FieldProblem[] = [...filePathProblems(path, `${field}.path`)];
  if (fieldRef !== undefined) {
    problems.push(...fieldRefProblems(fieldRef, fieldPaths, `${field}.fieldRef`));
    if (resourceFieldRef !== undefined) {
      const detail = "fieldRef and resourceFieldRef can not be specified simultaneously";
      problems.push(invalidValue(field, "resource", detail));
    }
  } else if (resourceFieldRef === undefined) {
    problems.push(required(field, "one of fieldRef and resourceFieldRef is required"));
  } else if (resourceFieldRef.containerName === undefined || resourceFieldRef.containerName === "") {
    problems.push(required(`${field}.resourceFieldRef.containerName`));
  } else {
    problems.push(...resourceRefProblems(resourceFieldRef, `${field}.resourceFieldRef`));
  }
  return [...problems, ...modeProblems(mode, `${field}.mode`)];
}

/** Files of several sources in one folder, no two of them at one path. */
function projectedProblems({ defaultMode, sources }: Projected, field: string): readonly FieldProblem[] {
  const paths = new Set<string>();
  const problems: FieldProblem[] = [...modeProblems(defaultMode, `${field}.defaultMode`)];
  for (const [index, projection] of (sources ?? []).entries()) {
    const place = indexed(`${field}.sources`, index);
    problems.push(...projectionProblems(projection, field, place));
    for (const [path, shown] of pathsOf(projection)) {
      if (path === "") continue;
      if (paths.has(path)) problems.push(invalidValue(field, shown, "conflicting duplicate paths"));
      paths.add(path);
    }
    if (Object.values(projection).filter((source) => source !== undefined).length > 1) {
      problems.push(forbiddenField(place, "may not specify more than 1 volume type per source"));
    }
  }
  return problems;
}

function projectionProblems(projection: Projection, field: string, place: string): readonly FieldProblem[] {
  const { secret, configMap, downwardAPI, serviceAccountToken } = projection;
  const problems: FieldProblem[] = [];
  if (secret !== undefined) problems.push(...namedFilesProblems(secret, `${place}.secret`));
  if (configMap !== undefined) problems.push(...namedFilesProblems(configMap, `${place}.configMap`));
  if (downwardAPI !== undefined) problems.push(...downwardProblems(downwardAPI, `${place}.downwardAPI`));
  if (serviceAccountToken === undefined) return problems;
  const { expirationSeconds = 3600, path = "" } = serviceAccountToken;
  const lifetime = `${place}.serviceAccountToken.expirationSeconds`;
  if (expirationSeconds < 600) {
    const detail = "may not specify a duration less than 10 minutes";
    problems.push(invalidValue(lifetime, expirationSeconds, detail));
  }
  if (expirationSeconds > 2 ** 32) {
    const detail = "may not specify a duration larger than 2^32 seconds";
    problems.push(invalidValue(lifetime, expirationSeconds, detail));
  }
  // Of the volume, not of the source: as the server says it.
  return [...problems, ...filePathProblems(path, `${field}.path`)];
}

function namedFilesProblems(
  source: { readonly name?: string; readonly items?: readonly Given<KeyToPath>[] },
  field: string,
): readonly FieldProblem[] {
  const { name, items = [] } = source;
  return [...(name ? [] : [required(`${field}.name`)]), ...filesProblems({ items }, field)];
}

/** The paths of a source, each with what the server shows where another source has it too. */
function pathsOf({ secret, configMap, downwardAPI }: Projection): readonly (readonly [string, string])[] {
  const named = [secret, configMap].flatMap((source) =>
    (source?.items ?? []).map(({ path = "" }) => [path, textOf(source?.name)] as const),
  );
  return [...named, ...(downwardAPI?.items ?? []).map(({ path = "" }) => [path, path] as const)];
}

function filePathProblems(path: string, field: string): readonly FieldProblem[] {
  const isReserved = path.startsWith("..") && !path.startsWith("../");
  return [
    ...(path === "" ? [required(field)] : []),
    ...innerPathProblems(path, field),
    ...(isReserved ? [invalidValue(field, path, "must not start with '..'")] : []),
  ];
}

function modeProblems(mode: number | undefined, field: string): readonly FieldProblem[] {
  return mode === undefined || (mode >= 0 && mode <= 0o777)
    ? []
    : [invalidValue(field, mode, "must be a number between 0 and 0777 (octal), both inclusive")];
}

/** A path below something: relative, and never up. */
export function innerPathProblems(path: string, field: string): readonly FieldProblem[] {
  const absolute = path.startsWith("/") ? [invalidValue(field, path, "must be a relative path")] : [];
  return [...absolute, ...backstepProblems(path, field)];
}

function backstepProblems(path: string, field: string): readonly FieldProblem[] {
  return path.split("/").includes("..") ? [invalidValue(field, path, "must not contain '..'")] : [];
}
