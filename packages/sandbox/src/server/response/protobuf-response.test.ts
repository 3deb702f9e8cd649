import type { Transport } from "@keelson/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSandbox } from "../../create-sandbox.ts";
import type { Sandbox } from "../../sandbox.ts";
import { protobufToJson } from "../body/protobuf/decode-envelope.ts";
import { wireFields } from "../body/protobuf/wire-reader.ts";

const accept = "application/vnd.kubernetes.protobuf";
const path = "/api/v1/namespaces/default/configmaps";

let sandbox: Sandbox;
let transport: Transport;
beforeAll(async () => {
  sandbox = await createSandbox({ controllers: false });
  transport = sandbox.transport();
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { color: "<blue>" } };
  await send("POST", path, { "content-type": "application/json" }, JSON.stringify(object));
});
afterAll(async () => {
  await transport.close();
  await sandbox.stop();
});

interface Received {
  readonly status: number;
  readonly type: string | undefined;
  readonly bytes: Buffer;
}

async function send(
  method: "GET" | "POST",
  at: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
): Promise<Received> {
  const request = { method, path: at, headers, isStream: false, ...(body !== undefined && { body }) };
  const response = await transport.send(request);
  const parts: Uint8Array[] = [];
  for await (const part of response.body) parts.push(part);
  return { status: response.status, type: response.headers["content-type"], bytes: Buffer.concat(parts) };
}

describe("a client that accepts nothing but Protocol Buffers", () => {
  it.each([
    ["an object", `${path}/a`],
    ["a list", path],
    ["a Status", `${path}/missing`],
  ])("gets %s with the values of JSON", async (_what, at) => {
    const asJson = await send("GET", at, { accept: "application/json" });
    const asMessage = await send("GET", at, { accept });
    expect([asMessage.status, asMessage.type]).toEqual([asJson.status, accept]);
    const [message, json] = [
      JSON.parse(protobufToJson(asMessage.bytes)),
      JSON.parse(asJson.bytes.toString()),
    ];
    // An empty object is the same as none.
    expect({ metadata: {}, ...message }).toEqual(json);
  });

  it("gets a watch in frames with their length", async () => {
    const { type, bytes } = await send("GET", `${path}?watch=true&timeoutSeconds=1`, { accept });
    expect(type).toBe(`${accept};stream=watch`);
    const length = bytes.readUInt32BE();
    expect(length).toBe(bytes.length - 4);
    const [name, object] = [...wireFields(bytes.subarray(4))];
    expect(Buffer.from(name?.bytes ?? []).toString()).toBe("ADDED");
    const [raw] = [...wireFields(object?.bytes ?? new Uint8Array())];
    expect(JSON.parse(protobufToJson(raw?.bytes ?? new Uint8Array()))).toMatchObject({
      kind: "ConfigMap",
      metadata: { name: "a" },
      data: { color: "<blue>" },
    });
  });

  it("is given JSON if it accepts that too", async () => {
    const { type } = await send("GET", path, { accept: `${accept}, application/json` });
    expect(type).toBe("application/json");
  });
});
