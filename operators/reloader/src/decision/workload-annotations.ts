import type { PodTemplateSpec } from "keelson/kinds/core/v1";
import type { Workload } from "../workload/workload.ts";
import type { Texts } from "./decision-settings.ts";

/** What of a workload the decisions read. */
export type AnnotatedWorkload = Pick<Workload, "kind" | "metadata" | "template" | "aliases">;

/** Where annotations of a workload may be, the most important place first: on itself, on its aliases, on its pod template. */
export function annotationSources({
  metadata,
  aliases,
  template,
}: Pick<AnnotatedWorkload, "metadata" | "template" | "aliases">): readonly Texts[] {
  return [
    metadata.annotations ?? {},
    ...aliases.map(({ object }) => object.metadata.annotations ?? {}),
    templateAnnotations(template),
  ];
}

/** The value at the most important place that has one. */
export function annotationOf(workload: AnnotatedWorkload, key: string): string | undefined {
  return annotationSources(workload).find((annotations) => annotations[key] !== undefined)?.[key];
}

function templateAnnotations(template: PodTemplateSpec | undefined): Texts {
  return template?.metadata?.annotations ?? {};
}
