import type { Stored } from "keelson";
import type { Pod, PodSpec } from "keelson/kinds/core/v1";
import { expect } from "vitest";
import type { NamedConsumer } from "../../src/api/consumer.ts";
import type { SharedSecret } from "../../src/api/shared-secret.ts";
import { type SharedSecretSpecInput, spec as specSchema } from "../../src/api/spec.ts";
import type { ConsumerStatus, SharedSecretStatus } from "../../src/api/status.ts";
import { asksOf } from "../../src/webhook/asks.ts";
import { decidePod, type PodDecision, type PodFacts } from "../../src/webhook/pod-decision.ts";

type Texts = Readonly<Record<string, string>>;

/** A SharedSecret that is shared with some consumers. The key is `namespace/name`. */
export function sharedSecret(
  key: string,
  consumers: readonly ConsumerStatus[] = [],
  {
    spec = {},
    status = {},
  }: { readonly spec?: SharedSecretSpecInput; readonly status?: SharedSecretStatus } = {},
): Stored<SharedSecret> {
  const [namespace = "", name = ""] = key.split("/");
  return {
    apiVersion: "vault.keelson.dev/v1alpha1",
    kind: "SharedSecret",
    metadata: { namespace, name, uid: key, resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z" },
    spec: specSchema.parse(spec),
    podsRestartRequired: false,
    secret: "",
    status: { approved: true, consumers: [...consumers], ...status },
  };
}

/** A pod `web-1` in namespace `shop`, with one container unless it has others. */
export function podOf(annotations: Texts, spec: Partial<PodSpec> = {}, labels: Texts = {}): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace: "shop", name: "web-1", annotations, labels },
    spec: { containers: [{ name: "app", image: "nginx:1" }], ...spec },
  };
}

/** The facts about a pod of Deployment `shop/web`. */
export function factsOf(
  pod: Pod,
  sharedSecrets: readonly Stored<SharedSecret>[],
  {
    consumer = { namespace: "shop", kind: "Deployment", name: "web" },
    ...others
  }: Partial<Pick<PodFacts, "hasAccount" | "rotatorImages">> & { readonly consumer?: NamedConsumer } = {},
): PodFacts {
  const { name, annotations = {}, labels = {} } = pod.metadata;
  return {
    pod,
    claimant: { consumer, podName: name, labels },
    asks: asksOf(annotations, "shop"),
    sharedSecrets: new Map(
      sharedSecrets.map((one) => [`${one.metadata.namespace}/${one.metadata.name}`, one]),
    ),
    hasAccount: true,
    rotatorImages: new Map([["postgres", "registry.example.com/rotator:1"]]),
    ...others,
  };
}

/** The decision about a pod that must be admitted. */
export function admitted(facts: PodFacts): Extract<PodDecision, { readonly type: "admitted" }> {
  const decision = decidePod(facts);
  if (decision.type === "denied") return expect.fail(`denied: ${decision.problems.join("; ")}`);
  return decision;
}

/** Why a pod that must be denied is. */
export function problemsOf(facts: PodFacts): readonly string[] {
  const decision = decidePod(facts);
  return decision.type === "denied" ? decision.problems : expect.fail("admitted");
}
