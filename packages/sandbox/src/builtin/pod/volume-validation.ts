import type { Volume } from "@keelson/core/kinds/core/v1";
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
import { claimSpecProblems } from "../storage/claim-validation.ts";
import { dnsLabel, dnsSubdomain } from "../value-problems.ts";
import { downwardProblems, filesProblems, projectedProblems } from "./file-volume-validation.ts";
import { backstepProblems } from "./inner-path.ts";
import { readAmount } from "./resource-amounts.ts";

type GivenVolume = Given<Volume>;

/** The volumes without problems, which containers may mount, and the problems of the others. */
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
    const { name = "" } = volume;
    if (byName.has(name)) own.push(duplicateValue(`${indexed(field, index)}.name`, name));
    if (own.length === 0) byName.set(name, volume);
    else problems.push(...own);
  }
  return { byName, problems };
}

function volumeProblems(volume: GivenVolume, field: string, isPod: boolean): FieldProblem[] {
  const { name = "" } = volume;
  const nameProblems = name === "" ? [required(`${field}.name`)] : dnsLabel(name, `${field}.name`);
  return [...sourceProblems(volume, field, isPod), ...nameProblems];
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
  const [first, ...others] = given;
  if (first === undefined) return [required(field, "must specify a volume type")];
  return [
    ...problemsOfSource({ [first]: volume[first] }, field, isPod),
    ...others.map((source) =>
      forbiddenField(`${field}.${source}`, "may not specify more than 1 volume type"),
    ),
  ];
}

/** Of the sources that pods in tests and small clusters use; others are taken as they are. */
function problemsOfSource(volume: GivenVolume, field: string, isPod: boolean): readonly FieldProblem[] {
  const { configMap, secret, hostPath, emptyDir, persistentVolumeClaim, nfs, projected } = volume;
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
  if (hostPath !== undefined) return hostPathProblems(hostPath, `${field}.hostPath`);
  if (emptyDir !== undefined) return emptyDirProblems(emptyDir, `${field}.emptyDir`);
  if (persistentVolumeClaim !== undefined) {
    return need(persistentVolumeClaim, ["claimName"], `${field}.persistentVolumeClaim`);
  }
  if (nfs !== undefined) return nfsProblems(nfs, `${field}.nfs`);
  if (csi !== undefined) {
    const { driver = "" } = csi;
    return driver === "" ? [required(`${field}.csi.driver`)] : dnsSubdomain(driver, `${field}.csi.driver`);
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

function nfsProblems(nfs: NonNullable<GivenVolume["nfs"]>, field: string): readonly FieldProblem[] {
  const { path = "" } = nfs;
  const isRelative = path !== "" && !path.startsWith("/");
  return [
    ...need(nfs, ["server", "path"], field),
    ...(isRelative ? [invalidValue(`${field}.path`, path, "must be an absolute path")] : []),
  ];
}

const pullPolicies = ["Always", "IfNotPresent", "Never"];

function imageProblems(
  image: NonNullable<GivenVolume["image"]>,
  field: string,
  isPod: boolean,
): readonly FieldProblem[] {
  const { pullPolicy = "" } = image;
  return [
    // A template may leave it to whoever changes the pods.
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
