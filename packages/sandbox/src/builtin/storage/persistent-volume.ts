import { formatTime } from "@keelson/core";
import type { PersistentVolume, PersistentVolumeSpec } from "@keelson/core/kinds/core/v1";
import type { VolumeAttachment } from "@keelson/core/kinds/storage/v1";
import type { Strategy } from "../../resource/strategy.ts";
import {
  type FieldProblem,
  forbiddenField,
  invalidValue,
  keyed,
  notSupported,
  required,
} from "../../status/field-problem.ts";
import { builtinStrategy, type Given } from "../builtin-strategy.ts";
import { normalizeAmounts, readAmount } from "../pod/resource-requirements.ts";
import { nodeSelectorProblems } from "../pod/scheduling-validation.ts";
import { dnsSubdomain, immutableField, requiredText } from "../value-problems.ts";
import { inOrder } from "../workload/workload-validation.ts";
import { accessModesProblems, volumeModes } from "./claim-validation.ts";
import { persistentSourceProblems, persistentSources } from "./volume-sources.ts";

type GivenSpec = Given<PersistentVolumeSpec>;

const reclaimPolicies = ["Delete", "Recycle", "Retain"];

export const volumeStrategy: Strategy = builtinStrategy<PersistentVolume>({
  setDefaults(volume) {
    volume.spec ??= {};
    volume.spec.persistentVolumeReclaimPolicy ||= "Retain";
    volume.spec.volumeMode ??= "Filesystem";
    normalizeAmounts(volume.spec.capacity);
    if (volume.spec.hostPath !== undefined) volume.spec.hostPath.type ??= "";
    volume.status ??= {};
    volume.status.phase ??= "Pending";
  },
  prepareForCreate(volume, { now }) {
    volume.status = { phase: "Pending", lastPhaseTransitionTime: formatTime(now) };
  },
  validate: ({ spec = {} }) => specProblems(spec),
  validateUpdate: (volume, old) =>
    immutableField(volume.spec?.volumeMode, old.spec?.volumeMode, "spec.volumeMode"),
});

export const volumeAttachmentStrategy: Strategy = builtinStrategy<VolumeAttachment>({
  prepareForCreate(attachment) {
    attachment.status = { attached: false };
  },
  validateUpdate: ({ spec }, { spec: old }) => immutableField(spec, old, "spec"),
});

function specProblems(spec: GivenSpec): readonly FieldProblem[] {
  const { persistentVolumeReclaimPolicy: policy = "", volumeMode, hostPath, storageClassName } = spec;
  const isRoot = hostPath !== undefined && /^\/+(\.\/*)*$/.test(hostPath.path ?? "");
  const recycled = "may not be 'recycle' for a hostPath mount of '/'";
  return [
    ...((spec.accessModes ?? []).length === 0
      ? [required("spec.accessModes")]
      : accessModesProblems(spec.accessModes ?? [], "spec.accessModes")),
    ...capacityProblems(spec.capacity ?? {}),
    ...(reclaimPolicies.includes(policy)
      ? []
      : [notSupported("spec.persistentVolumeReclaimPolicy", policy, reclaimPolicies)]),
    ...affinityProblems(spec),
    ...sourceProblems(spec),
    ...(isRoot && policy === "Recycle"
      ? [forbiddenField("spec.persistentVolumeReclaimPolicy", recycled)]
      : []),
    ...(storageClassName ? dnsSubdomain(storageClassName, "spec.storageClassName") : []),
    ...(volumeMode === undefined || volumeModes.includes(volumeMode)
      ? []
      : [notSupported("spec.volumeMode", volumeMode, volumeModes)]),
    ...attributesClassProblems(spec),
  ];
}

/** The size is all that a volume has. */
function capacityProblems(capacity: Readonly<Record<string, string>>): readonly FieldProblem[] {
  const names = Object.keys(capacity);
  const isSize = names.length === 1 && names[0] === "storage";
  return [
    ...(names.length === 0 ? [required("spec.capacity")] : []),
    ...(isSize
      ? []
      : [notSupported("spec.capacity", names.length === 0 ? null : inOrder(capacity), ["storage"])]),
    ...Object.entries(capacity).flatMap(([name, amount]) => {
      const field = keyed("spec.capacity", name);
      const nanos = readAmount(amount)?.nanos ?? 0n;
      // Parts of a unit count as a whole one, away from zero for what is negative.
      const units = Number(nanos / 1_000_000_000n) - (nanos % 1_000_000_000n < 0n ? 1 : 0);
      return [
        ...(units < 0 ? [invalidValue(field, units, "must be a valid resource quantity")] : []),
        ...(nanos <= 0n ? [invalidValue(field, amount, "must be greater than zero")] : []),
      ];
    }),
  ];
}

function affinityProblems({ nodeAffinity }: GivenSpec): readonly FieldProblem[] {
  if (nodeAffinity === undefined) return [];
  const field = "spec.nodeAffinity.required";
  return nodeAffinity.required === undefined
    ? [required(field, "must specify required node constraints")]
    : nodeSelectorProblems(nodeAffinity.required, field);
}

/** The first source is checked; a FlexVolume always. */
function sourceProblems(spec: GivenSpec): readonly FieldProblem[] {
  const given = persistentSources.filter((name) => spec[name] !== undefined);
  if (given.length === 0) return [required("spec", "must specify a volume type")];
  return given.flatMap((name, index) => {
    if (index > 0 && name !== "flexVolume") {
      const shown = name === "cephfs" ? "cephFS" : name;
      return [forbiddenField(`spec.${shown}`, "may not specify more than 1 volume type")];
    }
    const place = name === "gcePersistentDisk" ? "persistentDisk" : name;
    const problems = persistentSourceProblems(name, spec[name] ?? {}, `spec.${place}`);
    if (name !== "local" || spec.nodeAffinity !== undefined) return problems;
    return [...problems, required("spec.nodeAffinity", "Local volume requires node affinity")];
  });
}

function attributesClassProblems({
  volumeAttributesClassName: name,
  csi,
}: GivenSpec): readonly FieldProblem[] {
  if (name === undefined) return [];
  const field = "spec.volumeAttributesClassName";
  const detail = "has to be specified when using volumeAttributesClassName";
  return [
    ...(name === ""
      ? [required(field, "an empty string is disallowed")]
      : requiredText(name, field, dnsSubdomain)),
    ...(csi === undefined ? [required("spec.csi", detail)] : []),
  ];
}
