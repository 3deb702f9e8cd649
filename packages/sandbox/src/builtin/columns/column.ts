import { formatLabelSelector, type GenericObject, type KubeObject, type LabelSelector } from "@keelson/core";
import type { Container, PodTemplateSpec } from "@keelson/core/kinds/core/v1";
import { decoded } from "../../resource/mutable-object.ts";
import type { TableColumn } from "../../resource/served-resource.ts";

export type Cell = ReturnType<TableColumn["cell"]>;

/** A column of a kind whose objects are known. */
export interface KindColumn<T extends KubeObject> {
  readonly name: string;
  /** Default: `string`. */
  readonly type?: "string" | "integer" | "boolean" | "date";
  /** Default: none. */
  readonly format?: string;
  readonly description: string;
  /** Whether it is shown only with `-o wide`. Default: false. */
  readonly isWide?: boolean;
  cell(object: T, now: number): Cell;
}

export const nameColumn: KindColumn<KubeObject> = {
  name: "Name",
  format: "name",
  description: "Name of the object, unique among those of its kind and namespace",
  cell: ({ metadata }) => metadata.name ?? "",
};

export const ageColumn: KindColumn<KubeObject> = {
  name: "Age",
  description: "Time since the object was created",
  cell: ({ metadata }, now) => ageSince(metadata.creationTimestamp, now),
};

/** What the server prints of kinds that it knows no columns of. */
export const createdAtColumn: KindColumn<KubeObject> = {
  name: "Created At",
  type: "date",
  description: "When the object was created",
  cell: ({ metadata }) => metadata.creationTimestamp ?? null,
};

/** The columns of a kind, as the server keeps them. */
export function columnsFor<T extends KubeObject>(columns: readonly KindColumn<T>[]): readonly TableColumn[] {
  return columns.map(({ name, type = "string", format = "", description, isWide = false, cell }) => ({
    name,
    type,
    format,
    description,
    priority: isWide ? 1 : 0,
    cell: (object, now) => cell(asKind<T>(object), now),
  }));
}

/** A column only receives objects of its kind, which were checked by its schema. */
function asKind<T extends KubeObject>(object: GenericObject): T {
  return decoded<T>(object);
}

/** `a=1,b=2`, by key; `<none>` if there are no labels. */
export function labelsText(labels: Readonly<Record<string, string>> | undefined): string {
  const pairs = Object.keys(labels ?? {})
    .sort()
    .map((key) => `${key}=${labels?.[key]}`);
  return orNone(pairs.join(","));
}

/** A selector as text; `<none>` if it selects everything or is absent. */
export function selectorText(selector: LabelSelector | undefined): string {
  return orNone(selector === undefined ? "" : formatLabelSelector(selector));
}

export function orNone(text: string | undefined): string {
  return text || "<none>";
}

/** The first ones, and how many more there are: `a,b,c + 2 more...`. */
export function firstAndMore(texts: readonly string[], most: number): string {
  const shown = texts.slice(0, most).join(",");
  return texts.length > most ? `${shown} + ${texts.length - most} more...` : shown;
}

export function yesOrNo(value: boolean): string {
  return value ? "True" : "False";
}

/** Names and images of the containers of a template. */
export function containerColumns<T extends KubeObject>(
  templateOf: (object: T) => PodTemplateSpec | undefined,
): readonly KindColumn<T>[] {
  const join = (object: T, textOf: (container: Container) => string | undefined): string =>
    (templateOf(object)?.spec?.containers ?? []).map((container) => textOf(container) ?? "").join(",");
  return [
    {
      name: "Containers",
      isWide: true,
      description: "Names of the containers in the template",
      cell: (object) => join(object, ({ name }) => name),
    },
    {
      name: "Images",
      isWide: true,
      description: "Images of the containers in the template",
      cell: (object) => join(object, ({ image }) => image),
    },
  ];
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** A duration as tables print it, with two or three figures: `45s`, `5m2s`, `3h`, `4d11h`, `2y`. */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / second);
  // Clocks may differ a little.
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(ms / minute);
  if (minutes < 10) return `${minutes}m${rest(seconds % 60, "s")}`;
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(ms / hour);
  if (hours < 8) return `${hours}h${rest(minutes % 60, "m")}`;
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (days < 8) return `${days}d${rest(hours % 24, "h")}`;
  if (days < 2 * 365) return `${days}d`;
  const years = Math.trunc(days / 365);
  return hours < 24 * 365 * 8 ? `${years}y${rest(days % 365, "d")}` : `${years}y`;
}

/** How long ago a timestamp is; `<unknown>` if there is none. */
export function ageSince(timestamp: string | null | undefined, now: number): string {
  if (timestamp === undefined || timestamp === null) return "<unknown>";
  return humanDuration(now - Date.parse(timestamp));
}

function rest(count: number, unit: string): string {
  return count === 0 ? "" : `${count}${unit}`;
}
