import { compareQuantities, type Draft, parseQuantity, type Quantity } from "@keelson/core";
import type { LimitRange, LimitRangeItem, ResourceQuota } from "@keelson/core/kinds/core/v1";
import { qualifiedNameProblems } from "../../resource/name-problems.ts";
import type { Strategy } from "../../resource/strategy.ts";
import {
  duplicateValue,
  type FieldProblem,
  forbiddenField,
  indexed,
  invalidValue,
  keyed,
  required,
} from "../../status/field-problem.ts";
import { builtinStrategy, type Given } from "../builtin-strategy.ts";
import {
  containerResourceNameProblems,
  fillAmounts,
  isOvercommitAllowed,
  normalizeAmounts,
  type ResourceAmounts,
  readAmount,
  resourceNameProblems,
} from "../pod/resource-requirements.ts";
import { quotaProblems } from "./quota-validation.ts";

/** The admission plugin LimitRanger enforces it. */
export const limitRangeStrategy: Strategy = builtinStrategy<LimitRange>({
  initialStatus: "none",
  allowsCreateOnUpdate: true,
  setDefaults(range) {
    range.spec ??= {};
    for (const item of range.spec.limits ?? []) setItemDefaults(item);
  },
  validate: ({ spec = {} }) => limitsProblems(spec.limits ?? []),
});

function setItemDefaults(item: Draft<Given<LimitRangeItem>>): void {
  for (const amounts of [item.max, item.min, item.default, item.defaultRequest, item.maxLimitRequestRatio])
    normalizeAmounts(amounts);
  if (item.type !== "Container") return;
  const limits = item.default ?? {};
  const requests = item.defaultRequest ?? {};
  fillAmounts(item.max, limits);
  fillAmounts(limits, requests);
  fillAmounts(item.min, requests);
  if (Object.keys(limits).length > 0) item.default = limits;
  if (Object.keys(requests).length > 0) item.defaultRequest = requests;
}

export const resourceQuotaStrategy: Strategy = builtinStrategy<ResourceQuota>({
  setDefaults(quota) {
    quota.spec ??= {};
    normalizeAmounts(quota.spec.hard);
    normalizeAmounts(quota.status?.hard);
    normalizeAmounts(quota.status?.used);
  },
  validate: ({ spec = {} }) => quotaProblems(spec),
});

type GivenItem = Given<LimitRangeItem>;

const limitTypes = ["Pod", "Container", "PersistentVolumeClaim"];
const amountFields = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] as const;
const one = parseQuantity("1");

/** The limits of a LimitRange. */
export function limitsProblems(limits: readonly GivenItem[]): readonly FieldProblem[] {
  const types = limits.map(({ type = "" }) => type);
  return limits.flatMap((item, index) => {
    const field = indexed("spec.limits", index);
    const { type = "" } = item;
    const names = new Set(fieldsOf(item).flatMap((name) => Object.keys(item[name] ?? {})));
    return [
      ...typeProblems(type, `${field}.type`),
      ...(types.indexOf(type) < index ? [duplicateValue(`${field}.type`, type)] : []),
      ...namesProblems(item, field),
      ...[...names].flatMap((name) => [
        ...orderProblems(item, name, field),
        ...ratioProblems(item, name, field),
        ...overcommitProblems(item, name, field),
      ]),
    ];
  });
}

function typeProblems(type: string, field: string): readonly FieldProblem[] {
  const problems = qualifiedNameProblems(type).map((detail) => invalidValue(field, type, detail));
  return problems.length > 0 || type.includes("/") || limitTypes.includes(type)
    ? problems
    : [invalidValue(field, type, "must be a standard limit type or fully qualified")];
}

/** Pods as a whole have no defaults, so those are not looked into. */
function fieldsOf({ type }: GivenItem): readonly (typeof amountFields)[number][] {
  return type === "Pod"
    ? amountFields.filter((name) => name !== "default" && name !== "defaultRequest")
    : amountFields;
}

function namesProblems(item: GivenItem, field: string): readonly FieldProblem[] {
  const { type, min, max } = item;
  const check = type === "Pod" || type === "Container" ? containerResourceNameProblems : resourceNameProblems;
  const forPods = "may not be specified when `type` is 'Pod'";
  const needsStorage = type === "PersistentVolumeClaim" && !min?.["storage"] && !max?.["storage"];
  const neither = "either minimum or maximum storage value is required, but neither was provided";
  return [
    ...fieldsOf(item).flatMap((name) =>
      Object.keys(item[name] ?? {}).flatMap((resource) =>
        check(resource, keyed(`${field}.${name}`, resource)),
      ),
    ),
    ...(["default", "defaultRequest"] as const).flatMap((name) =>
      type === "Pod" && Object.keys(item[name] ?? {}).length > 0
        ? [forbiddenField(`${field}.${name}`, forPods)]
        : [],
    ),
    ...(needsStorage ? [required(`${field}.limits`, neither)] : []),
  ];
}

function orderProblems(item: GivenItem, name: string, field: string): readonly FieldProblem[] {
  const hasDefaults = item.type !== "Pod";
  const min = amountOf(item.min, name);
  const max = amountOf(item.max, name);
  const limit = hasDefaults ? amountOf(item.default, name) : undefined;
  const request = hasDefaults ? amountOf(item.defaultRequest, name) : undefined;
  const check = (
    [small, smallName]: readonly [Amount | undefined, string],
    [large, largeName]: readonly [Amount | undefined, string],
    place: string,
    shown: Amount | undefined,
  ): readonly FieldProblem[] => {
    if (small === undefined || large === undefined) return [];
    if (compareQuantities(small.quantity, large.quantity) <= 0) return [];
    const detail = `${smallName} value ${small.text} is greater than ${largeName} value ${large.text}`;
    return [invalidValue(keyed(`${field}.${place}`, name), shown?.text, detail)];
  };
  // The values of the last two are those of the bounds: so the server shows them.
  return [
    ...check([min, "min"], [max, "max"], "min", min),
    ...check([min, "min"], [request, "default request"], "defaultRequest", request),
    ...check([request, "default request"], [max, "max"], "defaultRequest", request),
    ...check([request, "default request"], [limit, "default limit"], "defaultRequest", request),
    ...check([min, "min"], [limit, "default"], "default", min),
    ...check([limit, "default"], [max, "max"], "default", max),
  ];
}

function ratioProblems(item: GivenItem, name: string, field: string): readonly FieldProblem[] {
  const ratio = amountOf(item.maxLimitRequestRatio, name);
  if (ratio === undefined) return [];
  const place = keyed(`${field}.maxLimitRequestRatio`, name);
  const [min, max] = [amountOf(item.min, name), amountOf(item.max, name)];
  const most =
    min && max ? Number(max.quantity.nanos) / Number(min.quantity.nanos) : Number.POSITIVE_INFINITY;
  const tooLarge = `ratio ${ratio.text} is greater than max/min = ${most.toFixed(6)}`;
  return [
    ...(compareQuantities(ratio.quantity, one) < 0
      ? [invalidValue(place, ratio.text, `ratio ${ratio.text} is less than 1`)]
      : []),
    ...(Number(ratio.quantity.nanos) / 1e9 > most ? [invalidValue(place, ratio.text, tooLarge)] : []),
  ];
}

function overcommitProblems(item: GivenItem, name: string, field: string): readonly FieldProblem[] {
  if (isOvercommitAllowed(name) || item.type === "Pod") return [];
  const [limit, request] = [amountOf(item.default, name), amountOf(item.defaultRequest, name)];
  if (!limit || !request || compareQuantities(limit.quantity, request.quantity) === 0) return [];
  const detail = `default value ${limit.text} must equal to defaultRequest value ${request.text} in ${name}`;
  return [invalidValue(keyed(`${field}.defaultRequest`, name), request.text, detail)];
}

interface Amount {
  readonly text: string;
  readonly quantity: Quantity;
}

function amountOf(amounts: Readonly<ResourceAmounts> | undefined, name: string): Amount | undefined {
  const text = amounts?.[name];
  const quantity = text === undefined ? undefined : readAmount(text);
  return text === undefined || quantity === undefined ? undefined : { text, quantity };
}
