import { describe, expect, it } from "vitest";
import { freeze } from "./immutable.ts";
import { Deployment } from "./kinds/apps/v1.ts";
import { Pod } from "./kinds/core/v1.ts";
import type { KubeObject, ObjectMeta, OwnerReference, Stored } from "./meta.ts";
import {
  AlreadyOwnedError,
  CrossNamespaceOwnerError,
  controllerOf,
  hasOwner,
  isControlledBy,
  NamespacedOwnerError,
  OwnerKindError,
  ownerReferenceTo,
  removeOwnerReference,
  setControllerReference,
  setOwnerReference,
} from "./owner-reference.ts";
import { metadataOnly, type PartialObjectMetadata, type Resource } from "./resource.ts";
import { isStored, NotStoredError } from "./stored-object.ts";

const webApps: Resource = {
  group: "example.com",
  version: "v1",
  kind: "WebApp",
  plural: "webapps",
  scope: "Namespaced",
};
const newerWebApps: Resource = { ...webApps, version: "v2" };
const fleets: Resource = {
  group: "example.com",
  version: "v1",
  kind: "Fleet",
  plural: "fleets",
  scope: "Cluster",
};
const configMaps: Resource = {
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  scope: "Namespaced",
};
const clusterRoles: Resource = {
  group: "rbac.authorization.k8s.io",
  version: "v1",
  kind: "ClusterRole",
  plural: "clusterroles",
  scope: "Cluster",
};

const objectOf = ({ group, version, kind }: Resource, metadata: ObjectMeta): KubeObject =>
  freeze({ apiVersion: group === "" ? version : `${group}/${version}`, kind, metadata });

/** The object as if the server had stored it. */
function stored<T extends KubeObject>(object: T): Stored<T> {
  const metadata = { uid: "u", resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z" };
  const filled: T = { ...object, metadata: { ...metadata, ...object.metadata } };
  if (!isStored(filled)) throw new Error(`store ${object.kind}: a field of its metadata is empty`);
  return filled;
}

const webApp = {
  resource: webApps,
  object: stored(objectOf(webApps, { name: "web", namespace: "shop", uid: "uid-web" })),
};
const fleet = { resource: fleets, object: stored(objectOf(fleets, { name: "all", uid: "uid-fleet" })) };
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
    const object = { ...webApp.object, metadata: { ...webApp.object.metadata, [field]: "" } };
    const error = catchError(() => ownerReferenceTo({ ...webApp, object }));
    expect(error).toBeInstanceOf(NotStoredError);
    expect(error).toMatchObject({ missing: field });
  });

  it("has no field beyond the required ones without an option for it", () => {
    const owner = { ...configMap, object: stored(configMap.object) };
    expect(ownerReferenceTo(owner)).toEqual({
      apiVersion: "v1",
      kind: "ConfigMap",
      name: "settings",
      uid: "u",
    });
  });

  it("is refused if the object is of another kind than the resource, by the compiler and when it runs", () => {
    const pod = stored<Pod>({ apiVersion: "v1", kind: "Pod", metadata: { name: "web", namespace: "shop" } });
    // @ts-expect-error: a Pod is not a Deployment
    const error = catchError(() => ownerReferenceTo({ object: pod, resource: Deployment }));
    expect(error).toBeInstanceOf(OwnerKindError);
    expect(error).toMatchObject({
      code: "OWNER_KIND",
      message:
        "refer to owner Pod shop/web: it is of v1, and the resource given with it is Deployment of apps/v1; give the resource that the object was read with",
    });
    // @ts-expect-error: also where the reference is set on an object
    expect(() => setControllerReference({ object: pod, resource: Deployment }, configMap)).toThrow(
      OwnerKindError,
    );
    // @ts-expect-error: an object that was not read from a server is no owner
    expect(() => ownerReferenceTo({ object: configMap.object, resource: configMaps })).toThrow(
      NotStoredError,
    );
  });

  it("is refused if the object is of a kind of the same name in another group", () => {
    const other = { ...webApp, resource: { ...webApps, group: "example.org" } };
    expect(() => ownerReferenceTo(other)).toThrow(OwnerKindError);
  });

  it("takes the kind from the resource if only the metadata of the owner was read", () => {
    const metadata = { name: "web", namespace: "shop" };
    const partial = stored<PartialObjectMetadata>({
      apiVersion: "meta.k8s.io/v1",
      kind: "PartialObjectMetadata",
      metadata,
    });
    expect(ownerReferenceTo({ object: partial, resource: metadataOnly(Pod) })).toMatchObject({
      apiVersion: "v1",
      kind: "Pod",
    });
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

  it("can be removed one by one", () => {
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
