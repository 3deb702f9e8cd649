import { describe, expect, it } from "vitest";
import { freeze } from "./immutable.ts";
import type { KubeObject, ObjectMeta, OwnerReference } from "./meta.ts";
import {
  AlreadyOwnedError,
  CrossNamespaceOwnerError,
  controllerOf,
  hasOwner,
  isControlledBy,
  NamespacedOwnerError,
  ownerReferenceTo,
  removeOwnerReference,
  setControllerReference,
  setOwnerReference,
} from "./owner-reference.ts";
import { genericResource, type Resource } from "./resource.ts";
import { NotStoredError } from "./stored-object.ts";

const webApps = genericResource({
  group: "example.com",
  version: "v1",
  kind: "WebApp",
  plural: "webapps",
  scope: "Namespaced",
});
const newerWebApps: Resource = { ...webApps, version: "v2" };
const fleets = genericResource({
  group: "example.com",
  version: "v1",
  kind: "Fleet",
  plural: "fleets",
  scope: "Cluster",
});
const configMaps = genericResource({
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  scope: "Namespaced",
});
const clusterRoles = genericResource({
  group: "rbac.authorization.k8s.io",
  version: "v1",
  kind: "ClusterRole",
  plural: "clusterroles",
  scope: "Cluster",
});

const objectOf = ({ group, version, kind }: Resource, metadata: ObjectMeta): KubeObject =>
  freeze({ apiVersion: group === "" ? version : `${group}/${version}`, kind, metadata });

const webApp = {
  resource: webApps,
  object: objectOf(webApps, { name: "web", namespace: "shop", uid: "uid-web" }),
};
const fleet = { resource: fleets, object: objectOf(fleets, { name: "all", uid: "uid-fleet" }) };
const configMap = {
  resource: configMaps,
  object: objectOf(configMaps, { name: "settings", namespace: "shop" }),
};

const controllerReference: OwnerReference = {
  apiVersion: "example.com/v1",
  kind: "WebApp",
  name: "web",
  uid: "uid-web",
  controller: true,
  blockOwnerDeletion: true,
};
const foreignReference: OwnerReference = { apiVersion: "v1", kind: "Node", name: "n", uid: "uid-node" };

const withReferences = (
  ...ownerReferences: OwnerReference[]
): { resource: Resource; object: KubeObject } => ({
  resource: configMaps,
  object: objectOf(configMaps, { ...configMap.object.metadata, ownerReferences }),
});

describe("setting the controller of an object", () => {
  it("[CL7] states controller and blockOwnerDeletion, and leaves the argument alone", () => {
    const owned = setControllerReference(webApp, configMap);
    expect(owned.metadata).toEqual({
      name: "settings",
      namespace: "shop",
      ownerReferences: [controllerReference],
    });
    expect(configMap.object.metadata).not.toHaveProperty("ownerReferences");
  });

  it("[CL7] keeps other owners, and the same object the second time", () => {
    const owned = setControllerReference(webApp, withReferences(foreignReference));
    expect(owned.metadata.ownerReferences).toEqual([foreignReference, controllerReference]);
    expect(setControllerReference(webApp, { ...configMap, object: owned })).toBe(owned);
  });

  it("[CL7] updates the reference in its place when the owner's version changes", () => {
    const old = withReferences(controllerReference, foreignReference);
    const owned = setControllerReference({ ...webApp, resource: newerWebApps }, old);
    expect(owned.metadata.ownerReferences).toEqual([
      { ...controllerReference, apiVersion: "example.com/v2" },
      foreignReference,
    ]);
  });

  it("[CL7] makes an owner the controller in its place", () => {
    const { controller: _, ...plain } = controllerReference;
    const owned = setControllerReference(webApp, withReferences(plain, foreignReference));
    expect(owned.metadata.ownerReferences).toEqual([controllerReference, foreignReference]);
  });

  it("[CL7] is refused if another controller owns the object", () => {
    const other = { ...controllerReference, name: "other", uid: "uid-other" };
    const error = catchError(() => setControllerReference(webApp, withReferences(other)));
    expect(error).toBeInstanceOf(AlreadyOwnedError);
    expect(error).toMatchObject({
      owner: other,
      message: expect.stringContaining(
        "set controller of ConfigMap shop/settings: WebApp other (uid uid-other)",
      ),
    });
  });

  it("[CL7] is refused if the controller is a former owner of the same name", () => {
    const former = { ...controllerReference, uid: "uid-former" };
    expect(() => setControllerReference(webApp, withReferences(former))).toThrow(AlreadyOwnedError);
  });

  it.each<[string, ObjectMeta]>([
    ["another namespace", { name: "settings", namespace: "bank" }],
    ["no namespace stated", { name: "settings" }],
  ])("[CL7] is refused for an object with %s", (_, metadata) => {
    const controlled = { resource: configMaps, object: objectOf(configMaps, metadata) };
    const error = catchError(() => setControllerReference(webApp, controlled));
    expect(error).toBeInstanceOf(CrossNamespaceOwnerError);
    expect(error).toMatchObject({ ownerNamespace: "shop", namespace: metadata.namespace });
  });

  it("[CL7] is refused for a cluster-scoped object of a namespaced owner", () => {
    const controlled = { resource: clusterRoles, object: objectOf(clusterRoles, { name: "reader" }) };
    const error = catchError(() => setControllerReference(webApp, controlled));
    expect(error).toBeInstanceOf(NamespacedOwnerError);
    expect(error).toMatchObject({ code: "NAMESPACED_OWNER", ownerNamespace: "shop" });
  });

  it("[CL7] works for a cluster-scoped owner of anything", () => {
    const role = { resource: clusterRoles, object: objectOf(clusterRoles, { name: "reader" }) };
    expect(controllerOf(setControllerReference(fleet, role))).toMatchObject({
      kind: "Fleet",
      uid: "uid-fleet",
    });
    expect(controllerOf(setControllerReference(fleet, configMap))).toMatchObject({ kind: "Fleet" });
  });

  it("[CL7] lets the owner's deletion go ahead if asked to", () => {
    const owned = setControllerReference(webApp, configMap, { blockOwnerDeletion: false });
    expect(controllerOf(owned)).toEqual({ ...controllerReference, blockOwnerDeletion: false });
  });
});

describe("setting an owner of an object", () => {
  it("adds a reference that makes it no controller", () => {
    const owned = setOwnerReference(webApp, withReferences({ ...foreignReference, controller: true }));
    const { controller: _, blockOwnerDeletion: __, ...plain } = controllerReference;
    expect(owned.metadata.ownerReferences).toEqual([{ ...foreignReference, controller: true }, plain]);
    expect(setOwnerReference(webApp, { ...configMap, object: owned })).toBe(owned);
  });

  it("replaces the reference to the same owner", () => {
    const owned = setOwnerReference(webApp, withReferences(controllerReference), {
      blockOwnerDeletion: true,
    });
    expect(owned.metadata.ownerReferences).toHaveLength(1);
    expect(controllerOf(owned)).toBeUndefined();
  });

  it("is refused across namespaces", () => {
    const elsewhere = { ...configMap, object: objectOf(configMaps, { name: "settings", namespace: "bank" }) };
    expect(() => setOwnerReference(webApp, elsewhere)).toThrow(CrossNamespaceOwnerError);
  });
});

describe("a reference to an owner", () => {
  it.each(["name", "uid"] as const)("needs the owner's %s", (field) => {
    const { [field]: _, ...metadata } = webApp.object.metadata;
    const error = catchError(() => ownerReferenceTo({ ...webApp, object: objectOf(webApps, metadata) }));
    expect(error).toBeInstanceOf(NotStoredError);
    expect(error).toMatchObject({ missing: field });
  });

  it("states only what it is told to", () => {
    expect(
      ownerReferenceTo({ ...configMap, object: { ...configMap.object, metadata: { name: "a", uid: "u" } } }),
    ).toEqual({ apiVersion: "v1", kind: "ConfigMap", name: "a", uid: "u" });
  });
});

describe("the owners of an object", () => {
  const { object } = withReferences(foreignReference, controllerReference);

  it("are known by their uid", () => {
    expect(controllerOf(object)).toBe(object.metadata.ownerReferences?.[1]);
    expect(isControlledBy(object, webApp.object)).toBe(true);
    expect(isControlledBy(object, fleet.object)).toBe(false);
    expect(hasOwner(object, webApp.object)).toBe(true);
    expect(
      hasOwner(withReferences({ ...controllerReference, uid: "uid-former" }).object, webApp.object),
    ).toBe(false);
    expect(isControlledBy(configMap.object, configMap.object)).toBe(false);
  });

  it("can be removed, the others staying", () => {
    expect(removeOwnerReference(webApp.object, object).metadata.ownerReferences).toEqual([foreignReference]);
    expect(removeOwnerReference(fleet.object, object)).toBe(object);
  });
});

function catchError(action: () => unknown): unknown {
  try {
    return action();
  } catch (error) {
    return error;
  }
}
