import { VirtualClock } from "@keelson/testkit";
import { type OutgoingPost, PostError } from "keelson/client";
import { expect, it } from "vitest";
import { absent, type ResourceChange } from "../reload/reload-request.ts";
import { callReloadWebhook } from "./reload-webhook.ts";
import type { SendPost } from "./timed-post.ts";

const secret: ResourceChange = {
  resource: { kind: "Secret", namespace: "shop", name: "db" },
  ...{ from: "1", to: "2", upstreamHash: "abc", isExplicit: false },
};
const deleted: ResourceChange = {
  resource: { kind: "ConfigMap", namespace: "shop", name: "flags" },
  ...{ from: "1", to: absent, upstreamHash: undefined, isExplicit: true },
};
const reload = {
  url: "http://hooks.shop.svc/token-123",
  workload: { kind: "Deployment", namespace: "shop", name: "web" },
  changes: [secret, deleted],
  time: "2026-01-01T00:00:00.000Z",
} as const;

const call = (sendPost: SendPost, clock = new VirtualClock()): Promise<void> =>
  callReloadWebhook(reload, { sendPost, clock }, new AbortController().signal);

const respond =
  (status: number): SendPost =>
  async () => ({ status, contentType: "", body: "" });

it("sends upstream's body for each change", async () => {
  const posts: OutgoingPost[] = [];
  await call(async (post) => {
    posts.push(post);
    return respond(204)(post);
  });
  expect(posts).toMatchObject([{ userAgent: "Reloader/2.0", followRedirects: false }, {}]);
  expect(posts.map(({ body }) => JSON.parse(body))).toEqual([
    {
      kind: "secret",
      namespace: "shop",
      resourceName: "db",
      resourceType: "secret",
      hash: "abc",
      timestamp: "2026-01-01T00:00:00.000Z",
      workloads: [{ kind: "Deployment", name: "web", namespace: "shop" }],
    },
    {
      kind: "configmap",
      namespace: "shop",
      resourceName: "flags",
      resourceType: "configmap",
      hash: "",
      timestamp: "2026-01-01T00:00:00.000Z",
      workloads: [{ kind: "Deployment", name: "web", namespace: "shop" }],
    },
  ]);
});

it.each([301, 400, 500])("fails if the endpoint responds with %s", async (status) => {
  await expect(call(respond(status))).rejects.toMatchObject({
    code: "RELOAD_WEBHOOK_FAILED",
    message: expect.stringContaining(`the endpoint responded with ${status}`),
  });
});

it("fails after 30 s without a response", async () => {
  const clock = new VirtualClock();
  const failed = call(() => new Promise(() => undefined), clock);
  failed.catch(() => undefined);
  await expect(clock.runUntil(failed)).rejects.toThrow("did not respond within 30 s");
  expect(clock.monotonicNow()).toBe(30_000);
});

it("does not show the URL in an error", async () => {
  const failed = call(async ({ url }) => {
    throw new PostError(url, new Error(`cannot call ${url}`));
  });
  await expect(failed).rejects.toThrow(/^call the webhook of reloads: the endpoint was not reached: Error$/);
});
