import type { LabelSelector } from "@keelson/core";
import { z } from "zod";
import { atomic, type ListMap, listMap } from "./lists.ts";
import { quantity } from "./scalars.ts";

/** One condition, limited as meta/v1 limits it. */
type ConditionSchema = z.ZodObject<{
  type: z.ZodString;
  status: z.ZodEnum<{ True: "True"; False: "False"; Unknown: "Unknown" }>;
  observedGeneration: z.ZodExactOptional<z.ZodInt>;
  lastTransitionTime: z.ZodISODateTime;
  reason: z.ZodString;
  message: z.ZodString;
}>;

const conditionType =
  /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

/** The conditions of a status, one of each type. */
export function conditions(): ListMap<ConditionSchema, "type"> {
  const condition: ConditionSchema = z.object({
    type: z.string().max(316).regex(conditionType),
    status: z.enum(["True", "False", "Unknown"]),
    observedGeneration: z.int().min(0).exactOptional(),
    lastTransitionTime: z.iso.datetime({ offset: true }),
    reason: z
      .string()
      .min(1)
      .max(1024)
      .regex(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/),
    message: z.string().max(32768),
  });
  return listMap(condition, ["type"]);
}

/** Which objects are meant, by their labels. */
export function labelSelector(): z.ZodType<LabelSelector, LabelSelector> {
  const requirement = z.object({
    key: z.string(),
    operator: z.enum(["In", "NotIn", "Exists", "DoesNotExist"]),
    values: z.array(z.string()).exactOptional(),
  });
  return atomic(
    z.object({
      matchLabels: z.record(z.string(), z.string()).exactOptional(),
      matchExpressions: z.array(requirement).exactOptional(),
    }),
  );
}

/** What a container requests and may use at most, by resource: `{ requests: { cpu: "500m" } }`. */
export interface ResourceRequirements {
  readonly requests?: Readonly<Record<string, number | string>>;
  readonly limits?: Readonly<Record<string, number | string>>;
}

export function resourceRequirements(): z.ZodType<ResourceRequirements, ResourceRequirements> {
  const amounts = z.record(z.string(), quantity());
  return z.object({ requests: amounts.exactOptional(), limits: amounts.exactOptional() });
}

/** The same for a container, which takes amounts as text only; users may write `cpu: 1`. */
export function textResources({ requests, limits }: ResourceRequirements): {
  readonly requests?: Readonly<Record<string, string>>;
  readonly limits?: Readonly<Record<string, string>>;
} {
  return {
    ...(requests !== undefined && { requests: textAmounts(requests) }),
    ...(limits !== undefined && { limits: textAmounts(limits) }),
  };
}

function textAmounts(amounts: Readonly<Record<string, number | string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, String(amount)]));
}

/** A Secret with the credentials of a registry. */
export interface ImagePullSecret {
  readonly name: string;
}

/** The `imagePullSecrets` of a pod. */
export function imagePullSecrets(): ListMap<z.ZodType<ImagePullSecret, ImagePullSecret>, "name"> {
  return listMap(z.object({ name: z.string().min(1).max(253) }), ["name"]).max(16);
}
