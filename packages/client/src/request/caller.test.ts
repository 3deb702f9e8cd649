import type { Transport } from "@keelson/core";
import { ConfigMap } from "@keelson/core/kinds/core/v1";
import { expect, it } from "vitest";
import { createClient } from "../create-client.ts";

/** Answers every request with this, and remarks something. */
function remarking(text: string): Transport {
  return {
    close: async () => undefined,
    send: async () => ({
      status: 200,
      headers: { warning: '299 - "careful"' },
      body: (async function* () {
        yield Buffer.from(text);
      })(),
    }),
  };
}

it("does not fail if the handler of the server's warnings throws", async () => {
  const heard: string[] = [];
  const onWarning = (text: string): void => {
    heard.push(text);
    throw new Error("deaf");
  };
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "default", name: "a" } };
  const writing = createClient({ transport: remarking(JSON.stringify(object)), onWarning });
  expect(await writing.create(ConfigMap, { metadata: object.metadata })).toEqual(object);
  const event = JSON.stringify({ type: "ADDED", object });
  const watching = createClient({ transport: remarking(`${event}\n`), onWarning });
  const seen: string[] = [];
  for await (const { type } of watching.watch(ConfigMap, { namespace: "default" })) seen.push(type);
  expect([seen, heard]).toEqual([["ADDED"], ["careful", "careful"]]);
});
