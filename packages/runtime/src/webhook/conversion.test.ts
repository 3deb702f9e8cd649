import type { Kind, KubeObject } from "@keelson/core";
import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { webhookCall, webhookServer } from "../../test/support/webhook-server.ts";
import { conversion, type Spoke } from "./conversion.ts";
import type { WebhookServer } from "./webhook-server.ts";

interface Versioned extends KubeObject {
  readonly spec: { readonly value: string };
}
const kind = (version: string, group = "example.com", name = "Thing"): Kind<Versioned> => ({
  group,
  version,
  kind: name,
});

/** Records the conversions of a value in it. */
const via = (version: string): Spoke<Versioned, Versioned> => ({
  toHub: ({ spec }) => ({ spec: { value: `${spec.value} ${version}>hub` } }),
  fromHub: async ({ spec }) => ({ spec: { value: `${spec.value} hub>${version}` } }),
});
const things = conversion(kind("v2")).spoke(kind("v1"), via("v1")).spoke(kind("v3"), via("v3"));

const thing = (apiVersion: string, name = "a"): Versioned => ({
  apiVersion,
  kind: "Thing",
  metadata: { name, uid: `uid-${name}`, labels: { app: name } },
  spec: { value: name },
});

async function convert(request: unknown, conversions = [things], panics: string[] = []) {
  const server = webhookServer({
    conversions,
    observer: {
      inFlightChanged: () => undefined,
      responded: () => undefined,
      panicked: (path) => void panics.push(path),
    },
  });
  const body = JSON.stringify({ apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview", request });
  const { status, body: text } = await server.service({
    method: "POST",
    path: "/convert?timeout=30s",
    headers: { "content-type": "application/json" },
    body: (async function* () {
      yield Buffer.from(body);
    })(),
    signal: new AbortController().signal,
  });
  return { status, review: status === 200 ? JSON.parse(String(text)) : text };
}

describe("a conversion", () => {
  it.each([
    ["v1", "v2", "a v1>hub"],
    ["v2", "v1", "a hub>v1"],
    ["v3", "v2", "a v3>hub"],
    ["v2", "v3", "a hub>v3"],
    ["v1", "v3", "a v1>hub hub>v3"],
    ["v3", "v1", "a v3>hub hub>v1"],
  ])("[WH8] goes from %s to %s through the hub", async (from, to, value) => {
    const converted = await things.convert(thing(`example.com/${from}`), `example.com/${to}`, webhookCall());
    expect(converted).toEqual({ ...thing(`example.com/${to}`), spec: { value } });
  });

  it("may change labels and annotations, and nothing else of the metadata", async () => {
    const relabelling = conversion(kind("v2")).spoke(kind("v1"), {
      ...via("v1"),
      toHub: ({ spec, metadata }) => ({
        spec,
        metadata: { ...metadata, labels: { new: "yes" }, uid: "other" },
      }),
    });
    const { metadata } = await relabelling.convert(thing("example.com/v1"), "example.com/v2", webhookCall());
    expect(metadata).toEqual({ name: "a", uid: "uid-a", labels: { new: "yes" } });
  });

  it.each([
    [kind("v1", "other.com"), "a conversion is within one kind"],
    [kind("v1", "example.com", "Other"), "a conversion is within one kind"],
    [kind("v2"), "it is the hub"],
    [kind("v3"), "it was added before"],
  ])("[WH8] refuses the version %j", (version, problem) => {
    expect(() => things.spoke(version, via("x"))).toThrow(problem);
  });
});

describe("the conversion webhook", () => {
  const v1 = thing("example.com/v1");

  it("[WH8] converts a list in its order", async () => {
    const objects = [
      thing("example.com/v1", "a"),
      thing("example.com/v3", "b"),
      thing("example.com/v1", "c"),
    ];
    const { review } = await convert({ uid: "u", desiredAPIVersion: "example.com/v2", objects });
    expect(review).toEqual({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "ConversionReview",
      response: {
        uid: "u",
        result: { status: "Success" },
        convertedObjects: [
          { ...thing("example.com/v2", "a"), spec: { value: "a v1>hub" } },
          { ...thing("example.com/v2", "b"), spec: { value: "b v3>hub" } },
          { ...thing("example.com/v2", "c"), spec: { value: "c v1>hub" } },
        ],
      },
    });
  });

  it.each([
    ["another group", "other.com/v2", [v1], "they are of different groups"],
    ["no hub", "example.com/v2", [{ ...v1, kind: "Other" }], "the kind has no conversion"],
    ["the same version", "example.com/v1", [v1], "both are the same version"],
    ["an unknown version", "example.com/v9", [v1], "example.com/v9 is not among the versions of Thing"],
    [
      "one bad object among good ones",
      "example.com/v2",
      [v1, thing("example.com/v9")],
      "example.com/v9 is not",
    ],
    ["something that is no object", "example.com/v2", ["x"], "has no apiVersion, kind or metadata"],
  ])("[WH8] fails as a whole for %s", async (_, desiredAPIVersion, objects, problem) => {
    const panics: string[] = [];
    const { status, review } = await convert({ uid: "u", desiredAPIVersion, objects }, [things], panics);
    expect(status).toBe(200);
    expect(review.response).toMatchObject({ uid: "u", convertedObjects: [], result: { status: "Failure" } });
    expect(review.response.result.message).toContain(problem);
    expect(panics).toEqual([]);
  });

  it("[WH8] quotes the error of an author's function", async () => {
    const panics: string[] = [];
    const broken = conversion(kind("v2")).spoke(kind("v1"), {
      ...via("v1"),
      toHub: () => {
        throw new TypeError("oops");
      },
    });
    const { review } = await convert(
      { uid: "u", desiredAPIVersion: "example.com/v2", objects: [v1] },
      [broken],
      panics,
    );
    expect(review.response.result).toEqual({
      status: "Failure",
      message: "convert: its function failed: TypeError: oops",
    });
    expect(panics).toEqual(["/convert"]);
  });

  describe("reads a body", () => {
    const mib = 1024 * 1024;
    const json = { "content-type": "application/json" };

    /** The status for so many MiB, and how many of them were read. */
    async function send(server: WebhookServer, count: number, headers: Record<string, string> = json) {
      let read = 0;
      const body = (async function* () {
        for (; read < count; read++) yield Buffer.alloc(mib, " ");
      })();
      const { signal } = new AbortController();
      const { status } = await server.service({ method: "POST", path: "/convert", headers, body, signal });
      return { status, read };
    }

    it("only if its content type is JSON", async () => {
      const server = webhookServer({ conversions: [things] });
      expect(await send(server, 5, { "content-type": "text/plain" })).toEqual({ status: 415, read: 0 });
      expect(await send(server, 5, {})).toEqual({ status: 415, read: 0 });
      expect(await send(server, 5, { "content-type": "application/json; charset=utf-8" })).toEqual({
        status: 400,
        read: 5,
      });
    });

    it("of up to 64 MiB", async () => {
      const server = webhookServer({ conversions: [things] });
      expect(await send(server, 64)).toEqual({ status: 400, read: 64 });
      expect(await send(server, 1_000)).toEqual({ status: 413, read: 64 });
    });

    it("within the memory for bodies, which is 128 MiB for all requests", async () => {
      const clock = new VirtualClock();
      const server = webhookServer({ conversions: [things], clock });
      let read = 0;
      const { signal } = new AbortController();
      const hold = () => {
        const body = (async function* () {
          for (let count = 0; count < 64; count++, read++) yield chunk;
          await new Promise(() => undefined);
        })();
        return server.service({ method: "POST", path: "/convert", headers: json, body, signal });
      };
      const chunk = Buffer.alloc(mib);
      const held = [hold(), hold()];
      await expect.poll(() => read).toBe(128);
      expect(await send(server, 1)).toEqual({ status: 503, read: 0 });
      await clock.advance(30_000);
      expect((await Promise.all(held)).map(({ status }) => status)).toEqual([504, 504]);
      expect(await send(server, 64)).toEqual({ status: 400, read: 64 });
    });

    it("until its timeout", async () => {
      const clock = new VirtualClock();
      const server = webhookServer({ conversions: [things], clock });
      const body = (async function* () {
        yield Buffer.from("{");
        await new Promise(() => undefined);
      })();
      const { signal } = new AbortController();
      const path = "/convert?timeout=1s";
      const responding = server.service({ method: "POST", path, headers: json, body, signal });
      await clock.advance(900);
      expect((await responding).status).toBe(504);
      expect(clock.pendingTimers).toEqual([]);
    });
  });

  it("responds with 400 to a body that is no review", async () => {
    expect(await convert(undefined)).toMatchObject({ status: 400 });
  });

  it("refuses two conversions of one kind", () => {
    expect(() => webhookServer({ conversions: [things, things] })).toThrow("there are two");
  });
});
