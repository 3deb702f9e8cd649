import type { Stage } from "./stage.ts";

/**
 * Something that a user may do to an API server. It is run on both servers; what it shows on its stage must be the same
 * on both, word by word, after what may differ (uids, times, versions, generated names) is given common names.
 */
export interface ConformanceCase {
  /** A sentence that states what happens; unique. */
  readonly name: string;
  run(stage: Stage): Promise<void>;
}

/** Cases that belong together. */
export interface CaseGroup {
  readonly title: string;
  readonly cases: readonly ConformanceCase[];
}

/** A case by its sentence and its steps. */
export function conforms(name: string, run: (stage: Stage) => Promise<void>): ConformanceCase {
  return { name, run };
}

/** What is created: an object, or one that needs the stage, such as for a name that is unique in the cluster. */
export type Creation = readonly [
  sentence: string,
  resource: string,
  object: unknown | ((stage: Stage) => unknown),
];

/** One case for each row: the object is created, and the response recorded. A path that begins with `/` is not in the namespace of the case. */
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
