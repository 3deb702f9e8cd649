import { formatKey, KeelsonError, type ObjectKey, toError } from "@keelson/core";

/** The settings of a cache are invalid. Lists every problem. */
export class InvalidCacheSettingsError extends KeelsonError {
  static override readonly brand: string = "keelson.InvalidCacheSettingsError";
  readonly code = "INVALID_CACHE_SETTINGS";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`set up a cache: ${problems.join("; and ")}`);
    this.problems = problems;
  }
}

/** A cache was run a second time [IN21]. */
export class CacheReusedError extends KeelsonError {
  static override readonly brand: string = "keelson.CacheReusedError";
  readonly code = "CACHE_REUSED";

  constructor() {
    super("run a cache: this one has been run before; make a new one for each run");
  }
}

/** A cache was used that has stopped: its objects become stale, and no informer can start any more [IN21]. */
export class CacheStoppedError extends KeelsonError {
  static override readonly brand: string = "keelson.CacheStoppedError";
  readonly code = "CACHE_STOPPED";
  readonly operation: string;

  constructor(operation: string) {
    super(
      `${operation}: the cache has stopped; use it before its signal aborts, or read with the live client`,
    );
    this.operation = operation;
  }
}

/** A cache was read that does not run, so that the read would never end. */
export class CacheNotStartedError extends KeelsonError {
  static override readonly brand: string = "keelson.CacheNotStartedError";
  readonly code = "CACHE_NOT_STARTED";
  readonly operation: string;

  constructor(operation: string) {
    super(`${operation}: the cache has not been started; run it first, or read with the live client`);
    this.operation = operation;
  }
}

/** A kind without an informer was read from a cache whose reads start none [IN16]. */
export class ResourceNotCachedError extends KeelsonError {
  static override readonly brand: string = "keelson.ResourceNotCachedError";
  readonly code = "RESOURCE_NOT_CACHED";
  readonly operation: string;
  /** Such as `deployments.apps`. */
  readonly resource: string;

  constructor(operation: string, resource: string) {
    super(
      `${operation}: no informer watches ${resource} and failOnMissingInformer is set; acquire an informer of it, or read ` +
        `with the live client`,
    );
    this.operation = operation;
    this.resource = resource;
  }
}

/** A namespace was read that the cache's settings leave out: whether the object exists is not known. */
export class NamespaceNotCachedError extends KeelsonError {
  static override readonly brand: string = "keelson.NamespaceNotCachedError";
  readonly code = "NAMESPACE_NOT_CACHED";
  readonly operation: string;
  readonly namespace: string;

  constructor(operation: string, namespace: string) {
    super(
      `${operation}: the cache does not hold namespace ${namespace}; add it to the namespaces in the cache's settings, ` +
        `or read with the live client`,
    );
    this.operation = operation;
    this.namespace = namespace;
  }
}

/** Objects were selected by a field that the cache has no index of [IN15]. */
export class FieldNotIndexedError extends KeelsonError {
  static override readonly brand: string = "keelson.FieldNotIndexedError";
  readonly code = "FIELD_NOT_INDEXED";
  readonly operation: string;
  readonly field: string;

  constructor(operation: string, field: string) {
    super(
      `${operation}: the cache has no index of ${field}; add one with addIndex under that name, or read with the live ` +
        `client`,
    );
    this.operation = operation;
    this.field = field;
  }
}

/** A lease of an informer was used after its release. */
export class InformerReleasedError extends KeelsonError {
  static override readonly brand: string = "keelson.InformerReleasedError";
  readonly code = "INFORMER_RELEASED";
  /** Such as `deployments.apps`. */
  readonly resource: string;

  constructor(resource: string) {
    super(`use the informer of ${resource}: its lease has been released; acquire another one`);
    this.resource = resource;
  }
}

/** An informer stopped before it held all objects. */
export class InformerStoppedError extends KeelsonError {
  static override readonly brand: string = "keelson.InformerStoppedError";
  readonly code = "INFORMER_STOPPED";

  constructor(what: string) {
    super(
      `wait for ${what}: the informer stopped before it had read them; wait with the signal that stops it`,
    );
  }
}

/** A subscription was removed, or its informer stopped, before the subscriber had received all objects. */
export class SubscriptionRemovedError extends KeelsonError {
  static override readonly brand: string = "keelson.SubscriptionRemovedError";
  readonly code = "SUBSCRIPTION_REMOVED";

  constructor() {
    super(
      "wait for a subscription: it was removed, or its informer stopped; wait with the signal that stops it",
    );
  }
}

/** Another index of that name exists. */
export class IndexConflictError extends KeelsonError {
  static override readonly brand: string = "keelson.IndexConflictError";
  readonly code = "INDEX_CONFLICT";
  readonly index: string;

  constructor(index: string, what: string) {
    super(
      `add index ${index} of ${what}: another function is known by this name; choose another name, or share it`,
    );
    this.index = index;
  }
}

/** Another projection of the kind with that name is cached. */
export class ProjectionConflictError extends KeelsonError {
  static override readonly brand: string = "keelson.ProjectionConflictError";
  readonly code = "PROJECTION_CONFLICT";
  readonly projection: string;

  constructor(projection: string, what: string) {
    super(
      `cache projection ${projection} of ${what}: another function is known by this name; choose another name, or ` +
        `make the projection once and share it`,
    );
    this.projection = projection;
  }
}

/** A transform or a projection threw, or returned no object. Reads of the object fail with this error until it can be transformed [IN22]. */
export class TransformError extends KeelsonError {
  static override readonly brand: string = "keelson.TransformError";
  readonly code = "TRANSFORM";
  readonly key: ObjectKey;

  constructor(what: string, { key, cause }: { readonly key: ObjectKey; readonly cause: unknown }) {
    super(
      `transform ${formatKey(key)} of ${what}: ${toError(cause).message}; it cannot be read from the cache`,
      { cause },
    );
    this.key = key;
  }
}

/** The function of an index threw. The index does not contain the object [IN22]. */
export class IndexFunctionError extends KeelsonError {
  static override readonly brand: string = "keelson.IndexFunctionError";
  readonly code = "INDEX_FUNCTION";
  readonly index: string;
  readonly key: ObjectKey;

  constructor(index: string, { key, cause }: { readonly key: ObjectKey; readonly cause: unknown }) {
    super(
      `file ${formatKey(key)} under index ${index}: ${toError(cause).message}; the index does not contain it`,
      { cause },
    );
    this.index = index;
    this.key = key;
  }
}
