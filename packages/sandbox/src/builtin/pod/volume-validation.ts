import type { KeyToPath, Volume } from "@keelson/core/kinds/core/v1";
import {
  duplicateValue,
  type FieldProblem,
  forbiddenField,
  indexed,
  invalidValue,
  notSupported,
  required,
} from "../../status/field-problem.ts";
import type { Given } from "../given.ts";
import { dnsLabel } from "../value-problems.ts";
import { readAmount } from "./resource-amounts.ts";

type GivenVolume = Given<Volume>;

/** The volumes without problems, which containers may mount, and the problems of the others. */
export interface CheckedVolumes {
  readonly byName: ReadonlyMap<string, GivenVolume>;
  readonly problems: readonly FieldProblem[];
}

export function checkVolumes(volumes: readonly GivenVolume[] | undefined, field: string): CheckedVolumes {
  const byName = new Map<string, GivenVolume>();
  const problems: FieldProblem[] = [];
  for (const [index, volume] of (volumes ?? []).entries()) {
    const own = volumeProblems(volume, indexed(field, index));
    const { name = "" } = volume;
    if (byName.has(name)) own.push(duplicateValue(`${indexed(field, index)}.name`, name));
    if (own.length === 0) byName.set(name, volume);
    else problems.push(...own);
  }
  return { byName, problems };
}

function volumeProblems(volume: GivenVolume, field: string): FieldProblem[] {
  const { name = "" } = volume;
  const nameProblems = name === "" ? [required(`${field}.name`)] : dnsLabel(name, `${field}.name`);
  return [...sourceProblems(volume, field), ...nameProblems];
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

function sourceProblems(volume: GivenVolume, field: string): readonly FieldProblem[] {
  const given = sources.filter((source) => volume[source] !== undefined);
  const [first, ...others] = given;
  if (first === undefined) return [required(field, "must specify a volume type")];
  return [
    ...problemsOfSource({ [first]: volume[first] }, field),
    ...others.map((source) =>
      forbiddenField(`${field}.${source}`, "may not specify more than 1 volume type"),
    ),
  ];
}

/** Of the sources that pods in tests and small clusters use; others are taken as they are. */
function problemsOfSource(volume: GivenVolume, field: string): readonly FieldProblem[] {
  const { configMap, secret, hostPath, emptyDir, persistentVolumeClaim, nfs, projected, downwardAPI, csi } =
    volume;
  if (configMap !== undefined) {
    return [
      ...need(configMap, ["name"], `${field}.configMap`),
      ...filesProblems(configMap, `${field}.configMap`),
    ];
  }
  if (secret !== undefined) {
    return [...need(secret, ["secretName"], `${field}.secret`), ...filesProblems(secret, `${field}.secret`)];
  }
  if (hostPath !== undefined) return hostPathProblems(hostPath, `${field}.hostPath`);
  if (emptyDir !== undefined) return emptyDirProblems(emptyDir, `${field}.emptyDir`);
  if (persistentVolumeClaim !== undefined) {
    return need(persistentVolumeClaim, ["claimName"], `${field}.persistentVolumeClaim`);
  }
  if (nfs !== undefined) return need(nfs, ["server", "path"], `${field}.nfs`);
  if (csi !== undefined) return need(csi, ["driver"], `${field}.csi`);
  if (downwardAPI !== undefined)
    return modeProblems(downwardAPI.defaultMode, `${field}.downwardAPI.defaultMode`);
  if (projected !== undefined) return projectedProblems(projected, `${field}.projected`);
  return [];
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

function hostPathProblems(
  { path = "", type = "" }: NonNullable<GivenVolume["hostPath"]>,
  field: string,
): readonly FieldProblem[] {
  if (path === "") return [required(`${field}.path`)];
  return [
    ...backstepProblems(path, `${field}.path`),
    ...(hostPathTypes.includes(type) ? [] : [notSupported(`${field}.type`, type, [...hostPathTypes].sort())]),
  ];
}

const hostPathTypes = [
  "",
  "DirectoryOrCreate",
  "Directory",
  "FileOrCreate",
  "File",
  "Socket",
  "CharDevice",
  "BlockDevice",
];

function emptyDirProblems(
  { sizeLimit }: NonNullable<GivenVolume["emptyDir"]>,
  field: string,
): readonly FieldProblem[] {
  const limit = sizeLimit === undefined ? undefined : readAmount(sizeLimit);
  return limit !== undefined && limit.nanos < 0n
    ? [forbiddenField(`${field}.sizeLimit`, "SizeLimit field must be a valid resource quantity")]
    : [];
}

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
  const problems: FieldProblem[] = [];
  if (key === "") problems.push(required(`${field}.key`));
  if (path === "") problems.push(required(`${field}.path`));
  problems.push(...innerPathProblems(path, `${field}.path`));
  if (path.startsWith("..") && !path.startsWith("../")) {
    problems.push(invalidValue(`${field}.path`, path, "must not start with '..'"));
  }
  return [...problems, ...modeProblems(mode, `${field}.mode`)];
}

function projectedProblems(
  { defaultMode, sources }: NonNullable<GivenVolume["projected"]>,
  field: string,
): readonly FieldProblem[] {
  const problems: FieldProblem[] = [...modeProblems(defaultMode, `${field}.defaultMode`)];
  for (const [index, projection] of (sources ?? []).entries()) {
    const place = indexed(`${field}.sources`, index);
    const { secret, configMap, serviceAccountToken } = projection;
    if (secret !== undefined) problems.push(...need(secret, ["name"], `${place}.secret`));
    if (configMap !== undefined) problems.push(...need(configMap, ["name"], `${place}.configMap`));
    if (serviceAccountToken === undefined) continue;
    const { expirationSeconds = 3600 } = serviceAccountToken;
    const lifetime = `${place}.serviceAccountToken.expirationSeconds`;
    if (expirationSeconds < 600) {
      problems.push(
        invalidValue(lifetime, expirationSeconds, "may not specify a duration less than 10 minutes"),
      );
    }
    problems.push(...need(serviceAccountToken, ["path"], `${place}.serviceAccountToken`));
  }
  return problems;
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
