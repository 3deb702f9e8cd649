/**
 * What one must know of the fields of a pod template to compare two of them, by the field's name; where two fields
 * share a name they share its meaning here. Taken from the Go types and defaults of core/v1 in Kubernetes 1.36.
 */

/** Maps from names of the user's choice to text; there an empty text says something. */
export const textMaps: ReadonlySet<string> = new Set([
  "annotations",
  "labels",
  "matchLabels",
  "nodeSelector",
  "options",
  "userAnnotations",
  "volumeAttributes",
]);

/** Maps from names of resources to quantities, which the server rounds up to thousandths. */
export const quantityMaps: ReadonlySet<string> = new Set(["limits", "overhead", "requests"]);

/** Single quantities. */
export const quantityFields: ReadonlySet<string> = new Set(["divisor", "sizeLimit"]);

/**
 * Objects that say something even if they are empty: a selector of everything is not the same as no selector, and the
 * source of a volume says what it is by being there.
 */
export const meaningfulWhenEmpty: ReadonlySet<string> = new Set([
  "downwardAPI",
  "emptyDir",
  "labelSelector",
  "namespaceSelector",
  "projected",
  "selector",
]);

/** Fields where `false`, 0 or the empty text is another thing than no value. For all others the server omits them. */
export const meaningfulWhenZero: ReadonlySet<string> = new Set([
  "activeDeadlineSeconds",
  "allowPrivilegeEscalation",
  "automountServiceAccountToken",
  "cachingMode",
  "defaultMode",
  "enableServiceLinks",
  "expirationSeconds",
  "fsGroup",
  "fsGroupChangePolicy",
  "gmsaCredentialSpec",
  "gmsaCredentialSpecName",
  "hostProcess",
  "hostUsers",
  "hostnameOverride",
  "initiatorName",
  "localhostProfile",
  "maxExpirationSeconds",
  "minDomains",
  "mode",
  "mountPropagation",
  "nodeAffinityPolicy",
  "nodeTaintsPolicy",
  "optional",
  "podGroupName",
  "preemptionPolicy",
  "priority",
  "privileged",
  "procMount",
  "readOnlyRootFilesystem",
  "recursiveReadOnly",
  "resourceClaimName",
  "resourceClaimTemplateName",
  "runAsGroup",
  "runAsNonRoot",
  "runAsUser",
  "runAsUserName",
  "runtimeClassName",
  "seLinuxChangePolicy",
  "service",
  "setHostnameAsFQDN",
  "shareProcessNamespace",
  "stopSignal",
  "storageClassName",
  "supplementalGroupsPolicy",
  "terminationGracePeriodSeconds",
  "tolerationSeconds",
  "volumeAttributesClassName",
  "volumeMode",
]);

/** Fields where the server puts its default in the place of 0 or the empty text. */
export const defaultedWhenZero: ReadonlySet<string> = new Set([
  "apiVersion",
  "dnsPolicy",
  "failureThreshold",
  "hostPort",
  "imagePullPolicy",
  "iscsiInterface",
  "keyring",
  "path",
  "periodSeconds",
  "pool",
  "protocol",
  "pullPolicy",
  "restartPolicy",
  "schedulerName",
  "scheme",
  "storageMode",
  "successThreshold",
  "terminationMessagePath",
  "terminationMessagePolicy",
  "timeoutSeconds",
  "user",
]);

/** Lists whose elements have a key, and the fields that make it up. */
export const listKeys: ReadonlyMap<string, readonly string[]> = new Map([
  ["claims", ["name"]],
  ["containers", ["name"]],
  ["env", ["name"]],
  ["ephemeralContainers", ["name"]],
  ["hostAliases", ["ip"]],
  ["imagePullSecrets", ["name"]],
  ["initContainers", ["name"]],
  ["ports", ["containerPort", "protocol"]],
  ["resourceClaims", ["name"]],
  ["schedulingGates", ["name"]],
  ["topologySpreadConstraints", ["topologyKey", "whenUnsatisfiable"]],
  ["volumeDevices", ["devicePath"]],
  ["volumeMounts", ["mountPath"]],
  ["volumes", ["name"]],
]);

/** Lists with keys whose order matters all the same: what runs first, and which variable another one may refer to. */
export const orderedLists: ReadonlySet<string> = new Set(["env", "initContainers"]);

/** The server's default for a field that is part of a key. */
export const defaultsInKeys: ReadonlyMap<string, string> = new Map([["protocol", "TCP"]]);
