import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { buffer } from "node:stream/consumers";
import { type ControlPlane, startControlPlane } from "@keelson/controlplane";
import { isRecord, type KubeObject } from "@keelson/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { builtinServedResources } from "../../src/builtin/builtin-resources.ts";
import type { ServedResource } from "../../src/resource/served-resource.ts";
import { decodeBuiltin } from "../../src/schema/decode.ts";
import { protobufToJson } from "../../src/server/body/protobuf/decode-envelope.ts";
import { jsonToProtobuf } from "../../src/server/body/protobuf/encode-envelope.ts";
import { richObjects } from "../support/rich-objects.ts";

/**
 * Kinds that can be listed, whose lists hold what the server makes for itself and what this test creates. Those of
 * ComponentStatuses are in no order, and different each time.
 */
const listed = builtinServedResources().filter(
  ({ verbs, kind }) => verbs.includes("list") && kind !== "ComponentStatus",
);

describe("objects of the pinned server as Protocol Buffers", () => {
  let controlPlane: ControlPlane;

  beforeAll(async () => {
    controlPlane = await startControlPlane();
    const list = { apiVersion: "v1", kind: "List", items: richObjects };
    await controlPlane.kubectl(["create", "--validate=strict", "-f", "-"], { input: JSON.stringify(list) });
  });
  afterAll(() => controlPlane?.stop());

  const send = async (
    path: string,
    options: { readonly method: string; readonly headers: Readonly<Record<string, string>> },
    content?: Uint8Array,
  ): Promise<{ readonly status: number | undefined; readonly body: Buffer }> => {
    const { clusters, users } = controlPlane.kubeconfig;
    const decoded = (data: string | undefined): string => Buffer.from(data ?? "", "base64").toString();
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const sent = request(
      `${controlPlane.url}${path}`,
      {
        agent: false,
        ...options,
        ca: decoded(clusters?.[0]?.cluster?.["certificate-authority-data"]),
        cert: decoded(users?.[0]?.user?.["client-certificate-data"]),
        key: decoded(users?.[0]?.user?.["client-key-data"]),
      },
      resolve,
    );
    sent.once("error", reject);
    sent.end(content);
    const response = await promise;
    return { status: response.statusCode, body: await buffer(response) };
  };

  const get = async (path: string, accept: string): Promise<Buffer> => {
    const { status, body } = await send(path, { method: "GET", headers: { accept } });
    expect(status, body.toString()).toBe(200);
    return body;
  };

  const post = async (object: KubeObject, type: string, content: Uint8Array): Promise<unknown> => {
    const headers = { accept: "application/json", "content-type": type };
    const { body } = await send(`${collectionOf(object)}?dryRun=All`, { method: "POST", headers }, content);
    return JSON.parse(body.toString());
  };

  it.each(richObjects)("are read by it as it reads JSON: $kind", async (object) => {
    const renamed = { ...object, metadata: { ...object.metadata, name: `${object.metadata.name}-again` } };
    const json = JSON.stringify(renamed);
    const replies = await Promise.all([
      post(renamed, "application/json", Buffer.from(json)),
      post(renamed, "application/vnd.kubernetes.protobuf", jsonToProtobuf(json) ?? new Uint8Array()),
    ]);
    const [asJson, asMessage] = replies.map(withoutSystemFields);
    expect(asMessage).toEqual(asJson);
  });

  it.each(listed)("are decoded to what it sends as JSON: $group/$version $kind", async (resource) => {
    const path = pathOf(resource);
    const asJson = itemsOf(resource, (await get(path, "application/json")).toString());
    const message = await get(path, "application/vnd.kubernetes.protobuf");
    const asMessage = itemsOf(resource, protobufToJson(message));
    expect(asMessage).toEqual(asJson);
    if (
      richObjects.some(({ kind, apiVersion }) => kind === resource.kind && apiVersion === versionOf(resource))
    ) {
      expect(asMessage).not.toEqual([]);
    }
  });
});

function collectionOf({ apiVersion, kind }: KubeObject): string {
  const resource = builtinServedResources().find((one) => one.kind === kind && versionOf(one) === apiVersion);
  expect.assert(resource !== undefined);
  const place = resource.scope === "Namespaced" ? "/namespaces/default" : "";
  return pathOf(resource).replace(`/${resource.plural}`, `${place}/${resource.plural}`);
}

/** Without what differs between two creations. */
function withoutSystemFields(response: unknown): unknown {
  const text = JSON.stringify(response, (key, value) => (systemFields.has(key) ? undefined : value));
  return JSON.parse(text);
}

const systemFields: ReadonlySet<string> = new Set([
  ...["uid", "creationTimestamp", "managedFields", "clusterIP", "clusterIPs", "nodePort"],
]);

function versionOf({ group, version }: ServedResource): string {
  return group === "" ? version : `${group}/${version}`;
}

function pathOf(resource: ServedResource): string {
  return `${resource.group === "" ? "/api" : "/apis"}/${versionOf(resource)}/${resource.plural}`;
}

/** The objects of a list, without absent and empty fields, which messages distinguish and JSON does not. */
function itemsOf({ schema }: ServedResource, list: string): readonly unknown[] {
  const { items } = JSON.parse(list);
  return (items ?? []).map(
    (item: unknown) => decodeBuiltin({ value: isRecord(item) ? item : {} }, schema).object,
  );
}
