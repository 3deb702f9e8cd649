import { describe, expect, it } from "vitest";
import type { ConsumerPolicy, SecretPolicy } from "../policy/policy.ts";
import type { ConsumerPod } from "../restart/consumer-pods.ts";
import { missingRequests } from "./requests.ts";

const secret = { namespace: "shop", name: "db" };
const approval = { rotateSeconds: 3600 };
const consumer = { namespace: "shop", kind: "Deployment", name: "web" };

function pod(annotations: Record<string, string>, name = "web-1"): ConsumerPod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...{
        namespace: "shop",
        name,
        uid: name,
        resourceVersion: "1",
        creationTimestamp: "2026-11-18T10:00:00Z",
      },
      labels: { app: "web" },
      annotations: { "vault.keelson.dev/consumer": "shop/Deployment/web", ...annotations },
    },
    isReady: true,
    hasEnded: false,
  };
}

const asking = pod({ "vault.keelson.dev/secret-ro": "db" });

function requests(said: Partial<SecretPolicy>, pods: readonly ConsumerPod[] = []) {
  const policy = { approval, pendingRotateSeconds: undefined, consumers: [], ...said };
  return missingRequests(secret, policy, { rotateSeconds: 3600, pods });
}

describe("a request to be shared", () => {
  it.each<[string, Partial<SecretPolicy>, readonly object[]]>([
    [
      "is made for a secret that is not known",
      { approval: undefined },
      [{ type: "Share", rotateSeconds: 3600, isUpdate: false }],
    ],
    [
      "is made for another period",
      { approval: { rotateSeconds: 60 } },
      [{ type: "Share", rotateSeconds: 3600, isUpdate: true }],
    ],
    ["is not made twice", { approval: undefined, pendingRotateSeconds: 3600 }, []],
    ["is not made again after it was refused", { approval: undefined, refusedRotateSeconds: [3600] }, []],
    ["is not made if it is approved", {}, []],
  ])("%s", (_, said, expected) => {
    expect(requests(said)).toEqual(expected);
  });
});

describe("a request for access", () => {
  const known = (change: Partial<ConsumerPolicy>): Partial<SecretPolicy> => ({
    consumers: [{ consumer, permission: "ReadOnly", state: "Pending", ...change }],
  });

  it("is made once for all pods of a workload", () => {
    const second = pod({ "vault.keelson.dev/secret-ro": "shop/db" }, "web-2");
    expect(requests({}, [asking, second])).toEqual([{ type: "Access", consumer, permission: "ReadOnly" }]);
  });

  it.each<[string, Partial<SecretPolicy>, number]>([
    ["is not made if it is pending", known({}), 0],
    ["is not made again after it was refused", known({ state: "Refused" }), 0],
    ["is made if only more was refused", known({ state: "Refused", permission: "ReadWrite" }), 1],
    ["is not made if it is approved with more", known({ state: "Approved", permission: "ReadWrite" }), 0],
    [
      "is not made if the pod is approved by its name",
      known({ consumer: { namespace: "shop", kind: "Pod", name: "web-1" } }),
      0,
    ],
    [
      "is not made if its labels are approved",
      known({ consumer: { namespace: "shop", selector: { matchLabels: { app: "web" } } } }),
      0,
    ],
    ["is made if another workload is approved", known({ consumer: { ...consumer, name: "other" } }), 1],
    [
      "is made if a workload in another namespace is",
      known({ consumer: { ...consumer, namespace: "x" } }),
      1,
    ],
  ])("%s", (_, said, count) => {
    expect(requests(said, [asking])).toHaveLength(count);
  });

  it("is made for more than was approved", () => {
    const writer = pod({ "tororu.zondax.io/secret-rw": "shop/db" });
    expect(requests(known({ state: "Approved" }), [writer])).toEqual([
      { type: "Access", consumer, permission: "ReadWrite" },
    ]);
  });

  it("is not made for a pod that no webhook has seen, or that asks for another secret", () => {
    const unseen = pod({ "vault.keelson.dev/secret-ro": "db", "vault.keelson.dev/consumer": "" });
    expect(requests({}, [unseen, pod({ "vault.keelson.dev/secret-ro": "other/db" })])).toEqual([]);
  });
});
