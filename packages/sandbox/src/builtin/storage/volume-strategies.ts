import { compareQuantities, deepEqual, formatTime, parseQuantity, type Quantity } from "@keelson/core";
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
} from "@keelson/core/kinds/core/v1";
import type { CSIDriver, StorageClass, VolumeAttachment } from "@keelson/core/kinds/storage/v1";
import { qualifiedNameProblems } from "../../resource/name-problems.ts";
import type { Strategy } from "../../resource/strategy.ts";
import {
  type FieldProblem,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from "../../status/field-problem.ts";
import { builtinStrategy, type Given, type GivenObject } from "../builtin-strategy.ts";
import { internalClaimSpec } from "../pod/internal-form.ts";
import { normalizeAmounts, readAmount } from "../pod/resource-requirements.ts";
import { unifiedDiff } from "../unified-diff.ts";
import { immutableField } from "../value-problems.ts";
import {
  accessModesProblems,
  claimSpecProblems,
  setClaimSpecDefaults,
  volumeModes,
} from "./claim-validation.ts";

type GivenClaimSpec = Given<PersistentVolumeClaimSpec>;

export const claimStrategy: Strategy = builtinStrategy<PersistentVolumeClaim>({
  setDefaults(claim) {
    claim.spec ??= {};
    setClaimSpecDefaults(claim.spec);
    claim.status ??= {};
    claim.status.phase ??= "Pending";
  },
  prepareForCreate(claim) {
    claim.status = { phase: "Pending" };
  },
  validate: ({ spec = {} }) => claimSpecProblems(spec, "spec"),
  validateUpdate: claimUpdateProblems,
});

/** A claim is bound once and for all; only of one that is bound what it requests may change. */
function claimUpdateProblems(
  { spec = {}, status }: GivenObject<PersistentVolumeClaim>,
  { spec: old = {}, status: oldStatus }: GivenObject<PersistentVolumeClaim>,
): readonly FieldProblem[] {
  const { volumeName } = spec;
  const before = old.volumeName || volumeName === undefined ? old : { ...old, volumeName };
  const after = status?.phase === "Bound" ? withRequestsOf(spec, old) : spec;
  const problems: FieldProblem[] = [];
  if (!deepEqual(after, before)) {
    const [oldText, text] = [before, after].map((one) =>
      JSON.stringify(internalClaimSpec(one), undefined, 1),
    );
    const detail =
      "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
    problems.push(forbiddenField("spec", `${detail}\n${unifiedDiff(oldText ?? "", text ?? "")}`));
  }
  const [size, oldSize] = [storageOf(spec.resources?.requests), storageOf(old.resources?.requests)];
  const isShrunk = compareQuantities(size, oldSize) < 0;
  if (isShrunk && compareQuantities(size, storageOf(oldStatus?.capacity)) <= 0) {
    const detail = "field can not be less than status.capacity";
    problems.push(forbiddenField("spec.resources.requests.storage", detail));
  }
  return [...problems, ...immutableField(spec.volumeMode, old.volumeMode, "volumeMode")];
}

function withRequestsOf(spec: GivenClaimSpec, old: GivenClaimSpec): GivenClaimSpec {
  const { volumeAttributesClassName: _class, ...rest } = spec;
  const { volumeAttributesClassName } = old;
  const storage = old.resources?.requests?.["storage"];
  const { requests } = spec.resources ?? {};
  const resources = { ...spec.resources, requests: { ...requests, ...(storage && { storage }) } };
  return {
    ...rest,
    ...(volumeAttributesClassName === undefined ? {} : { volumeAttributesClassName }),
    ...(requests === undefined ? {} : { resources }),
  };
}

function storageOf(amounts: Readonly<Record<string, string>> | undefined): Quantity {
  return readAmount(amounts?.["storage"] ?? "0") ?? parseQuantity("0");
}

/** Matches the field of a volume spec that is its source: any that is not listed here. */
const sourceName =
  /^(?!accessModes|capacity|claimRef|mountOptions|nodeAffinity|persistentVolumeReclaimPolicy|storageClassName|volumeAttributesClassName|volumeMode)/;

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
  validate({ spec = {} }) {
    const { persistentVolumeReclaimPolicy: policy = "", volumeMode, capacity = {} } = spec;
    return [
      ...(spec.accessModes === undefined
        ? [required("spec.accessModes")]
        : accessModesProblems(spec.accessModes, "spec.accessModes")),
      ...(Object.keys(capacity).length === 0
        ? [required("spec.capacity"), notSupported("spec.capacity", spec.capacity ?? null, ["storage"])]
        : []),
      ...(Object.keys(spec).every((name) => !name.match(sourceName))
        ? [required("spec", "must specify a volume type")]
        : []),
      ...(reclaimPolicies.includes(policy)
        ? []
        : [notSupported("spec.persistentVolumeReclaimPolicy", policy, reclaimPolicies)]),
      ...(volumeMode === undefined || volumeModes.includes(volumeMode)
        ? []
        : [notSupported("spec.volumeMode", volumeMode, volumeModes)]),
    ];
  },
  validateUpdate: (volume, old) =>
    immutableField(volume.spec?.volumeMode, old.spec?.volumeMode, "spec.volumeMode"),
});

export const storageClassStrategy: Strategy = builtinStrategy<StorageClass>({
  initialStatus: "none",
  setDefaults(storageClass) {
    storageClass.reclaimPolicy ??= "Delete";
    storageClass.volumeBindingMode ??= "Immediate";
  },
  validate({ provisioner = "", reclaimPolicy = "", volumeBindingMode = "" }) {
    const modes = ["Immediate", "WaitForFirstConsumer"];
    return [
      ...(provisioner === ""
        ? [required("provisioner")]
        : qualifiedNameProblems(provisioner.toLowerCase()).map((detail) =>
            invalidValue("provisioner", provisioner, detail),
          )),
      ...(["Delete", "Retain"].includes(reclaimPolicy)
        ? []
        : [notSupported("reclaimPolicy", reclaimPolicy, ["Delete", "Retain"])]),
      ...(modes.includes(volumeBindingMode)
        ? []
        : [notSupported("volumeBindingMode", volumeBindingMode, modes)]),
    ];
  },
  validateUpdate: (storageClass, old) =>
    (["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"] as const).flatMap((name) =>
      immutableField(storageClass[name], old[name], name),
    ),
});

export const volumeAttachmentStrategy: Strategy = builtinStrategy<VolumeAttachment>({
  prepareForCreate(attachment) {
    attachment.status = { attached: false };
  },
  validateUpdate: ({ spec }, { spec: old }) => immutableField(spec, old, "spec"),
});

const tokensInAttributes =
  "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging " +
  "of tokens in volume attributes";

export const csiDriverStrategy: Strategy = builtinStrategy<CSIDriver>({
  initialStatus: "none",
  // Counted from 0, as the server does for this kind alone.
  prepareForUpdate(driver, old) {
    if (!deepEqual(driver.spec, old.spec)) driver.metadata.generation = (old.metadata.generation ?? 0) + 1;
  },
  warnings({ spec = {} }, old) {
    const { tokenRequests = [], serviceAccountTokenInSecrets } = spec;
    if (tokenRequests.length === 0 || serviceAccountTokenInSecrets !== undefined) return [];
    return deepEqual(tokenRequests, old?.spec?.tokenRequests) ? [] : [tokensInAttributes];
  },
  allowsUnconditionalUpdate: false,
  setDefaults(driver) {
    driver.spec ??= {};
    const { spec } = driver;
    spec.attachRequired ??= true;
    spec.podInfoOnMount ??= false;
    spec.storageCapacity ??= false;
    spec.fsGroupPolicy ??= "ReadWriteOnceWithFSType";
    if ((spec.volumeLifecycleModes ?? []).length === 0) spec.volumeLifecycleModes = ["Persistent"];
    spec.requiresRepublish ??= false;
    spec.seLinuxMount ??= false;
  },
});
