import type { PodSpec } from "keelson/kinds/core/v1";
import type { AnnotationDecision } from "../../src/decision/annotation-decision.ts";
import { keys, podOf, podUsing, type Texts, type WorkloadParts } from "./decision-objects.ts";

const auto = keys.auto;
const { Secret: secretAuto, ConfigMap: configMapAuto, SecretProviderClass: classAuto } = keys.typedAuto;
const { Secret: secrets, ConfigMap: configMaps, SecretProviderClass: classes } = keys.named;
const {
  Secret: excludedSecrets,
  ConfigMap: excludedConfigMaps,
  SecretProviderClass: excludedClasses,
} = keys.excluded;

/** Uses the Secret and the ConfigMap `db`. */
export const using = podUsing(["Secret", "db"], ["ConfigMap", "db"]);
const mounting = podOf(
  { volumeMounts: [{ name: "v", mountPath: "/v" }] },
  { volumes: [{ name: "v", csi: { driver: "csi", volumeAttributes: { secretProviderClass: "db" } } }] },
);

/** What annotations decide about a resource `db`. */
export interface DecisionRow extends WorkloadParts {
  readonly of: string;
  readonly kind?: never;
  /** The kind of the resource `db`. Default: a Secret. */
  readonly resource?: "Secret" | "ConfigMap" | "SecretProviderClass";
  readonly onResource?: Texts;
  readonly autoReloadAll?: boolean;
  readonly expected: AnnotationDecision;
}

/** The annotations of B.1, each with what it decides. */
export const annotationRows: readonly DecisionRow[] = [
  { of: "auto for a Secret", annotations: { [auto]: "true" }, expected: "auto" },
  { of: "auto for a ConfigMap", annotations: { [auto]: "true" }, resource: "ConfigMap", expected: "auto" },
  {
    ...{ of: "auto for a SecretProviderClass", annotations: { [auto]: "true" }, pod: mounting },
    ...{ resource: "SecretProviderClass", expected: "auto" },
  },
  { of: "auto on the pod template", onTemplate: { [auto]: "true" }, expected: "auto" },
  ...["1", "t", "T", "TRUE", "true", "True"].map(
    (value): DecisionRow => ({
      of: `auto with the value ${value}`,
      annotations: { [auto]: value },
      expected: "auto",
    }),
  ),
  ...["0", "f", "F", "FALSE", "false", "False", "yes", ""].map(
    (value): DecisionRow => ({
      of: `auto with the value ${value}`,
      annotations: { [auto]: value },
      expected: "unmatched",
    }),
  ),
  { of: "typed auto for Secrets", annotations: { [secretAuto]: "true" }, expected: "auto" },
  {
    of: "typed auto for Secrets, a ConfigMap",
    annotations: { [secretAuto]: "true" },
    resource: "ConfigMap",
    expected: "unmatched",
  },
  {
    of: "typed auto for ConfigMaps",
    annotations: { [configMapAuto]: "true" },
    resource: "ConfigMap",
    expected: "auto",
  },
  {
    of: "typed auto for ConfigMaps, a Secret",
    annotations: { [configMapAuto]: "true" },
    expected: "unmatched",
  },
  { of: "typed auto on the pod template", onTemplate: { [secretAuto]: "true" }, expected: "auto" },
  {
    ...{ of: "typed auto for SecretProviderClasses", annotations: { [classAuto]: "true" }, pod: mounting },
    ...{ resource: "SecretProviderClass", expected: "auto" },
  },
  { of: "a name of a Secret", annotations: { [secrets]: "a,db" }, expected: "explicit" },
  {
    of: "a name that is not referenced",
    annotations: { [secrets]: "db" },
    pod: podOf(),
    expected: "explicit",
  },
  {
    of: "a name of a Secret, a ConfigMap",
    annotations: { [secrets]: "db" },
    resource: "ConfigMap",
    expected: "unmatched",
  },
  {
    of: "a name of a ConfigMap",
    annotations: { [configMaps]: "db" },
    resource: "ConfigMap",
    expected: "explicit",
  },
  {
    ...{ of: "a name of a SecretProviderClass", annotations: { [classes]: "db" } },
    ...{ resource: "SecretProviderClass", expected: "explicit" },
  },
  { of: "a pattern", annotations: { [secrets]: "d.*" }, expected: "explicit" },
  { of: "a name on the pod template", onTemplate: { [secrets]: "db" }, expected: "explicit" },
  { of: "other names", annotations: { [secrets]: "db-2" }, expected: "unmatched" },
  {
    of: "an exclude of Secrets over auto",
    annotations: { [auto]: "true", [excludedSecrets]: "a, db" },
    expected: "excluded",
  },
  {
    of: "an exclude over a name",
    annotations: { [secrets]: "db", [excludedSecrets]: "db" },
    expected: "excluded",
  },
  {
    ...{ of: "an exclude over search", annotations: { [keys.search]: "true", [excludedSecrets]: "db" } },
    ...{ onResource: { [keys.match]: "true" }, expected: "excluded" },
  },
  {
    of: "an exclude is a name, not a pattern",
    annotations: { [auto]: "true", [excludedSecrets]: "d.*" },
    expected: "auto",
  },
  {
    of: "an exclude of ConfigMaps, a Secret",
    annotations: { [auto]: "true", [excludedConfigMaps]: "db" },
    expected: "auto",
  },
  {
    ...{ of: "an exclude of ConfigMaps", annotations: { [auto]: "true", [excludedConfigMaps]: "db" } },
    ...{ resource: "ConfigMap", expected: "excluded" },
  },
  {
    ...{
      of: "an exclude of SecretProviderClasses",
      annotations: { [auto]: "true", [excludedClasses]: "db" },
      pod: mounting,
    },
    ...{ resource: "SecretProviderClass", expected: "excluded" },
  },
  {
    ...{ of: "an exclude on the pod template", annotations: { [auto]: "true" } },
    ...{ onTemplate: { [excludedSecrets]: "db" }, expected: "excluded" },
  },
  {
    ...{
      of: "an exclude on the workload, auto on the pod template",
      annotations: { [excludedSecrets]: "db" },
    },
    ...{ onTemplate: { [auto]: "true" }, expected: "excluded" },
  },
  {
    of: "search with match",
    annotations: { [keys.search]: "true" },
    onResource: { [keys.match]: "true" },
    expected: "auto",
  },
  { of: "search without match", annotations: { [keys.search]: "true" }, expected: "unmatched" },
  { of: "match without search", onResource: { [keys.match]: "true" }, expected: "unmatched" },
  {
    of: "match that is not true",
    annotations: { [keys.search]: "true" },
    onResource: { [keys.match]: "1" },
    expected: "unmatched",
  },
  {
    of: "search that is not true",
    annotations: { [keys.search]: "1" },
    onResource: { [keys.match]: "true" },
    expected: "unmatched",
  },
  {
    ...{ of: "search on the pod template", onTemplate: { [keys.search]: "true" } },
    ...{ onResource: { [keys.match]: "true" }, expected: "auto" },
  },
  {
    ...{ of: "search for what is not used", annotations: { [keys.search]: "true" }, pod: podOf() },
    ...{ onResource: { [keys.match]: "true" }, expected: "unused" },
  },
  {
    of: "ignore on the resource, over a name",
    annotations: { [secrets]: "db" },
    onResource: { [keys.ignore]: "true" },
    expected: "ignored",
  },
  {
    of: "ignore on the resource, not true",
    annotations: { [secrets]: "db" },
    onResource: { [keys.ignore]: "1" },
    expected: "explicit",
  },
  {
    of: "ignore on the workload",
    annotations: { [secrets]: "db", [keys.ignore]: "true" },
    expected: "ignored",
  },
  {
    of: "ignore on the pod template",
    annotations: { [secrets]: "db" },
    onTemplate: { [keys.ignore]: "true" },
    expected: "ignored",
  },
];

/** The steps of the decision of B.2, by their numbers. */
export const orderRows: readonly DecisionRow[] = [
  {
    of: "(1) ignore wins over all",
    annotations: { [auto]: "true", [secrets]: "db" },
    onResource: { [keys.ignore]: "true", [keys.match]: "true" },
    expected: "ignored",
  },
  {
    of: "(2) the workload's annotations hide the template's",
    annotations: { [auto]: "false" },
    onTemplate: { [secrets]: "db" },
    expected: "unmatched",
  },
  {
    of: "(2) also with a value that is empty",
    annotations: { [auto]: "" },
    onTemplate: { [secrets]: "db" },
    expected: "unmatched",
  },
  {
    of: "(2) those of another type do not",
    annotations: { [configMaps]: "x" },
    onTemplate: { [secrets]: "db" },
    expected: "explicit",
  },
  {
    of: "(2) search hides them",
    annotations: { [keys.search]: "true" },
    onTemplate: { [secrets]: "db" },
    expected: "unmatched",
  },
  {
    of: "(2) an annotation of another purpose does not",
    annotations: { [keys.reloadStrategy]: "annotations" },
    onTemplate: { [secrets]: "db" },
    expected: "explicit",
  },
  {
    of: "(2) a Rollout with the same template decides before the template",
    onAlias: { [secrets]: "db" },
    onTemplate: { [auto]: "false" },
    expected: "explicit",
  },
  {
    of: "(2) the workload decides before the Rollout",
    annotations: { [auto]: "false" },
    onAlias: { [secrets]: "db" },
    expected: "unmatched",
  },
  {
    of: "(3) an exclude wins over names and auto",
    annotations: { [secrets]: "db", [auto]: "true", [excludedSecrets]: "db" },
    expected: "excluded",
  },
  {
    of: "(4) a name wins over search and auto",
    annotations: { [secrets]: "db", [keys.search]: "true", [auto]: "true" },
    onResource: { [keys.match]: "true" },
    expected: "explicit",
  },
  {
    of: "(4) names and auto go together",
    annotations: { [secrets]: "other", [auto]: "true" },
    expected: "auto",
  },
  {
    of: "(4) auto false does not cancel a name",
    annotations: { [secrets]: "db", [auto]: "false" },
    expected: "explicit",
  },
  {
    of: "(5) auto false does not cancel search",
    annotations: { [keys.search]: "true", [auto]: "false" },
    onResource: { [keys.match]: "true" },
    expected: "auto",
  },
  {
    of: "(5) search is used beside names",
    annotations: { [secrets]: "other", [keys.search]: "true" },
    onResource: { [keys.match]: "true" },
    expected: "auto",
  },
  {
    of: "(6) auto false and typed auto true",
    annotations: { [auto]: "false", [secretAuto]: "true" },
    expected: "auto",
  },
  {
    of: "(6) auto true and typed auto false",
    annotations: { [auto]: "true", [secretAuto]: "false" },
    expected: "auto",
  },
  { of: "(6) auto-reload-all", autoReloadAll: true, expected: "auto" },
  {
    of: "(6) auto-reload-all beside other names",
    autoReloadAll: true,
    annotations: { [secrets]: "other" },
    expected: "auto",
  },
  {
    of: "(6) auto-reload-all with empty values",
    autoReloadAll: true,
    annotations: { [auto]: "", [secretAuto]: "" },
    expected: "auto",
  },
  {
    of: "(6) auto false opts out of auto-reload-all",
    autoReloadAll: true,
    annotations: { [auto]: "false" },
    expected: "unmatched",
  },
  {
    of: "(6) typed auto false opts out for its type",
    autoReloadAll: true,
    annotations: { [secretAuto]: "false" },
    expected: "unmatched",
  },
  {
    of: "(6) and not for another type",
    autoReloadAll: true,
    annotations: { [secretAuto]: "false" },
    resource: "ConfigMap",
    expected: "auto",
  },
  {
    of: "(6) a value that is no boolean opts out",
    autoReloadAll: true,
    annotations: { [auto]: "yes" },
    expected: "unmatched",
  },
  {
    of: "(6) auto false on the template opts out",
    autoReloadAll: true,
    onTemplate: { [auto]: "false" },
    expected: "unmatched",
  },
  { of: "(7) nothing", expected: "unmatched" },
  { of: "auto needs a use", annotations: { [auto]: "true" }, pod: podOf(), expected: "unused" },
  {
    of: "auto needs a volume to be mounted",
    annotations: { [auto]: "true" },
    pod: podOf({}, { volumes: [{ name: "v", secret: { secretName: "db" } }] }),
    expected: "unused",
  },
  {
    of: "auto needs a use of the same kind",
    annotations: { [auto]: "true" },
    pod: podUsing(["ConfigMap", "db"]),
    expected: "unused",
  },
  { of: "an invalid pattern is skipped", annotations: { [secrets]: "db(,db" }, expected: "explicit" },
  {
    of: "an invalid pattern does not keep auto from counting",
    annotations: { [secrets]: "db(", [auto]: "true" },
    expected: "auto",
  },
];

const mount = (name: string) => ({ volumeMounts: [{ name, mountPath: "/etc/app" }] });
const second = { name: "sidecar", image: "app" };
const csi = {
  name: "v",
  csi: { driver: "secrets-store.csi.k8s.io", volumeAttributes: { secretProviderClass: "vault" } },
};

/** How a pod uses a resource: the resource, the position of the container that changes for it, and those that use it. */
type ReferenceRow = readonly [
  of: string,
  pod: PodSpec,
  resource: string,
  containerIndex: number,
  containers: readonly string[],
];

/** The ways to use a resource. */
export const referenceRows: readonly ReferenceRow[] = [
  [
    "env.valueFrom.secretKeyRef",
    podOf({ env: [{ name: "A", valueFrom: { secretKeyRef: { name: "db", key: "a" } } }] }),
    "Secret/db",
    0,
    ["app"],
  ],
  [
    "env.valueFrom.configMapKeyRef",
    podOf({ env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "db", key: "a" } } }] }),
    "ConfigMap/db",
    0,
    ["app"],
  ],
  ["envFrom.secretRef", podOf({ envFrom: [{ secretRef: { name: "db" } }] }), "Secret/db", 0, ["app"]],
  [
    "envFrom.configMapRef",
    podOf({ envFrom: [{ configMapRef: { name: "db" } }] }),
    "ConfigMap/db",
    0,
    ["app"],
  ],
  [
    "a mounted Secret volume",
    podOf(mount("v"), { volumes: [{ name: "v", secret: { secretName: "db" } }] }),
    "Secret/db",
    0,
    ["app"],
  ],
  [
    "a mounted ConfigMap volume",
    podOf(mount("v"), { volumes: [{ name: "v", configMap: { name: "db" } }] }),
    "ConfigMap/db",
    0,
    ["app"],
  ],
  [
    "a projected Secret",
    podOf(mount("v"), { volumes: [{ name: "v", projected: { sources: [{ secret: { name: "db" } }] } }] }),
    "Secret/db",
    0,
    ["app"],
  ],
  [
    "a projected ConfigMap among other sources",
    podOf(mount("v"), {
      volumes: [
        {
          name: "v",
          projected: { sources: [{ serviceAccountToken: { path: "t" } }, { configMap: { name: "db" } }] },
        },
      ],
    }),
    "ConfigMap/db",
    0,
    ["app"],
  ],
  ["a CSI volume", podOf(mount("v"), { volumes: [csi] }), "SecretProviderClass/vault", 0, ["app"]],
  [
    "a volume that only the second container mounts",
    { containers: [...podOf().containers, { ...second, ...mount("v") }], volumes: [csi] },
    "SecretProviderClass/vault",
    1,
    ["sidecar"],
  ],
  [
    "a volume that only an init container mounts, for the first container",
    podOf({}, { initContainers: [{ ...second, ...mount("v") }], volumes: [csi] }),
    "SecretProviderClass/vault",
    0,
    ["sidecar"],
  ],
  [
    "envFrom of an init container, for the first container",
    podOf({}, { initContainers: [{ ...second, envFrom: [{ secretRef: { name: "db" } }] }] }),
    "Secret/db",
    0,
    ["sidecar"],
  ],
  [
    "valueFrom of an init container, for the first container",
    podOf(
      {},
      {
        initContainers: [
          { ...second, env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "db", key: "a" } } }] },
        ],
      },
    ),
    "ConfigMap/db",
    0,
    ["sidecar"],
  ],
  [
    "the container that mounts it before the one that has it in its environment",
    {
      containers: [
        { ...second, name: "env", envFrom: [{ secretRef: { name: "db" } }] },
        { ...second, ...mount("v") },
      ],
      volumes: [{ name: "v", secret: { secretName: "db" } }],
    },
    "Secret/db",
    1,
    ["sidecar", "env"],
  ],
  [
    "the mounted one of two volumes",
    podOf(mount("v2"), {
      volumes: [
        { name: "v1", secret: { secretName: "db" } },
        { name: "v2", secret: { secretName: "db" } },
      ],
    }),
    "Secret/db",
    0,
    ["app"],
  ],
];

/** What is not a use of the Secret `db`. */
export const unusedRows: readonly (readonly [of: string, pod: PodSpec])[] = [
  [
    "a volume that no container mounts",
    podOf({}, { volumes: [{ name: "v", secret: { secretName: "db" } }] }),
  ],
  ["a CSI volume that no container mounts", podOf({}, { volumes: [csi] })],
  ["imagePullSecrets", podOf({}, { imagePullSecrets: [{ name: "db" }] })],
  ["the service account", podOf({}, { serviceAccountName: "db" })],
  [
    "fields of the pod",
    podOf({ env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }] }),
  ],
  ["a reference without a name", podOf({ envFrom: [{ secretRef: {} }] })],
];
