import { defineOperator, defineResource, NotFoundError, waitFor, z } from "keelson";
import { expect, it } from "vitest";
import { runOperator, startSandbox } from "../../src/index.ts";
import { Greeting, greeter } from "../support/greeter.ts";

const namespace = "default";

it("runs an operator over a transport and does not close it", async () => {
  await using cluster = await startSandbox();
  const transport = cluster.sandbox.transport();
  for (const name of ["first", "second"]) {
    await using running = await runOperator(greeter, { access: { transport } });
    await running.client.create(Greeting, { metadata: { name, namespace }, spec: { whom: "world" } });
    const isReady = ({
      status,
    }: {
      readonly status?: { readonly phase?: string | undefined } | undefined;
    }): boolean => status?.phase === "Ready";
    await waitFor(running.client, Greeting, { name, namespace }, isReady, { timeoutMs: 30_000 });
    expect(running.writes.map((write) => write.name)).toEqual([`${name}-greeting`, name]);
  }
  await transport.close();
});

it("gives an operator its settings, with the defaults of its schema", async () => {
  await using cluster = await startSandbox();
  const access = { transport: cluster.sandbox.transport() };
  const seen: unknown[] = [];
  const configurable = defineOperator({
    name: "configurable",
    settings: z.object({ words: z.string(), times: z.int().default(1) }),
    setup: (_, settings) => void seen.push(settings),
  });
  await using _ = await runOperator(configurable, { access, settings: { words: "ahoy" } });
  expect(seen).toEqual([{ words: "ahoy", times: 1 }]);
  await expect(runOperator(configurable, { access })).rejects.toThrow(
    /^set up operator configurable: words: /,
  );
});

it("installs the kinds that the settings of an operator make", async () => {
  await using cluster = await startSandbox();
  const access = { transport: cluster.sandbox.transport() };
  const kindIn = (group: string) =>
    defineResource({ group, version: "v1", kind: "Grouped", spec: z.object({}) });
  const grouped = defineOperator({
    name: "grouped",
    settings: z.object({ group: z.string().default("example.com") }),
    parts: ({ settings: { group } }) => ({ resources: [kindIn(group)] }),
  });
  await using running = await runOperator(grouped, { access, settings: { group: "acme.dev" } });
  const { items } = await running.client.list(kindIn("acme.dev"));
  expect(items).toEqual([]);
  await expect(running.client.list(kindIn("example.com"))).rejects.toThrow(NotFoundError);
});
