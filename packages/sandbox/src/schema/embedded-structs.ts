/** A Go struct of Kubernetes' API that embeds another one: which fields are its own. */
interface Embedding {
  readonly embedded: string;
  readonly own: readonly string[];
}

const reference = "LocalObjectReference";

/** By the name of the struct. */
const embeddings: Readonly<Record<string, Embedding>> = {
  ConfigMapEnvSource: { embedded: reference, own: ["optional"] },
  ConfigMapKeySelector: { embedded: reference, own: ["key", "optional"] },
  ConfigMapProjection: { embedded: reference, own: ["items", "optional"] },
  ConfigMapVolumeSource: { embedded: reference, own: ["items", "defaultMode", "optional"] },
  SecretEnvSource: { embedded: reference, own: ["optional"] },
  SecretKeySelector: { embedded: reference, own: ["key", "optional"] },
  SecretProjection: { embedded: reference, own: ["items", "optional"] },
  EphemeralContainer: { embedded: "EphemeralContainerCommon", own: ["targetContainerName"] },
  PersistentVolumeSpec: {
    embedded: "PersistentVolumeSource",
    own: [
      "capacity",
      "accessModes",
      "claimRef",
      "persistentVolumeReclaimPolicy",
      "storageClassName",
      "mountOptions",
      "volumeMode",
      "nodeAffinity",
      "volumeAttributesClassName",
    ],
  },
  Probe: {
    embedded: "ProbeHandler",
    own: [
      "initialDelaySeconds",
      "timeoutSeconds",
      "periodSeconds",
      "successThreshold",
      "failureThreshold",
      "terminationGracePeriodSeconds",
    ],
  },
  Volume: { embedded: "VolumeSource", own: ["name"] },
  IngressRule: { embedded: "IngressRuleValue", own: ["host"] },
  DeviceAllocationConfiguration: { embedded: "DeviceConfiguration", own: ["source", "requests"] },
  DeviceClaimConfiguration: { embedded: "DeviceConfiguration", own: ["requests"] },
  DeviceClassConfiguration: { embedded: "DeviceConfiguration", own: [] },
  NamedRuleWithOperations: { embedded: "RuleWithOperations", own: ["resourceNames"] },
  RuleWithOperations: { embedded: "Rule", own: ["operations"] },
};

/**
 * A field of a built-in type as Go's decoder names it in errors: with the structs that are embedded on the way to it,
 * such as `VolumeSource.hostPath` of a Volume.
 */
export function goFieldPath(typeName: string | undefined, field: string): string {
  const struct = typeName?.slice(typeName.indexOf(".") + 1) ?? "";
  const embedding = Object.hasOwn(embeddings, struct) ? embeddings[struct] : undefined;
  if (embedding === undefined || embedding.own.includes(field)) return field;
  return `${embedding.embedded}.${goFieldPath(embedding.embedded, field)}`;
}
