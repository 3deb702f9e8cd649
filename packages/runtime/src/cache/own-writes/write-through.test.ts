import type { ApiCall } from "@keelson/client";
import { metadataOnly, type ObjectMeta } from "@keelson/core";
import { ConfigMap, Namespace } from "@keelson/core/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { outcomeOf } from "./write-through.ts";

const call = (change: Partial<ApiCall> = {}): ApiCall => ({
  verb: "update",
  resource: ConfigMap,
  namespace: "shop",
  name: "web",
  query: {},
  isStream: false,
  ...change,
});

const map = (metadata: ObjectMeta = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace: "shop", name: "web", uid: "u1", resourceVersion: "5", ...metadata },
});

const deleted = { type: "deleted", key: { namespace: "shop", name: "web" }, uid: "u1" };
const deletionTimestamp = "2026-01-01T00:00:00Z";

describe("the outcome of a write", () => {
  it("[RW1] is the object in the response, also of a subresource", () => {
    for (const subresource of [undefined, "status", "approval"]) {
      const write = call(subresource === undefined ? {} : { subresource });
      expect(outcomeOf(write, map())).toEqual({ type: "state", object: map() });
    }
  });

  it("[RW1] is the version in a response of another kind, if there is one", () => {
    const scale = { apiVersion: "autoscaling/v1", kind: "Scale", metadata: map().metadata };
    expect(outcomeOf(call({ subresource: "scale" }), scale)).toEqual({
      type: "version",
      key: { namespace: "shop", name: "web" },
      uid: "u1",
      version: "5",
    });
    const token = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", metadata: { name: "web" } };
    expect(outcomeOf(call({ verb: "create", subresource: "token" }), token)).toBe("nothing");
  });

  it("is nothing after a dry run", () => {
    expect(outcomeOf(call({ query: { dryRun: "All" } }), map())).toBe("nothing");
    const value = { kind: "DeleteOptions", dryRun: ["All"] };
    const body = { contentType: "application/json", value };
    expect(outcomeOf(call({ verb: "delete", body }), map())).toBe("nothing");
  });

  it("is unknown after a Status that is no response to a delete", () => {
    const status = { apiVersion: "v1", kind: "Status", status: "Success" };
    expect(outcomeOf(call({ verb: "create", subresource: "eviction" }), status)).toBe("unknown");
    expect(outcomeOf(call({ verb: "delete" }), status)).toBe("unknown");
  });

  it("[RW2] is the deletion of an object if the response to a delete is a Status or its last state", () => {
    const status = {
      apiVersion: "v1",
      kind: "Status",
      status: "Success",
      details: { name: "web", uid: "u1" },
    };
    expect(outcomeOf(call({ verb: "delete" }), status)).toEqual(deleted);
    const last = { ...deleted, version: "5" };
    expect(outcomeOf(call({ verb: "delete" }), map())).toEqual(last);
    expect(outcomeOf(call({ verb: "delete" }), map({ deletionTimestamp }))).toEqual(last);
  });

  it("[RW2] is the end of an object whose last finalizer an update has removed", () => {
    const metadata = { deletionTimestamp, deletionGracePeriodSeconds: 0 };
    expect(outcomeOf(call(), map({ ...metadata, finalizers: [] }))).toEqual({ ...deleted, version: "5" });
  });

  it("[RW2] is a state while a finalizer or a period of grace holds the object", () => {
    for (const hold of [{ finalizers: ["a"] }, { deletionGracePeriodSeconds: 30 }]) {
      const object = map({ deletionTimestamp, ...hold });
      expect(outcomeOf(call({ verb: "delete" }), object)).toEqual({ type: "state", object });
    }
  });

  it("[RW2] is a state of a namespace that is being emptied", () => {
    const write = call({ verb: "delete", resource: Namespace });
    const metadata = { name: "shop", uid: "u1", resourceVersion: "5", deletionTimestamp };
    const object = { apiVersion: "v1", kind: "Namespace", metadata, spec: { finalizers: ["kubernetes"] } };
    expect(outcomeOf(write, object)).toEqual({ type: "state", object });
    expect(outcomeOf(write, { ...object, spec: {} })).toMatchObject({ type: "deleted" });
  });

  it("[RW2] is a version of a namespace of which only the metadata is known, which does not show whether it is deleted", () => {
    const write = call({ verb: "delete", resource: metadataOnly(Namespace) });
    const metadata = { name: "shop", uid: "u1", resourceVersion: "5", deletionTimestamp };
    const object = { apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata", metadata };
    const key = { name: "shop" };
    expect(outcomeOf(write, object)).toEqual({ type: "version", key, uid: "u1", version: "5" });
    const map = { ...write, resource: metadataOnly(ConfigMap) };
    expect(outcomeOf(map, object)).toMatchObject({ type: "deleted" });
    const other = { ...write, resource: { ...metadataOnly(Namespace), group: "example.com" } };
    expect(outcomeOf(other, object)).toMatchObject({ type: "deleted" });
  });
});
