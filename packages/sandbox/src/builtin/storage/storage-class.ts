import { deepEqual } from "@keelson/core";
import type { CSIDriver, StorageClass } from "@keelson/core/kinds/storage/v1";
import { labelKeyProblems } from "../../resource/label-problems.ts";
import { qualifiedNameProblems } from "../../resource/name-problems.ts";
import type { Strategy } from "../../resource/strategy.ts";
import {
  duplicateValue,
  type FieldProblem,
  indexed,
  invalidValue,
  notSupported,
  required,
} from "../../status/field-problem.ts";
import { builtinStrategy, type Given } from "../builtin-strategy.ts";
import { immutableField } from "../value-problems.ts";

type GivenClass = Given<StorageClass>;
type GivenDriver = NonNullable<Given<CSIDriver>["spec"]>;

const bindingModes = ["Immediate", "WaitForFirstConsumer"];

export const storageClassStrategy: Strategy = builtinStrategy<StorageClass>({
  initialStatus: "none",
  setDefaults(storageClass) {
    storageClass.reclaimPolicy ??= "Delete";
    storageClass.volumeBindingMode ??= "Immediate";
  },
  validate(storageClass) {
    const { reclaimPolicy = "", volumeBindingMode = "" } = storageClass;
    return [
      ...provisionerProblems((storageClass.provisioner ?? "").toLowerCase()),
      ...parametersProblems(storageClass.parameters ?? {}),
      ...(["Delete", "Retain"].includes(reclaimPolicy)
        ? []
        : [notSupported("reclaimPolicy", reclaimPolicy, ["Delete", "Retain"])]),
      ...(bindingModes.includes(volumeBindingMode)
        ? []
        : [notSupported("volumeBindingMode", volumeBindingMode, bindingModes)]),
      ...topologiesProblems(storageClass.allowedTopologies ?? []),
    ];
  },
  validateUpdate: (storageClass, old) =>
    (["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"] as const).flatMap((name) =>
      immutableField(storageClass[name], old[name], name),
    ),
});

function provisionerProblems(provisioner: string): readonly FieldProblem[] {
  if (provisioner === "") return [required("provisioner")];
  return qualifiedNameProblems(provisioner).map((detail) => invalidValue("provisioner", provisioner, detail));
}

const mostParameters = 512;
const mostParameterBytes = 256 * 1024;

function parametersProblems(parameters: Readonly<Record<string, string>>): readonly FieldProblem[] {
  const entries = Object.entries(parameters);
  const tooLong = (most: number): FieldProblem => ({
    type: "FieldValueTooLong",
    field: "parameters",
    detail: `may not be more than ${most} bytes`,
  });
  if (entries.length > mostParameters) return [tooLong(mostParameters)];
  const size = entries.reduce((sum, entry) => sum + Buffer.byteLength(entry.join("")), 0);
  return [
    ...(Object.hasOwn(parameters, "") ? [invalidValue("parameters", "", "field can not be empty.")] : []),
    ...(size > mostParameterBytes ? [tooLong(mostParameterBytes)] : []),
  ];
}

type Topologies = NonNullable<GivenClass["allowedTopologies"]>;

function topologiesProblems(topologies: Topologies): readonly FieldProblem[] {
  const seen: ReadonlyMap<string, ReadonlySet<string>>[] = [];
  return topologies.flatMap(({ matchLabelExpressions = [] }, index) => {
    const field = `${indexed("allowedTopologies", index)}.matchLabelExpressions`;
    const values = new Map<string, ReadonlySet<string>>();
    const problems = matchLabelExpressions.flatMap(({ key = "", values: given = [] }, place) => {
      const own = expressionProblems(key, given, indexed(field, place));
      if (values.has(key)) own.push(duplicateValue(`${indexed(field, place)}.key`, key));
      values.set(key, new Set(given));
      return own;
    });
    if (seen.some((one) => isSameTerm(one, values))) problems.push(duplicateValue(field, ""));
    seen.push(values);
    return problems;
  });
}

function isSameTerm(
  one: ReadonlyMap<string, ReadonlySet<string>>,
  other: ReadonlyMap<string, ReadonlySet<string>>,
): boolean {
  const sorted = (term: ReadonlyMap<string, ReadonlySet<string>>): unknown =>
    [...term].map(([key, values]) => [key, [...values].sort()]).sort();
  return deepEqual(sorted(one), sorted(other));
}

function expressionProblems(key: string, values: readonly string[], field: string): FieldProblem[] {
  return [
    ...(values.length === 0 ? [required(`${field}.values`)] : []),
    ...values.flatMap((value, index) =>
      values.indexOf(value) < index ? [duplicateValue(indexed(`${field}.values`, index), value)] : [],
    ),
    ...labelKeyProblems(key, `${field}.key`),
  ];
}

const tokensInAttributes =
  "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging " +
  "of tokens in volume attributes";

/** Its generation counts changes, but a new one has none. */
export const csiDriverStrategy: Strategy = builtinStrategy<CSIDriver>({
  initialStatus: "none",
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
  prepareForCreate: ({ spec }) => {
    // Behind a feature gate that is off.
    if (spec !== undefined) delete spec.preventPodSchedulingIfMissing;
  },
  prepareForUpdate(driver, old) {
    const { spec } = driver;
    if (spec !== undefined && old.spec?.preventPodSchedulingIfMissing === undefined) {
      delete spec.preventPodSchedulingIfMissing;
    }
    if (!deepEqual(spec, old.spec)) driver.metadata.generation = (old.metadata.generation ?? 0) + 1;
  },
  warnings({ spec = {} }, old) {
    const { tokenRequests = [], serviceAccountTokenInSecrets } = spec;
    if (tokenRequests.length === 0 || serviceAccountTokenInSecrets !== undefined) return [];
    return deepEqual(tokenRequests, old?.spec?.tokenRequests) ? [] : [tokensInAttributes];
  },
  validate: ({ spec = {} }) => driverProblems(spec),
  validateUpdate: ({ spec = {} }, { spec: old = {} }) => [
    ...immutableField(spec.attachRequired, old.attachRequired, "spec.attachedRequired"),
    ...immutableField(spec.volumeLifecycleModes, old.volumeLifecycleModes, "spec.volumeLifecycleModes"),
  ],
});

const groupPolicies = ["File", "None", "ReadWriteOnceWithFSType"];
const lifecycleModes = ["Persistent", "Ephemeral"];
const leastPeriodSeconds = 10;

function driverProblems(spec: GivenDriver): readonly FieldProblem[] {
  const { fsGroupPolicy: policy = "File", tokenRequests = [], volumeLifecycleModes = [] } = spec;
  const { nodeAllocatableUpdatePeriodSeconds: period, serviceAccountTokenInSecrets: inSecrets } = spec;
  const unused = "serviceAccountTokenInSecrets is set but no tokenRequests are specified";
  return [
    ...(groupPolicies.includes(policy) ? [] : [notSupported("spec.fsGroupPolicy", policy, groupPolicies)]),
    ...tokenRequestProblems(tokenRequests),
    ...volumeLifecycleModes
      .filter((mode) => !lifecycleModes.includes(mode))
      .map((mode) => notSupported("spec.volumeLifecycleModes", mode, lifecycleModes)),
    ...(period !== undefined && period < leastPeriodSeconds
      ? [
          invalidValue(
            "spec.nodeAllocatableUpdatePeriodSeconds",
            period,
            `must be greater than or equal to ${leastPeriodSeconds} seconds`,
          ),
        ]
      : []),
    ...(inSecrets !== undefined && tokenRequests.length === 0
      ? [invalidValue("spec.serviceAccountTokenInSecrets", inSecrets, unused)]
      : []),
  ];
}

function tokenRequestProblems(requests: NonNullable<GivenDriver["tokenRequests"]>): readonly FieldProblem[] {
  const audiences = requests.map(({ audience = "" }) => audience);
  return requests.flatMap(({ audience = "", expirationSeconds = 600 }, index) => {
    const field = indexed("spec.tokenRequests", index);
    if (audiences.indexOf(audience) < index) return [duplicateValue(`${field}.audience`, audience)];
    const place = `${field}.expirationSeconds`;
    if (expirationSeconds < 600) {
      return [invalidValue(place, expirationSeconds, "may not specify a duration less than 10 minutes")];
    }
    const tooLong = "may not specify a duration larger than 2^32 seconds";
    return expirationSeconds > 2 ** 32 ? [invalidValue(place, expirationSeconds, tooLong)] : [];
  });
}
