import type { KubeObject } from "@keelson/core";
import { formatLabelSelector, type LabelSelector } from "@keelson/core";
import type { Container, PodTemplateSpec } from "@keelson/core/kinds/core/v1";
import type { KindColumn } from "./column.ts";

/** `a=1,b=2`, by key; `<none>` if there are no labels. */
export function labelsText(labels: Readonly<Record<string, string>> | undefined): string {
  const pairs = Object.keys(labels ?? {})
    .sort()
    .map((key) => `${key}=${labels?.[key]}`);
  return orNone(pairs.join(","));
}

/** A selector as text; `<none>` if it selects everything or is not there. */
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
