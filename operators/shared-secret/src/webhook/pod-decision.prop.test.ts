import fc from "fast-check";
import { deepEqual, type Stored } from "keelson";
import type { Container, Pod, Volume } from "keelson/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { factsOf, podOf, sharedSecret } from "../../test/support/pod-facts.ts";
import type { Permission } from "../api/consumer.ts";
import type { SharedSecret } from "../api/shared-secret.ts";
import type { ConsumerStatus } from "../api/status.ts";
import { containersOf } from "./pod-containers.ts";
import { decidePod, type PodFacts } from "./pod-decision.ts";

const runs = { numRuns: 500 };

/** Few names, so that pods, approvals and placeholders often mean the same. */
const names = ["shop/db", "shop/api", "vault/key"];
const secretName = fc.constantFrom(...names);
const permission = fc.constantFrom<Permission>("ReadOnly", "ReadWrite");

const value = fc.oneof(
  secretName.map((name) => `<${name}>`),
  fc.constantFrom("<db>", "<db#password>", "<vault/key#user>", "<shop/unknown>", "<none>", "plain", ""),
  fc.string(),
);

const variables = fc.uniqueArray(
  fc.oneof(
    fc.record({ name: fc.constantFrom("A", "B", "C"), value }),
    fc.record({
      name: fc.constantFrom("D", "E"),
      valueFrom: fc.constant({ fieldRef: { fieldPath: "metadata.name" } }),
    }),
  ),
  { selector: ({ name }) => name, maxLength: 4 },
);

const tokenPath = "/var/run/secrets/kubernetes.io/serviceaccount";
const mounts = fc.subarray([
  { name: "kube-api-access-abcde", mountPath: tokenPath, readOnly: true },
  { name: "data", mountPath: "/data" },
]);

function container(name: string): fc.Arbitrary<Container> {
  return fc.record(
    { name: fc.constant(name), image: fc.constant("nginx:1"), env: variables, volumeMounts: mounts },
    { requiredKeys: ["name", "image"] },
  );
}

const volumes: readonly Volume[] = [
  {
    name: "kube-api-access-abcde",
    projected: { sources: [{ serviceAccountToken: { path: "token" } }] },
  },
  { name: "data", emptyDir: {} },
];

const annotations = fc
  .record(
    {
      "vault.keelson.dev/secret-ro": fc.subarray(names, { minLength: 1 }).map((some) => some.join(",")),
      "tororu.zondax.io/secret-rw": fc.subarray(names, { minLength: 1 }).map((some) => some.join(",")),
      "vault.keelson.dev/mount-path": fc.constant("/etc/secrets"),
      "vault.keelson.dev/injected": fc.constantFrom("", "shop/db:ReadOnly", "shop/db:ReadWrite"),
      "vault.keelson.dev/consumer": fc.constantFrom("shop/Deployment/web", "other"),
    },
    { requiredKeys: [] },
  )
  // The others are not decided about.
  .filter((keys) => "vault.keelson.dev/secret-ro" in keys || "tororu.zondax.io/secret-rw" in keys);

const pod: fc.Arbitrary<Pod> = fc
  .record({
    annotations,
    app: container("app"),
    first: fc.option(container("first"), { nil: undefined }),
    account: fc.constantFrom("default", "default", "default", "mine"),
    label: fc.constantFrom("web", "api"),
  })
  .map(({ annotations: keys, app, first, account, label }) =>
    podOf(
      keys,
      {
        containers: [app],
        ...(first !== undefined && { initContainers: [first] }),
        serviceAccountName: account,
        volumes,
      },
      { app: label },
    ),
  );

const consumer = fc.constantFrom(
  "shop/Deployment/web",
  "shop/web-1",
  "shop?app=web",
  "shop/Deployment/other",
  "other?app=web",
);
const approvals: fc.Arbitrary<readonly ConsumerStatus[]> = fc.uniqueArray(
  fc.oneof(
    fc.record({ consumer, permission }),
    fc.record({
      consumer,
      permission,
      problem: fc.constantFrom("cannot get the secret: no", "not restarted"),
    }),
  ),
  { selector: (one) => `${one.consumer} ${one.permission}`, maxLength: 4 },
);

const postgres = { host: "db", database: "db", role: "db", adminSecret: { name: "admin" } };

const secrets: fc.Arbitrary<readonly Stored<SharedSecret>[]> = fc
  .tuple(...names.map((name) => fc.tuple(fc.constant(name), approvals, fc.boolean(), fc.nat(5), fc.nat(5))))
  .map((all) =>
    all.flatMap(([name, consumers, isRotated, shared, existing]) => {
      const rotator = { runsIn: "Sidecar", postgres } as const;
      const spec = isRotated ? { rotate: 60, rotator } : {};
      const status = { approved: shared > 0, consumers: [...consumers] };
      return existing > 0 ? [sharedSecret(name, consumers, { spec, status })] : [];
    }),
  );

const facts: fc.Arbitrary<PodFacts> = fc
  .tuple(pod, secrets, fc.boolean())
  .map(([one, some, hasAccount]) => factsOf(one, some, { hasAccount }));

/** By the rules of approval, written once more and in another way. */
function isApproved({ asks, sharedSecrets, claimant }: PodFacts): boolean {
  const meant = ["shop/Deployment/web", "shop/web-1"];
  if (claimant.labels.app === "web") meant.push("shop?app=web");
  return asks.asks.every((ask) => {
    const { status } = sharedSecrets.get(`${ask.secret.namespace}/${ask.secret.name}`) ?? {};
    const good = (status?.consumers ?? []).filter(
      (entry) =>
        meant.includes(entry.consumer) &&
        entry.problem !== "cannot get the secret: no" &&
        (ask.permission === "ReadOnly" || entry.permission === "ReadWrite"),
    );
    return status?.approved === true && good.length > 0;
  });
}

describe("whatever a pod asks for and whatever is approved", () => {
  it("the pod gets nothing unless everything is approved", () => {
    let injections = 0;
    fc.assert(
      fc.property(facts, (one) => {
        const decision = decidePod(one);
        if (decision.type === "denied") return;
        if (isApproved(one)) {
          if (!deepEqual(decision.pod.spec, one.pod.spec)) injections += 1;
          return;
        }
        expect(decision.pod.spec).toEqual(one.pod.spec);
        expect(decision.pod.metadata.annotations?.["vault.keelson.dev/injected"]).toBe("");
        expect(decision.warnings).not.toEqual([]);
      }),
      runs,
    );
    expect(injections, "pods that got something").toBeGreaterThan(10);
  });

  it("a second call changes nothing", () => {
    fc.assert(
      fc.property(facts, (one) => {
        const first = decidePod(one);
        if (first.type === "denied") return;
        const second = decidePod({ ...one, pod: first.pod });
        expect(second).toMatchObject({ type: "admitted", pod: first.pod });
        expect(second.type === "admitted" && second.pod).toEqual(first.pod);
      }),
      runs,
    );
  });

  it("only placeholders of what is asked for change in the environment, and no value is in the pod", () => {
    fc.assert(
      fc.property(facts, (one) => {
        const decision = decidePod(one);
        if (decision.type === "denied") return;
        const asked = one.asks.asks.map(({ secret }) => `${secret.namespace}/${secret.name}`);
        const after = new Map(containersOf(decision.pod).map(({ name, env }) => [name, env]));
        for (const { name, env } of containersOf(one.pod)) {
          expect(after.get(name)?.length).toBe(env?.length);
          for (const [index, before] of (env ?? []).entries()) {
            const now = after.get(name)?.[index];
            if (now?.value === before.value && now?.valueFrom === before.valueFrom) continue;
            const [, key = "", dataKey = "value"] = /^<([^#]+)(?:#(.+))?>$/.exec(before.value ?? "") ?? [];
            expect(asked).toContain(key.includes("/") ? key : `shop/${key}`);
            expect(now).toEqual({
              name: before.name,
              valueFrom: { secretKeyRef: { name: expect.stringMatching(/-secret$/), key: dataKey } },
            });
          }
        }
      }),
      runs,
    );
  });

  it("only the rotator has a token of its account", () => {
    fc.assert(
      fc.property(facts, (one) => {
        const decision = decidePod(one);
        if (decision.type === "denied") return;
        const { spec } = decision.pod;
        if (spec?.serviceAccountName === one.pod.spec?.serviceAccountName) return;
        const tokens = (spec?.volumes ?? [])
          .filter(({ projected }) => projected?.sources?.some((source) => source.serviceAccountToken))
          .map(({ name }) => name);
        const holders = containersOf(decision.pod)
          .filter(({ volumeMounts = [] }) => volumeMounts.some(({ name }) => tokens.includes(name)))
          .map(({ name }) => name);
        expect(holders).toEqual(["shared-secret-rotator"]);
        expect(spec?.automountServiceAccountToken).toBe(false);
      }),
      runs,
    );
  });
});
