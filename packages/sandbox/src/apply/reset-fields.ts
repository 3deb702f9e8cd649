import type { FieldNames } from "./object-fields.ts";

/** The resource or subresource that is written. */
interface WrittenPart {
  readonly group: string;
  readonly plural: string;
  readonly isCustom: boolean;
  /** Whether the kind has a status subresource. */
  readonly hasStatus: boolean;
  /** Undefined for the object itself. */
  readonly subresource: string | undefined;
}

/**
 * The fields that a write of this part may contain but never changes, so that it does not own them. Kinds differ in the
 * metadata that they reset; these are the rules of the built-in ones.
 */
export function resetFieldsOf({
  group,
  plural,
  isCustom,
  hasStatus,
  subresource,
}: WrittenPart): readonly FieldNames[] {
  const resource = `${plural}.${group}`;
  if (subresource === undefined) {
    if (resource === "certificatesigningrequests.certificates.k8s.io") return specAndStatus;
    return hasStatus ? status : nothing;
  }
  if (resource === "namespaces." && subresource === "finalize") return status;
  if (subresource === "approval") return approval;
  if (subresource !== "status") return nothing;
  return isCustom ? metadataAndSpec : (statusFields[resource] ?? spec);
}

// Always the same arrays, because the sets made of them are cached by array.
const nothing: readonly FieldNames[] = [];
const status: readonly FieldNames[] = [["status"]];
const spec: readonly FieldNames[] = [["spec"]];
const specAndStatus: readonly FieldNames[] = [["spec"], ["status"]];
const approval: readonly FieldNames[] = [["spec"], ["status", "certificate"]];
const metadataAndSpec: readonly FieldNames[] = [["metadata"], ["spec"]];

const statusFields: Readonly<Record<string, readonly FieldNames[]>> = {
  "deployments.apps": [["spec"], ["metadata", "labels"]],
  "pods.": [["spec"], ["metadata", "deletionTimestamp"], ["metadata", "ownerReferences"]],
  "certificatesigningrequests.certificates.k8s.io": [["spec"], ["status", "conditions"]],
  "validatingadmissionpolicies.admissionregistration.k8s.io": metadataAndSpec,
  "apiservices.apiregistration.k8s.io": metadataAndSpec,
  "flowschemas.flowcontrol.apiserver.k8s.io": metadataAndSpec,
  "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io": metadataAndSpec,
  "servicecidrs.networking.k8s.io": metadataAndSpec,
  "resourceclaims.resource.k8s.io": metadataAndSpec,
  "volumeattachments.storage.k8s.io": metadataAndSpec,
};
