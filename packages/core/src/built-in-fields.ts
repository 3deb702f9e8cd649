/**
 * What a comparison of two objects needs to know of the fields of built-in kinds. A field is named as far as needed to
 * identify it: `image`, or with what it is in, such as `target.value`, or with the kind, such as `Secret.type`. An
 * element of a list is named after the list. Taken from the Go types and defaults of Kubernetes 1.36.
 */

/** The groups of which these tables know. */
export const builtInGroups: ReadonlySet<string> = new Set([
  "",
  "admissionregistration.k8s.io",
  "apiextensions.k8s.io",
  "apiregistration.k8s.io",
  "apps",
  "autoscaling",
  "batch",
  "certificates.k8s.io",
  "coordination.k8s.io",
  "discovery.k8s.io",
  "events.k8s.io",
  "flowcontrol.apiserver.k8s.io",
  "networking.k8s.io",
  "node.k8s.io",
  "policy",
  "rbac.authorization.k8s.io",
  "resource.k8s.io",
  "scheduling.k8s.io",
  "storage.k8s.io",
]);

/** Maps from names of the user's choice to text; there an empty text has a meaning. */
export const textMaps: ReadonlySet<string> = new Set([
  "ConfigMap.data",
  "ReplicationController.spec.selector",
  "Secret.data",
  "Service.spec.selector",
  "annotations",
  "binaryData",
  "labels",
  "matchLabels",
  "nodeSelector",
  "options",
  "parameters",
  "userAnnotations",
  "volumeAttributes",
]);

/** Maps from names of resources to quantities, which the server rounds up to thousandths. */
export const quantityMaps: ReadonlySet<string> = new Set([
  "capacity",
  "hard",
  "resources.limits",
  "limits.default",
  "limits.defaultRequest",
  "limits.max",
  "limits.maxLimitRequestRatio",
  "limits.min",
  "overhead",
  "resources.requests",
]);

/** Single quantities. */
export const quantityFields: ReadonlySet<string> = new Set([
  "divisor",
  "sizeLimit",
  "target.averageValue",
  "target.value",
]);

/**
 * Objects that have a meaning even if they are empty: a selector of everything is not the same as no selector, and the
 * source of a volume is chosen by its presence.
 */
export const meaningfulWhenEmpty: ReadonlySet<string> = new Set([
  "downwardAPI",
  "emptyDir",
  "labelSelector",
  "namespaceSelector",
  "objectSelector",
  "podSelector",
  "projected",
  "selector",
]);

/** Fields where `false`, 0 or the empty text differs from no value. Of all other fields the server omits them. */
export const meaningfulWhenZero: ReadonlySet<string> = new Set([
  "activeDeadlineSeconds",
  "allocateLoadBalancerNodePorts",
  "allowPrivilegeEscalation",
  "allowVolumeExpansion",
  "appProtocol",
  "automountServiceAccountToken",
  "averageUtilization",
  "backoffLimit",
  "backoffLimitPerIndex",
  "cachingMode",
  "completionMode",
  "completions",
  "defaultMode",
  "enableServiceLinks",
  "endPort",
  "expirationSeconds",
  "failedJobsHistoryLimit",
  "failurePolicy",
  "fsGroup",
  "fsGroupChangePolicy",
  "gmsaCredentialSpec",
  "gmsaCredentialSpecName",
  "hostProcess",
  "hostUsers",
  "hostnameOverride",
  "immutable",
  "ingressClassName",
  "initiatorName",
  "internalTrafficPolicy",
  "ipFamilyPolicy",
  "loadBalancerClass",
  "localhostProfile",
  "managedBy",
  "manualSelector",
  "matchPolicy",
  "maxExpirationSeconds",
  "maxFailedIndexes",
  "maxReplicas",
  "maxSurge",
  "maxUnavailable",
  "minAvailable",
  "minDomains",
  "minReplicas",
  "mode",
  "mountPropagation",
  "nodeAffinityPolicy",
  "nodeTaintsPolicy",
  "optional",
  "parallelism",
  "podGroupName",
  "podReplacementPolicy",
  "preemptionPolicy",
  "priority",
  "privileged",
  "procMount",
  "progressDeadlineSeconds",
  "readOnlyRootFilesystem",
  "reclaimPolicy",
  "recursiveReadOnly",
  "resourceClaimName",
  "resourceClaimTemplateName",
  "revisionHistoryLimit",
  "rollingUpdate.partition",
  "runAsGroup",
  "runAsNonRoot",
  "runAsUser",
  "runAsUserName",
  "runtimeClassName",
  "scope",
  "seLinuxChangePolicy",
  "selectPolicy",
  "service",
  "setHostnameAsFQDN",
  "shareProcessNamespace",
  "sideEffects",
  "spec.replicas",
  "stabilizationWindowSeconds",
  "startingDeadlineSeconds",
  "stopSignal",
  "storageClassName",
  "succeededCount",
  "succeededIndexes",
  "successfulJobsHistoryLimit",
  "supplementalGroupsPolicy",
  "suspend",
  "terminationGracePeriodSeconds",
  "timeZone",
  "tolerationSeconds",
  "trafficDistribution",
  "ttlSecondsAfterFinished",
  "unhealthyPodEvictionPolicy",
  "volumeAttributesClassName",
  "volumeBindingMode",
  "volumeMode",
]);

/** Fields where the server puts its default, or what it allocates, in the place of 0 or the empty text. */
export const defaultedWhenZero: ReadonlySet<string> = new Set([
  "PersistentVolumeClaim.spec.volumeName",
  "Secret.type",
  "Service.spec.type",
  "apiVersion",
  "clusterIP",
  "concurrencyPolicy",
  "dnsPolicy",
  "externalTrafficPolicy",
  "failureThreshold",
  "healthCheckNodePort",
  "hostPort",
  "httpGet.path",
  "imagePullPolicy",
  "iscsiInterface",
  "keyring",
  "nodePort",
  "periodSeconds",
  "podManagementPolicy",
  "pool",
  "protocol",
  "pullPolicy",
  "restartPolicy",
  "roleRef.apiGroup",
  "schedulerName",
  "scheme",
  "sessionAffinity",
  "storageMode",
  "strategy.type",
  "subjects.apiGroup",
  "successThreshold",
  "targetPort",
  "terminationMessagePath",
  "terminationMessagePolicy",
  "timeoutSeconds",
  "updateStrategy.type",
  "user",
]);

/** Lists whose elements have a key, and the fields that make it up. */
export const listKeys: ReadonlyMap<string, readonly string[]> = new Map([
  ["claims", ["name"]],
  ["containers", ["name"]],
  ["containers.ports", ["containerPort", "protocol"]],
  ["env", ["name"]],
  ["ephemeralContainers", ["name"]],
  ["ephemeralContainers.ports", ["containerPort", "protocol"]],
  ["hostAliases", ["ip"]],
  ["initContainers", ["name"]],
  ["initContainers.ports", ["containerPort", "protocol"]],
  ["matchConditions", ["name"]],
  ["metadata.ownerReferences", ["uid"]],
  ["resourceClaims", ["name"]],
  ["schedulingGates", ["name"]],
  ["ServiceAccount.secrets", ["name"]],
  ["Service.spec.ports", ["port", "protocol"]],
  ["spec.imagePullSecrets", ["name"]],
  ["topologySpreadConstraints", ["topologyKey", "whenUnsatisfiable"]],
  ["volumeDevices", ["devicePath"]],
  ["volumeMounts", ["mountPath"]],
  ["volumes", ["name"]],
  ["webhooks", ["name"]],
]);

/** Lists with keys whose order matters all the same: what runs first, and which variable another one may refer to. */
export const orderedLists: ReadonlySet<string> = new Set(["env", "initContainers"]);

/** The server's default for a field that is part of a key. */
export const defaultsInKeys: ReadonlyMap<string, string> = new Map([["protocol", "TCP"]]);

/** Lists that are sets: each field manager owns the elements that it added. */
export const sets: ReadonlySet<string> = new Set(["metadata.finalizers"]);

/**
 * Maps and objects that have one author for all that they hold, as all lists without keys have: what another field
 * manager adds to one is a change, and an apply removes it.
 */
export const atomicMaps: ReadonlySet<string> = new Set([
  "backend.resource",
  "configMapKeyRef",
  "dataSource",
  "dataSourceRef",
  "describedObject",
  "fieldRef",
  "labelSelector",
  "namespaceSelector",
  "nodeSelector",
  "objectSelector",
  "podSelector",
  "resourceFieldRef",
  "roleRef",
  "scaleTargetRef",
  "secretKeyRef",
  "selector",
  "service.port",
]);

/** What the server adds by itself to lists without keys and to the maps above. */
export const defaultedInAtomics: ReadonlySet<string> = new Set([
  "dataSourceRef.apiGroup",
  "fieldRef.apiVersion",
  "onPodConditions.status",
  "ports.name",
  "ports.protocol",
  "resourceRules.scope",
  "roleRef.apiGroup",
  "rules.scope",
  "serviceAccountToken.expirationSeconds",
  "podCertificate.maxExpirationSeconds",
  "subjects.apiGroup",
]);

/** Lists without keys to whose elements the server adds so much that it is not listed here. */
export const muchDefaulted: ReadonlySet<string> = new Set(["LimitRange.spec.limits", "volumeClaimTemplates"]);
