import { KeelsonError } from "@keelson/core";

/** The requested revision is compacted; start again from the current state. */
export class CompactedError extends KeelsonError {
  static override readonly brand: string = "@keelson/sandbox.CompactedError";
  readonly code = "COMPACTED";
  readonly revision: number;
  readonly compactedRevision: number;

  constructor(revision: number, compactedRevision: number) {
    super(
      `read revision ${revision}: history up to ${compactedRevision} is compacted; start from the current state`,
    );
    this.revision = revision;
    this.compactedRevision = compactedRevision;
  }
}

/** The requested revision is higher than that of the last write. */
export class FutureRevisionError extends KeelsonError {
  static override readonly brand: string = "@keelson/sandbox.FutureRevisionError";
  readonly code = "FUTURE_REVISION";
  readonly revision: number;
  readonly currentRevision: number;

  constructor(revision: number, currentRevision: number) {
    super(
      `read revision ${revision}: the store is at ${currentRevision}; request a revision that has been written`,
    );
    this.revision = revision;
    this.currentRevision = currentRevision;
  }
}

/** Another write changed the object since it was read; read it again and repeat the decision. */
export class StaleWriteError extends KeelsonError {
  static override readonly brand: string = "@keelson/sandbox.StaleWriteError";
  readonly code = "STALE_WRITE";
  readonly expectedRevision: number;
  /** 0: it does not exist. */
  readonly actualRevision: number;

  constructor(collection: string, key: string, expectedRevision: number, actualRevision: number) {
    super(
      `write ${collection} ${key}: it is at revision ${actualRevision}, expected ${expectedRevision}; read it again`,
    );
    this.expectedRevision = expectedRevision;
    this.actualRevision = actualRevision;
  }
}

/** A listener of the store wrote to it, so that other listeners would receive changes out of order. */
export class NestedWriteError extends KeelsonError {
  static override readonly brand: string = "@keelson/sandbox.NestedWriteError";
  readonly code = "NESTED_WRITE";

  constructor(collection: string, key: string) {
    super(
      `write ${collection} ${key}: the store is notifying listeners of another write; write after the listener has returned`,
    );
  }
}

/** An object was to be stored without the metadata that every stored object has. */
export class IncompleteObjectError extends KeelsonError {
  static override readonly brand: string = "@keelson/sandbox.IncompleteObjectError";
  readonly code = "INCOMPLETE_OBJECT";

  constructor(collection: string, key: string) {
    super(`write ${collection} ${key}: the object has no name, uid or creationTimestamp; set them first`);
  }
}
