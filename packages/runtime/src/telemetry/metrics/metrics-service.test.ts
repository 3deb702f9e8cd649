import { type Client, ConnectionError } from "@keelson/client";
import type { ServiceRequest, ServiceResponse } from "@keelson/core";
import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { authorizeByReview } from "./authorize-by-review.ts";
import { type Authorize, metricsService } from "./metrics-service.ts";

const request = (method: string, path: string, headers: Record<string, string> = {}): ServiceRequest => ({
  method,
  path,
  headers,
  body: (async function* () {})(),
  signal: new AbortController().signal,
});

const send = (method: string, path: string, authorize?: Authorize): Promise<ServiceResponse> =>
  metricsService(
    { render: async () => "depth 1\n" },
    authorize === undefined ? {} : { authorize },
  )(request(method, path));

describe("the service for metrics", () => {
  it("serves their text, with any query", async () => {
    expect(await send("GET", "/metrics?name=depth")).toEqual({
      status: 200,
      headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
      body: "depth 1\n",
    });
  });

  it("responds to HEAD without a body", async () => {
    const { status, headers, body } = await send("HEAD", "/metrics");
    expect({ status, body }).toEqual({ status: 200, body: undefined });
    expect(headers).toMatchObject({ "content-length": "8" });
  });

  it("refuses other paths and methods", async () => {
    expect((await send("GET", "/")).status).toBe(404);
    expect((await send("GET", "/metrics/")).status).toBe(404);
    expect(await send("POST", "/metrics")).toMatchObject({ status: 405, headers: { allow: "GET, HEAD" } });
  });

  it("refuses requests that are not authorized", async () => {
    const refuse =
      (status: 401 | 403): Authorize =>
      async () => ({ isAllowed: false, status, message: "no" });
    expect(await send("GET", "/metrics", refuse(403))).toMatchObject({ status: 403, body: "no\n" });
    expect(await send("GET", "/metrics", refuse(401))).toMatchObject({
      status: 401,
      headers: { "www-authenticate": "Bearer" },
    });
  });
});

describe("authorization without an API server", () => {
  const failing: Pick<Client, "create"> = {
    create: async () => {
      throw new ConnectionError("create tokenreviews", new Error("refused"));
    },
  };

  it.each([
    {},
    { authorization: "Basic YTpi" },
    { authorization: "Bearer" },
    { authorization: "Bearer a b" },
  ])("refuses %j, and sends no review", async (headers) => {
    const authorize = authorizeByReview(failing, { clock: new VirtualClock() });
    expect(await authorize(request("GET", "/metrics", headers))).toMatchObject({ status: 401 });
  });

  it("refuses access while the review fails", async () => {
    const authorize = authorizeByReview(failing, { clock: new VirtualClock() });
    expect(await authorize(request("GET", "/metrics", { authorization: "Bearer abc" }))).toEqual({
      isAllowed: false,
      status: 500,
      message: "Authentication failed",
    });
  });
});
