import { parseDurationMs, z } from "keelson";
import type { ConcurrencyDefaults } from "keelson/controller";
import { dnsLabelProblem, dnsSubdomainProblem, isRecord } from "keelson/low-level";
import { type LogLevel, levelFrom } from "keelson/telemetry";

/**
 * Types of settings. Each takes the text that a flag or a variable holds, and what YAML makes of the same in a file. What
 * they say of a wrong value goes on after its name: `must be …`.
 */
function typeOf<Value>(read: (given: unknown) => Value | undefined, expected: string): z.ZodType<Value> {
  return z.unknown().transform((given, context): Value => {
    const value = read(given);
    if (value !== undefined) return value;
    context.addIssue({ code: "custom", message: expected, input: given });
    return z.NEVER;
  });
}

export function text(what: string): z.ZodType<string> {
  return typeOf(
    (given) => (typeof given === "string" && given !== "" ? given : undefined),
    `must be ${what}`,
  );
}

/** Several texts, each of which passes. */
export function list(
  what: string,
  passes: (item: string) => boolean = () => true,
): z.ZodType<readonly string[]> {
  const read = (given: unknown): readonly string[] | undefined => {
    const items: readonly unknown[] = Array.isArray(given) ? given : [given];
    const texts = items.filter((item) => typeof item === "string" && item !== "" && passes(item));
    return texts.length === items.length ? texts.map(String) : undefined;
  };
  return typeOf(read, `must be ${what}`);
}

/** On or off. */
export function toggle(): z.ZodType<boolean> {
  return typeOf((given) => toggles.get(String(given)), "must be true or false");
}

const toggles: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["false", false],
]);

export function choice<const Option extends string>(options: readonly Option[]): z.ZodType<Option> {
  const read = (given: unknown): Option | undefined => options.find((option) => option === given);
  return typeOf(read, `must be one of ${options.join(", ")}`);
}

/** In any case. */
export function logLevel(): z.ZodType<LogLevel> {
  const read = (given: unknown): LogLevel | undefined => {
    try {
      return levelFrom(String(given));
    } catch {
      // All settings report a wrong value in the same form.
      return undefined;
    }
  };
  return typeOf(read, "must be one of debug, info, warn, error");
}

/** A port; -1 is none. */
export function port(): z.ZodType<number> {
  const read = (given: unknown): number | undefined => {
    const number = wholeNumber(given);
    return number !== undefined && number >= -1 && number <= 65_535 ? number : undefined;
  };
  return typeOf(read, "must be a port from 1 to 65535, 0 for any free one, or -1 for none");
}

/** A time in milliseconds, written with its units, such as `30s` or `1m30s`. */
export function durationMs(): z.ZodType<number> {
  const read = (given: unknown): number | undefined => {
    const ms = given === 0 ? 0 : typeof given === "string" ? parseDurationMs(given) : undefined;
    return ms === undefined || ms < 0 ? undefined : Math.round(ms);
  };
  return typeOf(read, "must be a time with its unit, such as 500ms, 30s, 5m or 1h30m");
}

export function dnsLabel(what: string): z.ZodType<string> {
  return named(what, dnsLabelProblem);
}

export function dnsSubdomain(what: string): z.ZodType<string> {
  return named(what, dnsSubdomainProblem);
}

function named(what: string, problemOf: (name: string) => string | undefined): z.ZodType<string> {
  const read = (given: unknown): string | undefined =>
    typeof given === "string" && given !== "" && problemOf(given) === undefined ? given : undefined;
  return typeOf(
    read,
    `must be ${what}: lower-case letters, digits and -, with a letter or digit at both ends`,
  );
}

/** `namespace/name`, maybe with `:port`. */
export interface ServiceName {
  readonly namespace: string;
  readonly name: string;
  readonly port?: number;
}

export function serviceName(): z.ZodType<ServiceName> {
  const read = (given: unknown): ServiceName | undefined => {
    const [, namespace, name, portText] = /^([^/:]+)\/([^/:]+)(?::(\d+))?$/.exec(String(given)) ?? [];
    if (namespace === undefined || name === undefined) return undefined;
    if (dnsLabelProblem(namespace) !== undefined || dnsLabelProblem(name) !== undefined) return undefined;
    return { namespace, name, ...(portText !== undefined && { port: Number(portText) }) };
  };
  return typeOf(read, "must be NAMESPACE/NAME or NAMESPACE/NAME:PORT of a Service");
}

/** `https://host:port`. */
export function httpsUrl(): z.ZodType<string> {
  const read = (given: unknown): string | undefined => {
    if (typeof given !== "string" || !URL.canParse(given)) return undefined;
    const { protocol, pathname, search } = new URL(given);
    return protocol === "https:" && pathname === "/" && search === "" ? given : undefined;
  };
  return typeOf(read, "must be a URL such as https://host:9443, without a path");
}

/**
 * How many at once: a number for all kinds, `Kind.group=number` for one; several of these, or in a file also a mapping
 * from kinds to numbers, in which `default` stands for all other kinds.
 */
export function concurrency(): z.ZodType<ConcurrencyDefaults> {
  return typeOf(
    readConcurrency,
    "must be a number from 1, or KIND.GROUP=NUMBER for one kind, such as WebApp.example.com=4",
  );
}

function readConcurrency(given: unknown): ConcurrencyDefaults | undefined {
  const entries = isRecord(given)
    ? Object.entries(given)
    : (Array.isArray(given) ? given : [given]).map(splitAssignment);
  const limits = entries.map(([kind, limit]) => [kind, wholeNumber(limit)] as const);
  const byKind: Record<string, number> = {};
  let ofAll: number | undefined;
  for (const [kind, limit] of limits) {
    if (limit === undefined || limit < 1 || !/^(default|[A-Z]\w*(\.[a-z0-9.-]+)?)$/.test(kind))
      return undefined;
    if (kind === "default") ofAll = limit;
    else byKind[kind] = limit;
  }
  return { ...(ofAll !== undefined && { default: ofAll }), byKind };
}

function splitAssignment(item: unknown): readonly [string, unknown] {
  const [, kind, limit] = /^([^=]+)=(.*)$/.exec(String(item)) ?? [];
  return kind === undefined ? ["default", item] : [kind, limit];
}

function wholeNumber(given: unknown): number | undefined {
  const isNumber = typeof given === "number" || (typeof given === "string" && /^-?\d+$/.test(given));
  return isNumber && Number.isSafeInteger(Number(given)) ? Number(given) : undefined;
}
