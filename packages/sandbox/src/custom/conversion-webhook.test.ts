import { type GenericObject, isRecord, seededRandom } from "@keelson/core";
import { expect, test } from "vitest";
import type { WebhookCaller } from "../resource/webhook-caller.ts";
import { webhookConverter } from "./conversion-webhook.ts";

const object: GenericObject = {
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name: "a", uid: "1", labels: { a: "b" } },
  spec: { size: 1 },
};

/** Responds to each request with its objects after `convert`. */
function webhook(convert: (given: Record<string, unknown>) => unknown): WebhookCaller {
  return async ({ body }) => {
    const { request, apiVersion, kind } = JSON.parse(body);
    const convertedObjects = request.objects.map(convert);
    const response = { uid: request.uid, result: { status: "Success" }, convertedObjects };
    return {
      status: 200,
      contentType: "application/json",
      body: JSON.stringify({ apiVersion, kind, response }),
    };
  };
}

function converted(callWebhook: WebhookCaller): Promise<readonly GenericObject[]> {
  const settings = { conversionReviewVersions: ["v1"], clientConfig: { url: "https://hook" } };
  const convert = webhookConverter(settings, "example.com", { callWebhook, random: seededRandom(1) });
  return convert([object], "v2");
}

test("a webhook converts, and of the metadata may change labels and annotations only", async () => {
  const caller = webhook((given) => ({
    ...given,
    apiVersion: "example.com/v2",
    metadata: { ...(isRecord(given.metadata) ? given.metadata : {}), labels: { c: "d" }, generation: 7 },
    spec: { width: 1 },
  }));
  expect(await converted(caller)).toEqual([
    {
      apiVersion: "example.com/v2",
      kind: "Widget",
      metadata: { name: "a", uid: "1", labels: { c: "d" } },
      spec: { width: 1 },
    },
  ]);
});

test("a conversion that fails says so in the words of the real server", async () => {
  await expect(converted(async () => Promise.reject(new Error("connection refused")))).rejects.toThrow(
    "conversion webhook for example.com/v1, Kind=Widget failed: connection refused",
  );
  await expect(converted(webhook((given) => given))).rejects.toThrow(
    "conversion webhook for example.com/v1, Kind=Widget returned invalid object at index 0: invalid groupVersion (expected example.com/v2, received example.com/v1)",
  );
  const renamed = webhook(() => ({
    ...object,
    apiVersion: "example.com/v2",
    metadata: { name: "b", uid: "1" },
  }));
  await expect(converted(renamed)).rejects.toThrow(
    "conversion webhook for example.com/v1, Kind=Widget returned invalid object: must have the same name: a != b",
  );
});
