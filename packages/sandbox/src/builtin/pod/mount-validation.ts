import type { Container, VolumeDevice, VolumeMount } from "@keelson/core/kinds/core/v1";
import {
  type FieldProblem,
  forbiddenField,
  indexed,
  invalidValue,
  notSupported,
  required,
} from "../../status/field-problem.ts";
import type { Given } from "../builtin-strategy.ts";
import { textOf } from "../value-problems.ts";
import { type CheckedVolumes, innerPathProblems } from "./volume-validation.ts";

type GivenContainer = Given<Container>;
type GivenMount = Given<VolumeMount>;
type Volumes = CheckedVolumes["byName"];

/** Where a container finds its volumes: as folders, and as devices. No volume and no path may be both. */
export function mountsProblems(
  container: GivenContainer,
  volumes: Volumes,
  field: string,
): readonly FieldProblem[] {
  const { volumeMounts = [], volumeDevices = [] } = container;
  const taken = {
    names: new Set(volumeDevices.map(({ name }) => textOf(name))),
    paths: new Set(volumeDevices.map(({ devicePath = "" }) => devicePath)),
  };
  const paths = new Set<string>();
  const problems: FieldProblem[] = [];
  for (const [index, mount] of volumeMounts.entries()) {
    const place = indexed(`${field}.volumeMounts`, index);
    const { mountPath = "" } = mount;
    const name = textOf(mount.name);
    if (name === "") problems.push(required(`${place}.name`));
    if (!volumes.has(name)) problems.push(notFound(`${place}.name`, name));
    if (mountPath === "") problems.push(required(`${place}.mountPath`));
    if (paths.has(mountPath)) problems.push(invalidValue(`${place}.mountPath`, mountPath, "must be unique"));
    paths.add(mountPath);
    if (taken.names.has(name)) {
      problems.push(invalidValue(`${place}.name`, name, "must not already exist in volumeDevices"));
    }
    if (taken.paths.has(mountPath)) {
      const detail = "must not already exist as a path in volumeDevices";
      problems.push(invalidValue(`${place}.mountPath`, mountPath, detail));
    }
    problems.push(...mountOptionProblems(mount, container, `${field}.volumeMounts`, place));
  }
  return [...problems, ...devicesProblems(volumeDevices, volumeMounts, volumes, `${field}.volumeDevices`)];
}

/** The field of most of these problems has no index of the mount: the real server leaves it out. */
function mountOptionProblems(
  mount: GivenMount,
  { securityContext }: GivenContainer,
  field: string,
  place: string,
): readonly FieldProblem[] {
  const { subPath = "", subPathExpr = "", mountPropagation: propagation } = mount;
  const problems: FieldProblem[] = [];
  if (subPath !== "") problems.push(...innerPathProblems(subPath, `${field}.subPath`));
  if (subPathExpr !== "") {
    if (subPath !== "") {
      const detail = "subPathExpr and subPath are mutually exclusive";
      problems.push(invalidValue(`${place}.subPathExpr`, subPathExpr, detail));
    }
    problems.push(...innerPathProblems(subPathExpr, `${field}.subPathExpr`));
  }
  if (propagation !== undefined && !propagations.includes(propagation)) {
    problems.push(notSupported(`${field}.mountPropagation`, propagation, propagations));
  } else if (propagation === "Bidirectional" && securityContext?.privileged !== true) {
    const detail = "Bidirectional mount propagation is available only to privileged containers";
    problems.push(forbiddenField(`${field}.mountPropagation`, detail));
  }
  return [...problems, ...recursionProblems(mount, `${field}.recursiveReadOnly`)];
}

const propagations = ["Bidirectional", "HostToContainer", "None"];
const recursions = ["Disabled", "Enabled", "IfPossible"];

function recursionProblems(
  { recursiveReadOnly: recursion, readOnly, mountPropagation = "None" }: GivenMount,
  field: string,
): readonly FieldProblem[] {
  if (recursion === undefined || recursion === "Disabled") return [];
  if (!recursions.includes(recursion)) return [notSupported(field, recursion, recursions)];
  const problems: FieldProblem[] = [];
  if (readOnly !== true) problems.push(forbiddenField(field, "may only be specified when readOnly is true"));
  if (mountPropagation !== "None") {
    const detail = "may only be specified when mountPropagation is None or not specified";
    problems.push(forbiddenField(field, detail));
  }
  return problems;
}

function devicesProblems(
  devices: readonly Given<VolumeDevice>[],
  mounts: readonly GivenMount[],
  volumes: Volumes,
  field: string,
): readonly FieldProblem[] {
  const names = new Set<string>();
  const paths = new Set<string>();
  return devices.flatMap(({ name: sentName, devicePath = "" }, index) => {
    const name = textOf(sentName);
    const place = indexed(field, index);
    const wrongName = (detail: string): FieldProblem => invalidValue(`${place}.name`, name, detail);
    const wrongPath = (detail: string): FieldProblem =>
      invalidValue(`${place}.devicePath`, devicePath, detail);
    const problems: FieldProblem[] = [];
    const volume = volumes.get(name);
    if (name === "") problems.push(required(`${place}.name`));
    if (names.has(name)) problems.push(wrongName("must be unique"));
    names.add(name);
    if (volume === undefined) problems.push(notFound(`${place}.name`, name));
    else if (volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined) {
      const detail = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
      problems.push(wrongName(detail));
    }
    if (devicePath === "") problems.push(required(`${place}.devicePath`));
    if (paths.has(devicePath)) problems.push(wrongPath("must be unique"));
    if (devicePath.split("/").includes("..")) problems.push(wrongPath("can not contain backsteps ('..')"));
    else paths.add(devicePath);
    if (mounts.some((mount) => mount.name === name)) {
      problems.push(wrongName("must not already exist in volumeMounts"));
    }
    if (mounts.some((mount) => mount.mountPath === devicePath)) {
      problems.push(wrongPath("must not already exist as a path in volumeMounts"));
    }
    return problems;
  });
}

function notFound(field: string, value: string): FieldProblem {
  return { type: "FieldValueNotFound", field, value, detail: "" };
}
