import type { GenericObject } from "@keelson/core";
import { describe, expect, it } from "vitest";
import type { StoredObjects } from "../resource/stored-objects.ts";
import type { StoredObject } from "../store/store.ts";
import { withNodeAccess } from "./node-authorizer.ts";
import type { Rbac } from "./rbac.ts";

const noRoles: Rbac = {
  authorize: () => ({ allowed: false, reason: "" }),
  rulesOf: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false }),
  grantsOf: () => ({ grants: [], problems: [] }),
};

interface Given {
  readonly plural: string;
  readonly namespace?: string;
  readonly name: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec: object;
}

function reader(given: readonly Given[]): StoredObjects {
  const stored = given.map(({ plural, namespace, name, annotations, spec }) => {
    const metadata = {
      name,
      uid: name,
      resourceVersion: "1",
      creationTimestamp: "",
      ...(annotations && { annotations }),
    };
    const object: GenericObject = { apiVersion: "v1", kind: plural, metadata, spec };
    return { plural, namespace, name, object: object as StoredObject };
  });
  return {
    get: ({ plural }, name, namespace) =>
      stored.find((one) => one.plural === plural && one.name === name && one.namespace === namespace)?.object,
    list: ({ plural }, namespace) =>
      stored
        .filter((one) => one.plural === plural && (namespace === undefined || one.namespace === namespace))
        .map(({ object }) => object),
  };
}

const node = { username: "system:node:n1", groups: ["system:nodes"] };
const mayGetSecret = (objects: readonly Given[], name: string, namespace = "shop"): boolean =>
  withNodeAccess(noRoles, reader(objects)).authorize(node, {
    verb: "get",
    group: "",
    resource: "secrets",
    namespace,
    name,
  }).allowed;

const pod = (spec: object, annotations = {}): Given => ({
  plural: "pods",
  namespace: "shop",
  name: "web",
  annotations,
  spec: { nodeName: "n1", containers: [], ...spec },
});

describe("a node", () => {
  it("gets nothing by a mirror pod, which it can make itself", () => {
    const spec = { imagePullSecrets: [{ name: "pull" }] };
    expect(mayGetSecret([pod(spec)], "pull")).toBe(true);
    expect(mayGetSecret([pod(spec, { "kubernetes.io/config.mirror": "x" })], "pull")).toBe(false);
  });

  it("gets the secrets that a kubelet needs of the volumes of its pods", () => {
    const claim = pod({ volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }] });
    const csi = {
      nodePublishSecretRef: { name: "publish", namespace: "storage" },
      controllerPublishSecretRef: { name: "attach", namespace: "storage" },
    };
    const claimRef = { namespace: "shop", name: "data" };
    const objects = [claim, { plural: "persistentvolumes", name: "v1", spec: { claimRef, csi } }];
    expect(mayGetSecret(objects, "publish", "storage")).toBe(true);
    expect(mayGetSecret(objects, "attach", "storage")).toBe(false);
    expect(mayGetSecret(objects, "publish")).toBe(false);
  });

  it("gets nothing by a text that has the name of a reference", () => {
    const attributes = { secretName: "other", secretRef: "other" };
    const volumes = [{ name: "data", csi: { driver: "x", volumeAttributes: attributes } }];
    expect(mayGetSecret([pod({ volumes })], "other")).toBe(false);
  });

  it("does not learn all of its rules", () => {
    const { rulesOf } = withNodeAccess(noRoles, reader([]));
    expect(rulesOf(node, "shop")).toMatchObject({
      incomplete: true,
      evaluationError: "node authorizer does not support user rule resolution",
    });
    expect(rulesOf({ username: "ann", groups: [] }, "shop").incomplete).toBe(false);
  });
});
