import { waitFor } from "keelson";
import { expect, it } from "vitest";
import { runOperator, startSandbox } from "../../src/index.ts";
import { Greeting, greeter } from "../support/greeter.ts";

const namespace = "default";

it("runs an operator over a transport that stays its owner's", async () => {
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
