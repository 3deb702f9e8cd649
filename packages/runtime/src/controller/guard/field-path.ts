import { isRecord } from "@keelson/core";

/** One step on the way to a field. */
export type FieldStep =
  | { readonly type: "field"; readonly name: string }
  /** An element of a list, by its place. */
  | { readonly type: "place"; readonly place: number }
  /** The element of a list whose field `name` is `value`, be it a text or a number. */
  | { readonly type: "element"; readonly name: string; readonly value: string };

const quoted = String.raw`"(?:[^"\\]|\\.)*"`;
const stepPattern = new RegExp(
  String.raw`\.?(?<field>[\w-]+)|\[(?<key>${quoted})\]|\[(?<place>\d+)\]|\[(?<name>\w+)=(?<value>${quoted}|[^\]]+)\]`,
  "g",
);

/** The steps of a path as `changedFields` writes it, such as `spec.containers[name=web].image`. */
export function parseFieldPath(path: string): readonly FieldStep[] {
  return Array.from(path.matchAll(stepPattern), ({ groups = {} }) => stepOf(groups));
}

function stepOf({ field, key, place, name, value }: Record<string, string | undefined>): FieldStep {
  if (field !== undefined) return { type: "field", name: field };
  if (key !== undefined) return { type: "field", name: String(JSON.parse(key)) };
  if (place !== undefined) return { type: "place", place: Number(place) };
  const text = value ?? "";
  return { type: "element", name: name ?? "", value: text.startsWith('"') ? String(JSON.parse(text)) : text };
}

/** What is there; undefined if nothing is. */
export function valueAt(value: unknown, steps: readonly FieldStep[]): unknown {
  return steps.reduce(stepInto, value);
}

/** One step further into a value. */
export function stepInto(value: unknown, step: FieldStep): unknown {
  if (step.type === "field") {
    return isRecord(value) && Object.hasOwn(value, step.name) ? value[step.name] : undefined;
  }
  if (!Array.isArray(value)) return undefined;
  if (step.type === "place") return value[step.place];
  return value.find((element) => isRecord(element) && String(element[step.name]) === step.value);
}
