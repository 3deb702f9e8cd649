import { accessFromKubeconfig, ConnectionError, createClient, httpTransport } from "@keelson/client";
import { systemClock } from "@keelson/core";
import { ConfigMap } from "@keelson/core/kinds/core/v1";
import { faultyTransport } from "@keelson/testkit";
import { expect, it, onTestFinished } from "vitest";
import { knownVersion, ReflectorLab } from "../support/reflector-lab.ts";
import { startTcpRelay } from "../support/tcp-relay.ts";
import { startTestCluster } from "../support/test-cluster.ts";

const cluster = await startTestCluster();
const lab = new ReflectorLab(cluster);
const access = accessFromKubeconfig(cluster.controlPlane.kubeconfig, { clock: systemClock, env: {} });

it("[RF24] a busy kind resumes from its version after a silent loss of its connection, without a list or a lost event", async () => {
  const relay = await startTcpRelay(access.server);
  const pings = { idleMs: 300, timeoutMs: 700 };
  const transport = faultyTransport(httpTransport({ ...access, server: relay.url }, { pings }));
  onTestFinished(() => transport.close());
  const client = createClient({ transport });
  const made = await lab.world(ConfigMap, ["a"], { client });
  const { namespace, sink, errors, reflector, start, stop } = made;
  await start();
  await expect.poll(() => sink.names).toEqual(["a"]);
  await lab.create(namespace, "before");
  await expect.poll(() => sink.names).toContain("before");
  const known = knownVersion(made);
  relay.freeze();
  const names = Array.from({ length: 20 }, (_, index) => `during-${index + 10}`);
  for (const name of names) await lab.create(namespace, name);
  await lab.remove(namespace, "a");
  await expect.poll(() => sink.names, { timeout: 10_000 }).toEqual(["before", ...names]);
  expect(sink.history).toEqual([
    "REPLACE a",
    "ADDED before",
    ...names.map((name) => `ADDED ${name}`),
    "DELETED a",
  ]);
  expect(transport.requests.map(({ query }) => query.resourceVersion)).toEqual(["", known]);
  expect(reflector.freshness.lists).toBe(0);
  expect(errors).toEqual([expect.any(ConnectionError)]);
  expect(errors[0]?.message).toContain("no response to a ping");
  await stop();
});
