import { type ConformanceCase, conforms } from "../conformance-case.ts";
import type { Stage } from "../stage.ts";

/** What is created: an object, or one that needs the stage, such as for a name that is unique in the cluster. */
export type Creation = readonly [
  sentence: string,
  resource: string,
  object: unknown | ((stage: Stage) => unknown),
];

/** One case for each row: the object is created, and the answer shown. Paths that begin with `/` are of the cluster. */
export function creations(rows: readonly Creation[]): readonly ConformanceCase[] {
  return rows.map(([sentence, resource, object]) =>
    conforms(sentence, async (stage) => {
      await stage.create(
        resource.startsWith("/") ? resource : stage.path(resource),
        typeof object === "function" ? object(stage) : object,
      );
    }),
  );
}
