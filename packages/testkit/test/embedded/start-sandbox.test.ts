import { ConfigMap } from "@keelson/core/kinds/core/v1";
import { expect, it } from "vitest";
import { SandboxStoppedError, startSandbox } from "../../src/index.ts";

const metadata = { namespace: "default", name: "a" };

it("has a client in process, whose watches end with the server's connections", async () => {
  await using running = await startSandbox({ controllers: false });
  const { client } = running;
  const watch = client.watch(ConfigMap, { namespace: "default" })[Symbol.asyncIterator]();
  const first = watch.next();
  await client.create(ConfigMap, { metadata });
  expect((await first).value).toMatchObject({ type: "ADDED" });
  const cut = expect(watch.next()).rejects.toThrow();
  await running.kill("kube-apiserver");
  await cut;
  expect((await client.get(ConfigMap, metadata)).metadata.name).toBe("a");
});

it("may be stopped more than once, also while it is down", async () => {
  const running = await startSandbox({ controllers: false });
  await running.kill("kube-apiserver");
  await running.stop();
  await running.stop();
  await expect(running.restart("kube-apiserver")).rejects.toThrow(SandboxStoppedError);
});
