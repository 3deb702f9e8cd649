import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { buffer } from "node:stream/consumers";
import { type ControlPlane, startControlPlane } from "@keelson/controlplane";
import { isRecord } from "@keelson/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { builtinServedResources } from "../../src/builtin/builtin-resources.ts";
import type { ServedResource } from "../../src/resource/served-resource.ts";
import { decodeBuiltin } from "../../src/schema/decode.ts";
import { protobufToJson } from "../../src/server/body/protobuf/decode-envelope.ts";
import { richObjects } from "../support/rich-objects.ts";

/**
 * Kinds that can be listed, whose lists hold what the server makes for itself and what this test creates. Those of
 * ComponentStatuses are in no order, and different each time.
 */
const listed = builtinServedResources().filter(
  ({ verbs, kind }) => verbs.includes("list") && kind !== "ComponentStatus",
);

describe("an object that the pinned server sends as Protocol Buffers", () => {
  let controlPlane: ControlPlane;

  beforeAll(async () => {
    controlPlane = await startControlPlane();
    const list = { apiVersion: "v1", kind: "List", items: richObjects };
    await controlPlane.kubectl(["create", "--validate=strict", "-f", "-"], { input: JSON.stringify(list) });
  });
  afterAll(() => controlPlane?.stop());

  const get = async (path: string, accept: string): Promise<Buffer> => {
    const { clusters, users } = controlPlane.kubeconfig;
    const decoded = (data: string | undefined): string => Buffer.from(data ?? "", "base64").toString();
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const sent = request(
      `${controlPlane.url}${path}`,
      {
        agent: false,
        headers: { accept },
        ca: decoded(clusters?.[0]?.cluster?.["certificate-authority-data"]),
        cert: decoded(users?.[0]?.user?.["client-certificate-data"]),
        key: decoded(users?.[0]?.user?.["client-key-data"]),
      },
      resolve,
    );
    sent.once("error", reject);
    sent.end();
    const response = await promise;
    const body = await buffer(response);
    expect(response.statusCode, body.toString()).toBe(200);
    return body;
  };

  it.each(listed)("is decoded to what it sends as JSON: $group/$version $kind", async (resource) => {
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
