import { type Draft, deepEqual } from "@keelson/core";
import type { ControllerRevision, StatefulSet, StatefulSetSpec } from "@keelson/core/kinds/apps/v1";
import { dnsLabelProblems } from "../../resource/name-problems.ts";
import type { Strategy } from "../../resource/strategy.ts";
import {
  type FieldProblem,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from "../../status/field-problem.ts";
import { builtinStrategy, type Given } from "../builtin-strategy.ts";
import { setPodTemplateDefaults } from "../pod/pod-defaults.ts";
import { podTemplateProblems } from "../pod/pod-spec-validation.ts";
import { templateWarnings } from "../pod/pod-spec-warnings.ts";
import { claimSpecProblems, setClaimSpecDefaults } from "../storage/claim-validation.ts";
import { dnsLabel, immutableField, nonNegative, textOf } from "../value-problems.ts";
import {
  collisionProblems,
  countsProblems,
  labelsMatchProblems,
  longRunningProblems,
  selectorProblems,
} from "./workload-validation.ts";

type GivenSpec = Given<StatefulSetSpec>;

export const statefulSetStrategy: Strategy = builtinStrategy<StatefulSet>({
  countsGenerations: true,
  nameProblem: (name) => dnsLabelProblems(name)[0],
  setDefaults(set) {
    set.spec ??= {};
    setSpecDefaults(set.spec);
  },
  prepareForCreate(set) {
    set.status = { replicas: 0, availableReplicas: 0 };
    dropMaxUnavailable(set.spec);
  },
  prepareForUpdate: ({ spec }) => dropMaxUnavailable(spec),
  validate: ({ spec = {} }) => specProblems(spec),
  validateUpdate({ spec = {} }, { spec: old = {} }) {
    return deepEqual(withoutMutableFields(spec), withoutMutableFields(old))
      ? []
      : [
          forbiddenField(
            "spec",
            "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
          ),
        ];
  },
  validateStatusUpdate: ({ status = {} }, old) => [
    ...countsProblems(
      status,
      [
        "replicas",
        "readyReplicas",
        "currentReplicas",
        "updatedReplicas",
        "availableReplicas",
        "observedGeneration",
        "collisionCount",
      ],
      [
        ["readyReplicas", "replicas", "status.replicas"],
        ["currentReplicas", "replicas", "status.replicas"],
        ["updatedReplicas", "replicas", "status.replicas"],
        ["availableReplicas", "replicas", "status.replicas"],
        ["availableReplicas", "readyReplicas", "status.readyReplicas"],
      ],
    ),
    ...collisionProblems(status.collisionCount, old.status?.collisionCount),
  ],
  warnings: (set, old) => [
    ...templateWarnings(set.spec?.template, set, old),
    ...((set.spec?.revisionHistoryLimit ?? 0) < 0 ? [historyWarning] : []),
  ],
});

const historyWarning =
  "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended";

/** The feature is off unless a cluster turns it on; until then the server drops the field. */
function dropMaxUnavailable(spec: Draft<GivenSpec> | undefined): void {
  delete spec?.updateStrategy?.rollingUpdate?.maxUnavailable;
}

function withoutMutableFields(spec: GivenSpec): GivenSpec {
  const {
    replicas: _replicas,
    ordinals: _ordinals,
    template: _template,
    updateStrategy: _strategy,
    revisionHistoryLimit: _limit,
    persistentVolumeClaimRetentionPolicy: _policy,
    minReadySeconds: _seconds,
    ...rest
  } = spec;
  return rest;
}

function setSpecDefaults(spec: Draft<GivenSpec>): void {
  spec.serviceName ??= "";
  spec.podManagementPolicy ||= "OrderedReady";
  spec.updateStrategy ??= {};
  const { updateStrategy } = spec;
  if (!updateStrategy.type) {
    updateStrategy.type = "RollingUpdate";
    updateStrategy.rollingUpdate ??= {};
  }
  if (updateStrategy.type === "RollingUpdate" && updateStrategy.rollingUpdate !== undefined) {
    updateStrategy.rollingUpdate.partition ??= 0;
  }
  spec.persistentVolumeClaimRetentionPolicy ??= {};
  spec.persistentVolumeClaimRetentionPolicy.whenDeleted ||= "Retain";
  spec.persistentVolumeClaimRetentionPolicy.whenScaled ||= "Retain";
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= 10;
  spec.template ??= {};
  setPodTemplateDefaults(spec.template);
  for (const claim of spec.volumeClaimTemplates ?? []) {
    claim.apiVersion ??= "v1";
    claim.kind ??= "PersistentVolumeClaim";
    claim.metadata ??= {};
    claim.spec ??= {};
    setClaimSpecDefaults(claim.spec);
    claim.status ??= {};
    claim.status.phase ??= "Pending";
  }
}

function specProblems(spec: GivenSpec): readonly FieldProblem[] {
  const { serviceName, volumeClaimTemplates = [], ordinals } = spec;
  return [
    ...policiesProblems(spec),
    ...volumeClaimTemplates.flatMap((claim, index) =>
      claimSpecProblems(claim.spec ?? {}, `spec.volumeClaimTemplates[${index}].spec`),
    ),
    ...nonNegative(spec.replicas, "spec.replicas"),
    ...nonNegative(spec.minReadySeconds, "spec.minReadySeconds"),
    ...nonNegative(ordinals?.start, "spec.ordinals.start"),
    ...(serviceName ? dnsLabel(serviceName, "spec.serviceName") : []),
    ...selectorProblems(spec, "statefulset"),
    ...labelsMatchProblems(spec),
    ...podTemplateProblems(templateWithClaims(spec), "spec.template"),
    ...longRunningProblems(spec, "StatefulSet"),
  ];
}

/** Pods get a volume for each claim, of the same name, in place of one that the template has. */
function templateWithClaims({
  template = {},
  volumeClaimTemplates = [],
}: GivenSpec): NonNullable<GivenSpec["template"]> {
  const { hostname: _hostname, subdomain: _subdomain, ...spec } = template.spec ?? {};
  const names = volumeClaimTemplates.flatMap(({ metadata }) =>
    metadata?.name === undefined ? [] : [metadata.name],
  );
  const volumes = (spec.volumes ?? []).filter(({ name }) => !names.includes(textOf(name)));
  const claimed = names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  return { ...template, spec: names.length === 0 ? spec : { ...spec, volumes: [...claimed, ...volumes] } };
}

function policiesProblems(spec: GivenSpec): readonly FieldProblem[] {
  const { podManagementPolicy = "", updateStrategy = {}, persistentVolumeClaimRetentionPolicy = {} } = spec;
  const problems: FieldProblem[] = [];
  if (podManagementPolicy !== "OrderedReady" && podManagementPolicy !== "Parallel") {
    const detail = "must be 'OrderedReady' or 'Parallel'";
    problems.push(invalidValue("spec.podManagementPolicy", podManagementPolicy, detail));
  }
  problems.push(...updateStrategyProblems(updateStrategy, "spec.updateStrategy"));
  for (const when of ["whenDeleted", "whenScaled"] as const) {
    const policy = persistentVolumeClaimRetentionPolicy[when] ?? "";
    const field = `spec.persistentVolumeClaimRetentionPolicy.${when}`;
    if (policy !== "Retain" && policy !== "Delete") {
      problems.push(notSupported(field, policy, ["Retain", "Delete"]));
    }
  }
  return problems;
}

function updateStrategyProblems(
  { type = "", rollingUpdate }: NonNullable<GivenSpec["updateStrategy"]>,
  field: string,
): readonly FieldProblem[] {
  const { partition = 0 } = rollingUpdate ?? {};
  const printed = rollingUpdate === undefined ? null : { Partition: partition, MaxUnavailable: null };
  if (type === "OnDelete") {
    const detail = "only allowed for updateStrategy 'RollingUpdate'";
    return rollingUpdate === undefined ? [] : [invalidValue(`${field}.rollingUpdate`, printed, detail)];
  }
  if (type === "RollingUpdate") return nonNegative(partition, `${field}.rollingUpdate.partition`);
  const value = { Type: type, RollingUpdate: printed };
  return [invalidValue(field, value, "must be 'RollingUpdate' or 'OnDelete'")];
}

export const controllerRevisionStrategy: Strategy = builtinStrategy<ControllerRevision>({
  initialStatus: "none",
  validate: ({ revision }) => nonNegative(revision, "revision"),
  validateCreate: ({ data }) => (data === undefined ? [required("data", "data is mandatory")] : []),
  validateUpdate: ({ data }, old) => immutableField(data, old.data, "data"),
});
