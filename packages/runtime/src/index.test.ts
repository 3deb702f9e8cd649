import * as client from "@keelson/client";
import * as core from "@keelson/core";
import * as schema from "@keelson/schema";
import { describe, expect, it } from "vitest";
import * as keelson from "./index.ts";

const passedOn = [core, schema, client].flatMap((entry) => Object.keys(entry));

describe("the entry point", () => {
  it("brings together what core, schema and client export", () => {
    expect(Object.keys(keelson)).toEqual(expect.arrayContaining(passedOn));
  });

  it("adds exactly what users may rely on", () => {
    const own = Object.keys(keelson).filter((name) => !passedOn.includes(name));
    expect(own.sort()).toMatchInlineSnapshot(`
      [
        "CacheNotStartedError",
        "CacheReusedError",
        "CacheStoppedError",
        "CausalLog",
        "Channel",
        "ChannelClosedError",
        "Controller",
        "ControllerError",
        "ControllerNames",
        "ControllerReusedError",
        "ControllerStoppedError",
        "DuplicateControllerNameError",
        "FieldNotIndexedError",
        "HotLoopGuard",
        "IncompleteSyncError",
        "IndexConflictError",
        "IndexFunctionError",
        "InformerCache",
        "InformerReleasedError",
        "InformerReusedError",
        "InformerStoppedError",
        "InvalidCacheSettingsError",
        "InvalidControllerError",
        "InvalidQueueNumberError",
        "InvalidResultError",
        "KeyControllerBuilder",
        "KindControllerBuilder",
        "NamespaceNotCachedError",
        "NotAnErrorThrownError",
        "PriorityLabels",
        "PriorityQueue",
        "ReconcileTimeoutError",
        "ReconcilerBrokenError",
        "Reflector",
        "ReflectorError",
        "ReflectorReusedError",
        "ResourceNotCachedError",
        "SilentWatchError",
        "SourceFailedError",
        "SourceSyncTimeoutError",
        "SubscriptionRemovedError",
        "TerminalError",
        "TransformError",
        "VeryShortWatchError",
        "WorkQueue",
        "allNamespaces",
        "allOf",
        "annotationsChanged",
        "anyOf",
        "backoffPresets",
        "cacheKind",
        "cachedClient",
        "changedFields",
        "changedPaths",
        "channelSource",
        "classicLimiter",
        "controller",
        "controllerFor",
        "deletionStarted",
        "enqueueMapped",
        "enqueueOwner",
        "enqueueSelf",
        "fastSlowLimiter",
        "finalizersChanged",
        "generationChanged",
        "inNamespaces",
        "informerSource",
        "intervalSource",
        "itemExponentialLimiter",
        "kindSource",
        "labelsChanged",
        "lowPriority",
        "matchesSelector",
        "maxOfLimiters",
        "maxWaitLimiter",
        "named",
        "noEvents",
        "not",
        "pollSource",
        "predicateOf",
        "presetLimiter",
        "reconcileObject",
        "resourceVersionChanged",
        "silentLogger",
        "sourceOf",
        "tokenBucketLimiter",
      ]
    `);
  });
});
