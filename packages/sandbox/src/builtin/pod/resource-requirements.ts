import {
  compareQuantities,
  formatQuantity,
  InvalidQuantityError,
  parseQuantity,
  type Quantity,
  quantityAsStored,
  roundUpQuantity,
} from "@keelson/core";
import type { ResourceRequirements } from "@keelson/core/kinds/core/v1";
import { qualifiedNameProblems } from "../../resource/name-problems.ts";
import {
  type FieldProblem,
  forbiddenField,
  invalidValue,
  keyed,
  required,
} from "../../status/field-problem.ts";
import type { Given } from "../builtin-strategy.ts";

const standardNames: ReadonlySet<string> = new Set([
  "cpu",
  "memory",
  "ephemeral-storage",
  "requests.cpu",
  "requests.memory",
  "requests.ephemeral-storage",
  "limits.cpu",
  "limits.memory",
  "limits.ephemeral-storage",
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "persistentvolumeclaims",
  "configmaps",
  "services.nodeports",
  "services.loadbalancers",
  "storage",
  "requests.storage",
]);
const containerNames: ReadonlySet<string> = new Set(["cpu", "memory", "ephemeral-storage"]);

export function resourceProblems(
  resources: Given<ResourceRequirements> | undefined,
  field: string,
): readonly FieldProblem[] {
  if (resources === undefined) return [];
  const { limits = {}, requests = {} } = resources;
  const problems: FieldProblem[] = [];
  for (const [name, amount] of Object.entries(limits)) {
    problems.push(...amountProblems(name, amount, keyed(`${field}.limits`, name)));
  }
  for (const [name, amount] of Object.entries(requests)) {
    problems.push(...amountProblems(name, amount, keyed(`${field}.requests`, name)));
    problems.push(...requestProblems(name, amount, limits[name], field));
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  if (names.some(isHugePages) && !names.some((name) => name === "cpu" || name === "memory")) {
    problems.push(forbiddenField(field, "HugePages require cpu or memory"));
  }
  return problems;
}

function amountProblems(name: string, amount: string, field: string): readonly FieldProblem[] {
  return [
    ...containerResourceNameProblems(name, field),
    ...valueProblems(name, readAmount(amount), amount, field),
  ];
}

/** The problems of a resource name: a known one, or one with the domain of its vendor. */
export function resourceNameProblems(name: string, field: string): readonly FieldProblem[] {
  const problems = qualifiedNameProblems(name).map((detail) => invalidValue(field, name, detail));
  return problems.length > 0 || name.includes("/") || isStandard(name)
    ? problems
    : [invalidValue(field, name, "must be a standard resource type or fully qualified")];
}

export function containerResourceNameProblems(name: string, field: string): readonly FieldProblem[] {
  const problems = resourceNameProblems(name, field);
  if (name.includes("/")) {
    return [
      ...problems,
      ...(isExtended(name) || isNative(name)
        ? []
        : [invalidValue(field, name, "doesn't follow extended resource name standard")]),
    ];
  }
  return containerNames.has(name) || isHugePages(name)
    ? problems
    : [...problems, invalidValue(field, name, "must be a standard resource for containers")];
}

function valueProblems(
  name: string,
  quantity: Quantity | undefined,
  amount: string,
  field: string,
): readonly FieldProblem[] {
  if (quantity === undefined) return [];
  const problems: FieldProblem[] = [];
  if (quantity.nanos < 0n) {
    problems.push(invalidValue(field, amount, "must be greater than or equal to 0"));
  }
  const isWhole = quantity.nanos % 1_000_000_000n === 0n;
  if (isExtended(name) && !isWhole) problems.push(invalidValue(field, amount, "must be an integer"));
  return problems;
}

function requestProblems(
  name: string,
  request: string,
  limit: string | undefined,
  field: string,
): readonly FieldProblem[] {
  const canOvercommit = isOvercommitAllowed(name);
  if (limit === undefined) {
    const detail = "Limit must be set for non overcommitable resources";
    return canOvercommit ? [] : [required(`${field}.limits`, detail)];
  }
  const [asked, most] = [readAmount(request), readAmount(limit)];
  if (asked === undefined || most === undefined) return [];
  const order = compareQuantities(asked, most);
  if (order !== 0 && !canOvercommit) {
    return [invalidValue(`${field}.requests`, request, `must be equal to ${name} limit of ${limit}`)];
  }
  const detail = `must be less than or equal to ${name} limit of ${limit}`;
  return order > 0 ? [invalidValue(`${field}.requests`, request, detail)] : [];
}

/** Whether limits may exceed requests. */
export function isOvercommitAllowed(name: string): boolean {
  return isNative(name) && !isHugePages(name);
}

function isStandard(name: string): boolean {
  return standardNames.has(name) || /^(requests\.)?hugepages-/.test(name);
}

function isHugePages(name: string): boolean {
  return name.startsWith("hugepages-");
}

function isNative(name: string): boolean {
  return !name.includes("/") || name.includes("kubernetes.io/");
}

/** Whether a vendor, not Kubernetes, defines the resource; such a resource is counted, not measured. */
export function isExtended(name: string): boolean {
  return (
    !isNative(name) && !name.startsWith("requests.") && qualifiedNameProblems(`requests.${name}`).length === 0
  );
}

/** Amounts of resources, by name: `{ cpu: "500m" }`. */
export type ResourceAmounts = Record<string, string>;

/** Writes every amount as the server stores it: `0.5` becomes `500m`, and nothing is finer than a thousandth. */
export function normalizeAmounts(amounts: ResourceAmounts | undefined): void {
  if (amounts === undefined) return;
  for (const [name, amount] of Object.entries(amounts)) {
    const stored = storedAmount(amount);
    if (stored !== amount) amounts[name] = stored;
  }
}

const nanosPerThousandth = 1_000_000n;

/** Most amounts are small and written as they are stored; YAML makes a number of `cpu: 2`. */
function storedAmount(given: string | number): string {
  const amount = String(given);
  if (/^[1-9]\d{0,2}(m|Ki|Mi|Gi)?$/.test(amount)) return amount;
  const quantity = readAmount(amount);
  if (quantity === undefined) return amount;
  return quantity.nanos % nanosPerThousandth === 0n
    ? quantityAsStored(amount)
    : formatQuantity(roundUpQuantity(quantity, -3));
}

/** Adds what the first has and the second lacks. */
export function fillAmounts(from: ResourceAmounts | undefined, into: ResourceAmounts): void {
  for (const [name, amount] of Object.entries(from ?? {})) into[name] ??= amount;
}

/** Undefined for what is not an amount; decoding refuses such texts before anything here sees them. */
export function readAmount(amount: string | number): Quantity | undefined {
  try {
    return parseQuantity(amount);
  } catch (error) {
    if (error instanceof InvalidQuantityError) return undefined;
    throw error;
  }
}
