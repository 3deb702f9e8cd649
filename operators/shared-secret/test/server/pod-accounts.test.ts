import { startWorld, type World } from "@keelson/testkit";
import { admission, defineOperator, type Stored } from "keelson";
import { Pod, ServiceAccount } from "keelson/kinds/core/v1";
import { afterAll, beforeAll, expect, it } from "vitest";
import { InjectionSpace } from "../support/injection-space.ts";

/** What the webhook of this test does with the account of a pod. */
const accountLabel = "account";

/** The ServiceAccounts of pods as the webhook gets them, with the volumes that are mounted. */
const received: (readonly string[])[] = [];

const tokenVolume = /^kube-api-access-/;

/**
 * Sets the ServiceAccount that the label of a pod names, without the token of the former one, as the rotator does. With
 * `automount: no` it also keeps the API server from mounting another.
 */
const accounts = defineOperator({
  name: "accounts",
  webhooks: [
    admission(Pod, {
      name: "accounts.example.com",
      objectSelector: { matchExpressions: [{ key: accountLabel, operator: "Exists" }] },
      reinvocationPolicy: "Never",
    }).mutate(
      ({ object: { spec, metadata } }) => {
        if (spec === undefined) return;
        const mounts = spec.containers.flatMap(({ volumeMounts = [] }) => volumeMounts);
        const paths = mounts.filter(({ name }) => tokenVolume.test(name)).map(({ mountPath }) => mountPath);
        received.push([spec.serviceAccountName ?? "", ...paths]);
        spec.serviceAccountName = metadata.labels?.[accountLabel] ?? "";
        spec.volumes = (spec.volumes ?? []).filter(({ name }) => !tokenVolume.test(name));
        for (const container of spec.containers)
          container.volumeMounts = (container.volumeMounts ?? []).filter(
            ({ name }) => !tokenVolume.test(name),
          );
        if (metadata.labels?.automount === "no") spec.automountServiceAccountToken = false;
      },
      { operations: ["CREATE"] },
    ),
  ],
});

let world: World;

beforeAll(async () => {
  world = await startWorld(process.env.KEELSON_LEVEL);
  await world.runOperator(accounts, { webhooks: true });
});
afterAll(() => world?.stop());

async function createPod(labels: Readonly<Record<string, string>>): Promise<Stored<Pod>> {
  const space = await InjectionSpace.create(world);
  await world.client.create(ServiceAccount, { metadata: { namespace: space.namespace, name: "rotator" } });
  received.length = 0;
  return space.createPod("web", {}, { metadata: { labels } });
}

function tokensOf({ spec }: Stored<Pod>): readonly string[] {
  return (spec?.volumes ?? []).map(({ name }) => name).filter((name) => tokenVolume.test(name));
}

it("the API server sets the account and mounts its token before it calls webhooks", async () => {
  await createPod({ [accountLabel]: "rotator" });
  expect(received).toEqual([["default", "/var/run/secrets/kubernetes.io/serviceaccount"]]);
});

it("the API server mounts the token of the account that a webhook has set", async () => {
  const pod = await createPod({ [accountLabel]: "rotator" });
  expect(pod.spec?.serviceAccountName).toBe("rotator");
  expect(tokensOf(pod)).toHaveLength(1);
});

it("the API server mounts none if the webhook says so", async () => {
  const pod = await createPod({ [accountLabel]: "rotator", automount: "no" });
  expect(pod.spec?.serviceAccountName).toBe("rotator");
  expect(tokensOf(pod)).toEqual([]);
});

it("the API server refuses a pod whose account, set by a webhook, does not exist", async () => {
  await expect(createPod({ [accountLabel]: "missing" })).rejects.toThrow(
    /error looking up service account .*\/missing: serviceaccounts? "missing" not found/,
  );
});
