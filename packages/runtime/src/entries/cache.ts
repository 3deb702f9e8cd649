// Informers, reflectors, the cached client, projections and optional kinds.

export type { Projected, ProjectedFields, Projection, ProjectionOptions } from "@keelson/core";
export { ifServed, projected } from "@keelson/core";
export type { AcquireOptions, Cache, InformerLease } from "../cache/cache.ts";
export type {
  CacheDefaults,
  CachedIndex,
  CachedKind,
  CacheSettings,
  KindSettings,
  NamespaceSettings,
} from "../cache/cache-settings.ts";
export { allNamespaces } from "../cache/cache-settings.ts";
export { cachedClient } from "../cache/cached-client.ts";
export {
  CacheNotStartedError,
  CacheReusedError,
  CacheStoppedError,
  FieldNotIndexedError,
  IndexConflictError,
  IndexFunctionError,
  InformerReleasedError,
  InformerStoppedError,
  InvalidCacheSettingsError,
  NamespaceNotCachedError,
  ProjectionConflictError,
  ResourceNotCachedError,
  SubscriptionRemovedError,
  TransformError,
} from "../cache/errors.ts";
export type {
  IndexFunction,
  Informer,
  InformerCreate,
  InformerDelete,
  InformerEvent,
  InformerHandler,
  InformerStatus,
  InformerUpdate,
  StoreQuery,
  SubscribeOptions,
  Subscription,
} from "../cache/informer/informer.ts";
export type { InformerCacheOptions, StaleRead } from "../cache/informer-cache.ts";
export { InformerCache } from "../cache/informer-cache.ts";
export {
  IncompleteSyncError,
  ReflectorError,
  ReflectorReusedError,
  SilentWatchError,
  VeryShortWatchError,
} from "../watch/errors.ts";
export { Reflector } from "../watch/reflector.ts";
export type { Freshness, ReflectorOptions, WatchSink } from "../watch/reflector-options.ts";
export type { ObjectEvent, Snapshot } from "../watch/snapshot.ts";
export { WatchListSupport } from "../watch/watch-list-support.ts";
