import { mergePatch } from "keelson";
import { Secret } from "keelson/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OidcClient, Platform } from "../../testing/neighbours/identity.ts";
import { type Azimuth, startAzimuth, type Tenancy } from "../support/azimuth.ts";
import {
  clusterOf,
  helmCalls,
  isReady,
  kinds,
  prepare,
  runFor,
  smallTemplate as template,
} from "../support/operator.ts";

let az: Azimuth;

beforeAll(async () => {
  az = await startAzimuth(process.env.KEELSON_LEVEL);
  await prepare(az);
}, 120_000);
afterAll(() => az?.stop());

/** Programs that write to a Cluster without a pause, until they are disposed of. */
class OtherWriters implements AsyncDisposable {
  readonly #tenancy: Tenancy;
  readonly #done: Promise<void>;
  #isStopping = false;
  /** How often each of them has written. */
  turns = 0;

  constructor(tenancy: Tenancy) {
    this.#tenancy = tenancy;
    this.#done = this.#write();
  }

  async #write(): Promise<void> {
    const key = this.#tenancy.key("demo");
    const fieldOwner = "other";
    while (!this.#isStopping) {
      const turn = String(this.turns);
      const metadata = { annotations: { "example.com/turn": turn } };
      await az.client.patch(kinds.Cluster, key, mergePatch({ metadata }), { fieldOwner });
      const status = az.client.status(kinds.Cluster);
      await status.patch(key, mergePatch({ status: { exampleTurn: turn } }), { fieldOwner });
      if (this.turns % 20 === 0) {
        const labels = { "example.com/turn": turn };
        await az.client.patch(kinds.Cluster, key, mergePatch({ metadata: { labels } }), { fieldOwner });
      }
      this.turns += 1;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true;
    await this.#done;
  }
}

const workers = (count: number) => [{ name: "workers", machineSize: "small", autoscale: false, count }];

describe("a Cluster that others write to all the time", { timeout: 180_000 }, () => {
  it("J.5.18: becomes ready, and each change of its spec is handled once", async () => {
    const tenancy = await az.newTenancy();
    const { namespace } = tenancy;
    await using operator = await runFor(az, tenancy, { zenith: {} });
    await tenancy.newCluster({ name: "demo", template, nodeGroups: workers(1) });
    {
      await using others = new OtherWriters(tenancy);
      await isReady(tenancy);
      for (const count of [2, 1]) {
        await tenancy.patchCluster("demo", { nodeGroups: workers(count) });
        await expect
          .poll(async () => (await clusterOf(tenancy)).status?.nodeCount, { timeout: 60_000 })
          .toBe(1 + count);
        await isReady(tenancy);
      }
      expect(others.turns).toBeGreaterThan(20);
    }
    const { items } = await az.client.list(Secret, { namespace, labelSelector: "owner=helm" });
    expect(items.map(({ metadata }) => metadata.labels?.version)).toEqual(["1", "2", "3"]);
    expect(await helmCalls(az, tenancy, "upgrade")).toBe(3);
    const { metadata, status, spec } = await clusterOf(tenancy);
    const { "azimuth.stackhpc.com/last-handled-configuration": handled = "" } = metadata.annotations ?? {};
    expect(JSON.parse(handled)).toEqual({ spec });
    // What others have written stays, and labels are passed on.
    expect(metadata.annotations).toHaveProperty(["example.com/turn"]);
    expect(status).toHaveProperty("exampleTurn");
    const turn = metadata.labels?.["example.com/turn"];
    for (const kind of [OidcClient, Platform])
      await expect
        .poll(async () => (await tenancy.get(kind, "kube-demo")).metadata.labels?.["example.com/turn"])
        .toBe(turn);
    // The operator may note that it writes often, but no reconcile fails.
    expect(operator.problems.filter(({ error }) => error !== undefined)).toEqual([]);
  });
});
