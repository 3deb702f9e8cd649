import type { KubeObject } from "@keelson/core";

/** What `kubectl describe` shows of an object's life. */
export interface EventToRecord {
  readonly type: "Normal" | "Warning";
  /** Why, in one word, such as `ScaledUp`. */
  readonly reason: string;
  /** What was done, in one word, such as `Scale`. Default: the reason. */
  readonly action?: string;
  readonly message: string;
  /** Another object that it is about. */
  readonly related?: KubeObject;
}

/** Records Events, which show the users of an object what happened to it. Never blocks and never throws. */
export interface EventRecorder {
  record(object: KubeObject, event: EventToRecord): void;
}

/** Records nothing. */
export const noEvents: EventRecorder = { record() {} };
