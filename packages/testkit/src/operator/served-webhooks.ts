import { type Client, NotFoundError } from "@keelson/client";
import { type ObjectKey, type Resource, sleep, systemClock } from "@keelson/core";
import { type Admission, admission } from "keelson";
import {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from "keelson/kinds/admissionregistration/v1";
import { ConfigMap, Secret } from "keelson/kinds/core/v1";
import { type ManagerWebhookOptions, NoCertificateError } from "keelson/webhook";
import { WebhooksNotCalledError } from "./errors.ts";

const namespace = "default";
const probeLabel = "testkit.keelson.dev/probe";
const probeTimeoutMs = 30_000;
const probeIntervalMs = 50;

/** For an operator whose webhooks are not called: it may add them, and they are not served. */
export const unservedWebhooks: ManagerWebhookOptions = {
  port: -1,
  certificates: {
    load: async () => undefined,
    current: () => {
      throw new NoCertificateError("certificate of webhooks that are not served");
    },
    run: async () => undefined,
  },
};

/** For an operator whose webhooks an API server on the same machine calls; `name` is of this run alone. */
export function servedWebhooks(name: string): ManagerWebhookOptions {
  return {
    port: 0,
    host: "127.0.0.1",
    certificates: {
      secret: { namespace, name },
      name,
      endpoint: (port) => ({ url: `https://127.0.0.1:${port}` }),
    },
  };
}

/** Finds out when an API server calls webhooks: it hears of a configuration some time after that was stored. */
export interface WebhookProbe {
  /** To be served with the webhooks in question, as it is configured by the same objects. */
  readonly admission: Admission;
  /** Returns when the server has called it; throws a WebhooksNotCalledError if it does not. */
  called(client: Client): Promise<void>;
}

/** A probe for the sorts of webhooks that there are; undefined if there are none. `place` is a namespace of the operator. */
export function webhookProbe(
  name: string,
  admissions: readonly Admission[],
  place: string = namespace,
): WebhookProbe | undefined {
  const verbs = [
    ...(admissions.some(({ mutators }) => mutators.length > 0) ? ["mutate"] : []),
    ...(admissions.some(({ validators }) => validators.length > 0) ? ["validate"] : []),
  ];
  if (verbs.length === 0) return undefined;
  const called = new Set<string>();
  let probe = admission(ConfigMap, {
    name: "probe.testkit.keelson.dev",
    paths: { mutate: "/testkit-probe-mutate", validate: "/testkit-probe-validate" },
    objectSelector: { matchLabels: { [probeLabel]: name } },
    failurePolicy: "Ignore",
  });
  if (verbs.includes("mutate")) probe = probe.mutate(() => void called.add("mutate"));
  if (verbs.includes("validate")) probe = probe.validate(() => void called.add("validate"));
  const askedFor = { metadata: { name, namespace: place, labels: { [probeLabel]: name } } };
  return {
    admission: probe,
    async called(client) {
      const untilMs = systemClock.monotonicNow() + probeTimeoutMs;
      while (called.size < verbs.length) {
        if (systemClock.monotonicNow() > untilMs)
          throw new WebhooksNotCalledError(verbs.filter((verb) => !called.has(verb)));
        await client.create(ConfigMap, askedFor, { dryRun: true });
        if (called.size < verbs.length) await sleep(systemClock, probeIntervalMs);
      }
    },
  };
}

/** Removes what served webhooks leave in the cluster; without their server the configurations refuse everything. */
export async function removeWebhooks(client: Client, name: string): Promise<void> {
  await remove(client, MutatingWebhookConfiguration, { name });
  await remove(client, ValidatingWebhookConfiguration, { name });
  await remove(client, Secret, { namespace, name });
}

async function remove(client: Client, resource: Resource, key: ObjectKey): Promise<void> {
  try {
    await client.delete(resource, key);
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
  }
}
