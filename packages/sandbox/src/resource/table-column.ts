import type { GenericObject } from "@keelson/core";

/** A column of what `kubectl get` prints. */
export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** 0: always shown; above: only with `-o wide`. */
  readonly priority: number;
  /** What stands in the cell; `now` in milliseconds, for ages. */
  cell(object: GenericObject, now: number): string | number | boolean | null;
}
