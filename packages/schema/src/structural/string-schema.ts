import { z } from "zod";
import { type Constraint, refuseConstraints } from "./checks.ts";
import { toRe2 } from "./re2.ts";
import type { SchemaPosition } from "./schema-position.ts";
import type { StructuralSchema } from "./structural-schema.ts";

/** zod's formats that the API server checks by itself, and what it calls them. */
const kubernetesFormats: Readonly<Record<string, string>> = {
  base64: "byte",
  cidrv4: "cidr",
  cidrv6: "cidr",
  date: "date",
  datetime: "date-time",
  email: "email",
  guid: "uuid",
  hostname: "hostname",
  ipv4: "ipv4",
  ipv6: "ipv6",
  mac: "mac",
  url: "uri",
  uuid: "uuid",
};

/** UUID versions that have a format of their own. */
const uuidFormats: Readonly<Record<string, string>> = { v3: "uuid3", v4: "uuid4", v5: "uuid5" };

/** Patterns that require no more than the format does; one that an author sets instead does. */
const plainPatterns: Readonly<Record<string, RegExp | undefined>> = {
  base64: z.base64()._zod.def.pattern,
  date: z.iso.date()._zod.def.pattern,
  email: z.email()._zod.def.pattern,
  guid: z.guid()._zod.def.pattern,
  hostname: z.hostname()._zod.def.pattern,
  ipv4: z.ipv4()._zod.def.pattern,
  ipv6: z.ipv6()._zod.def.pattern,
  mac: z.mac()._zod.def.pattern,
};

type StringFormat = Extract<Constraint, { readonly check: "string_format" }>;

/** What a string may be: its length, its format, its patterns. */
export function stringSchema(constraints: readonly Constraint[], at: SchemaPosition): StructuralSchema {
  const lengths: { min?: number; max?: number } = {};
  const patterns: string[] = [];
  let format: string | undefined;
  for (const constraint of constraints) {
    const [min, max] = lengthLimits(constraint);
    if (min !== undefined) lengths.min = Math.max(min, lengths.min ?? min);
    if (max !== undefined) lengths.max = Math.min(max, lengths.max ?? max);
    if (constraint.check === "string_format") {
      const known = kubernetesFormat(constraint, at);
      if (format !== undefined && known !== undefined && format !== known) {
        at.report(
          `has the formats ${format} and ${known}, and a schema has room for one`,
          "say the other with .regex()",
        );
      }
      format ??= known;
      if (known === undefined || isNarrower(constraint)) patterns.push(...patternOf(constraint, at));
    } else if (min === undefined && max === undefined) {
      refuseConstraints([constraint], at);
    }
  }
  return {
    type: "string",
    ...(format !== undefined && { format }),
    ...(lengths.min !== undefined && lengths.min > 0 && { minLength: lengths.min }),
    ...(lengths.max !== undefined && { maxLength: lengths.max }),
    ...allPatterns(patterns),
  };
}

/** The least and the greatest length that a constraint allows. */
export function lengthLimits(constraint: Constraint): readonly [min?: number | undefined, max?: number] {
  if (constraint.check === "min_length") return [constraint.minimum];
  if (constraint.check === "max_length") return [undefined, constraint.maximum];
  return constraint.check === "length_equals" ? [constraint.length, constraint.length] : [];
}

/** Several patterns must all match, and a schema has room for one. */
function allPatterns(patterns: readonly string[]): StructuralSchema {
  const [first, ...others] = patterns;
  if (first === undefined) return {};
  return others.length === 0 ? { pattern: first } : { allOf: patterns.map((pattern) => ({ pattern })) };
}

function re2PatternOf(expression: RegExp, at: SchemaPosition): readonly string[] {
  const re2 = toRe2(expression);
  if ("pattern" in re2) return [re2.pattern];
  at.report(
    `has the pattern ${expression} with ${re2.problem}, which Go's regular expressions lack`,
    "write it without, or as a CEL rule with rule()",
  );
  return [];
}

function kubernetesFormat(constraint: StringFormat, at: SchemaPosition): string | undefined {
  if (constraint.format === "duration") {
    at.report("is an ISO 8601 duration; Kubernetes writes durations as Go does (1h30m)", "use duration()");
  }
  reportLostOptions(constraint, at);
  const version = "version" in constraint ? constraint.version : undefined;
  if (constraint.format === "uuid" && typeof version === "string") return uuidFormats[version] ?? "uuid";
  return kubernetesFormats[constraint.format];
}

/** Options of a format that neither the server's format nor a pattern could stand for. */
function reportLostOptions(constraint: StringFormat, at: SchemaPosition): void {
  const options: Readonly<Record<string, unknown>> = { ...constraint };
  if (options.hostname !== undefined || options.protocol !== undefined) {
    at.report(
      "limits the protocol or the host of a URL, which the format uri cannot",
      "add a .regex() instead",
    );
  }
  if (options.normalize === true) {
    at.report("changes values to their normal form, which the API server does not", "leave out normalize");
  }
  if (options.local === true) {
    at.report(
      "allows times without a zone, which the format date-time refuses",
      "use a plain string and .regex()",
    );
  }
}

/** Whether zod requires more than the server's format of that name does, as far as its pattern shows. */
function isNarrower(constraint: StringFormat): boolean {
  return constraint.pattern !== undefined && String(constraint.pattern) !== String(plainPattern(constraint));
}

/** zod's pattern for what the server's format stands for; none where the server's is wider than all of zod's. */
function plainPattern(constraint: StringFormat): RegExp | undefined {
  const { regexes } = z.core;
  const options: Readonly<Record<string, unknown>> = { ...constraint };
  if (constraint.format === "datetime") return regexes.datetime({ offset: options.offset === true });
  if (constraint.format === "uuid") {
    const version = String(options.version);
    return regexes.uuid(version in uuidFormats ? Number(version.slice(1)) : undefined);
  }
  return plainPatterns[constraint.format];
}

function patternOf(constraint: StringFormat, at: SchemaPosition): readonly string[] {
  if (constraint.format === "duration") return [];
  if (constraint.pattern !== undefined) return re2PatternOf(constraint.pattern, at);
  at.report(`has the format ${constraint.format}, which Kubernetes does not know`, "use .regex() or rule()");
  return [];
}

/** `z.templateLiteral`: zod has made a pattern of it. */
export function templateLiteralSchema(
  schema: z.core.$ZodTemplateLiteral,
  at: SchemaPosition,
): StructuralSchema {
  return { type: "string", ...allPatterns(re2PatternOf(schema._zod.pattern, at)) };
}
