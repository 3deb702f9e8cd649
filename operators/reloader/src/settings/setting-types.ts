import { parseDurationMs, z } from "keelson";
import {
  InvalidLabelSelectorError,
  type LabelQuery,
  parseLabelSelector,
  qualifiedNameProblem,
} from "keelson/low-level";
import { csvFields } from "./csv-fields.ts";

/** The texts that `strconv.ParseBool` of Go reads. */
const booleans: ReadonlyMap<string, boolean> = new Map([
  ...["1", "t", "T", "TRUE", "true", "True"].map((text) => [text, true] as const),
  ...["0", "f", "F", "FALSE", "false", "False"].map((text) => [text, false] as const),
]);

/** The boolean that a text stands for, as Go reads it; undefined for other texts. */
export function parseBoolean(text: string): boolean | undefined {
  return booleans.get(text);
}

/** On or off. */
export function toggle(): z.ZodType<boolean> {
  return z.preprocess((given) => parseBoolean(String(given)) ?? given, z.boolean());
}

const timeHelp = "write a time with its unit, such as 500ms, 30s, 5m or 1h30m";

/** A time in milliseconds, written as a duration of Go. */
export function timeMs(byDefault: string): z.ZodType<number> {
  return z
    .preprocess((given) => (given === 0 ? "0s" : given), z.string())
    .prefault(byDefault)
    .transform((text, context): number => {
      const ms = parseDurationMs(text);
      if (ms !== undefined && ms >= 0) return Math.round(ms);
      context.addIssue({ code: "custom", message: timeHelp, input: text });
      return z.NEVER;
    })
    .meta({ placeholder: "TIME" });
}

/** Several texts; each may hold several, with commas between them and quotes around those that hold commas. */
function texts(): z.ZodType<readonly string[]> {
  return z
    .array(z.string())
    .optional()
    .transform((given = [], context): readonly string[] => {
      const fields = csvFields(given.join(","));
      if (fields !== undefined) return fields.map((field) => field.trim());
      const message = 'close the quotes, and write "" for a quote within quotes';
      context.addIssue({ code: "custom", message, input: given });
      return z.NEVER;
    });
}

/** A list of texts, each of which `read` turns into a value; `choice` says what there is. */
export function list<Value>(
  read: (text: string) => Value | undefined,
  choice: string,
): z.ZodType<readonly Value[]> {
  return texts().transform((given, context): readonly Value[] => {
    const values = given
      .filter((text) => text !== "")
      .map((text) => {
        const value = read(text);
        if (value === undefined) context.addIssue({ code: "custom", message: choice, input: text });
        return value;
      });
    return [...new Set(values.filter((value) => value !== undefined))];
  });
}

/**
 * A label selector, of which several items must all hold. Upstream's `key:value` is `key=value`, and its `key:*` and `key=*`
 * stand for any value. Undefined selects everything.
 */
export function selector(): z.ZodType<LabelQuery | undefined> {
  return texts()
    .transform((items, context): LabelQuery | undefined => {
      if (items.every((item) => item === "")) return undefined;
      try {
        return parseLabelSelector(items.map(currentForm).join(","));
      } catch (error) {
        if (!(error instanceof InvalidLabelSelectorError)) throw error;
        const message = `${error.message}; write a label selector such as team=shop,tier in (web,api)`;
        context.addIssue({ code: "custom", message, input: items });
        return z.NEVER;
      }
    })
    .meta({ placeholder: "SELECTOR" });
}

function currentForm(item: string): string {
  const [, key = item, value] = /^([^:=!<>() ]+)[:=]([^:=]*)$/.exec(item) ?? [];
  if (value === undefined) return item;
  return value === "*" ? key : `${key}=${value}`;
}

/** The name of an annotation. */
export function annotationName(): z.ZodType<string | undefined> {
  return z
    .string()
    .refine((name) => qualifiedNameProblem(name) === undefined, {
      error: ({ input }) =>
        `the name of an annotation ${qualifiedNameProblem(String(input)) ?? ""}; write one such as example.com/reload`,
    })
    .meta({ placeholder: "NAME" })
    .optional();
}

/** The URL of an HTTP server. It may hold a token, so it is never shown. */
export function hiddenUrl(): z.ZodType<string | undefined> {
  return z
    .url({ protocol: /^https?$/, error: "write a URL such as https://host/path" })
    .meta({ placeholder: "URL", sensitive: true })
    .optional();
}
