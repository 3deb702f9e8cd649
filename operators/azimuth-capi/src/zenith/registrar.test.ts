import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { RegistrarError, reserve } from "./registrar.ts";

const blob = "AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f";
const key = `ssh-ed25519 ${blob}`;
const never = new AbortController().signal;
/** It never settles. */
const silent: Promise<never> = new Promise(() => undefined);
const place = { subdomain: "abc", fqdn: "abc.apps.example.com" };
const reserved = { ...place, internal_fqdn: "abc.zenith.svc", fingerprint: "xyz", fingerprints: ["xyz"] };

interface SentRequest {
  readonly url: string;
  readonly init: RequestInit;
}

/** A registrar that responds with what the test says, and what it was sent. */
function registrar(respond: (signal: AbortSignal) => Response | Promise<Response>) {
  const clock = new VirtualClock();
  const sent: SentRequest[] = [];
  const fetch: typeof globalThis.fetch = async (input, init = {}) => {
    sent.push({ url: String(input), init });
    return respond(init.signal ?? never);
  };
  const call = (url = "http://registrar.zenith:8000", signal = never) =>
    reserve(url, key, { fetch, clock }, signal);
  return { call, clock, sent };
}

const json = (status: number, body: unknown): Response => Response.json(body, { status });

/** The error of a call that fails. */
async function errorOf(call: Promise<unknown>): Promise<RegistrarError> {
  const error = await call.catch((caught: unknown) => caught);
  if (!(error instanceof RegistrarError)) throw new Error("no RegistrarError", { cause: error });
  return error;
}

describe("B.6: reserving a place in Zenith", () => {
  it("sends the public key, and returns the place", async () => {
    const { call, sent } = registrar(() => json(200, reserved));
    expect(await call()).toEqual(place);
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({
      url: "http://registrar.zenith:8000/admin/reserve",
      init: { method: "POST", redirect: "manual", headers: { "content-type": "application/json" } },
    });
    expect(JSON.parse(String(sent[0]?.init.body))).toEqual({ public_keys: [key] });
  });

  it.each([
    ["http://registrar/", "http://registrar/admin/reserve"],
    ["https://zenith.example.com/registrar", "https://zenith.example.com/registrar/admin/reserve"],
    ["https://zenith.example.com/registrar//", "https://zenith.example.com/registrar/admin/reserve"],
  ])("is done below the URL %s", async (url, expected) => {
    const { call, sent } = registrar(() => json(200, reserved));
    await call(url);
    expect(sent[0]?.url).toBe(expected);
  });

  it("sends the password of the URL in a header, and never shows it", async () => {
    const { call, sent } = registrar(() => json(500, { detail: "broken" }));
    const error = await errorOf(call("https://admin:p%40ss@registrar.example.com"));
    expect(sent[0]?.url).toBe("https://registrar.example.com/admin/reserve");
    expect(sent[0]?.init.headers).toMatchObject({
      authorization: `Basic ${Buffer.from("admin:p@ss").toString("base64")}`,
    });
    expect(error.message).toBe(
      "reserve a subdomain at the registrar registrar.example.com: it responded with 500: broken",
    );
  });
});

describe("a registrar that does not reserve a place", () => {
  it("refuses a key that it knows, and says so", async () => {
    const { call } = registrar(() =>
      json(409, { detail: "Public key is already associated with another subdomain." }),
    );
    const error = await errorOf(call());
    expect(error.message).toBe(
      "reserve a subdomain at the registrar registrar.zenith:8000: it responded with 409: Public key is already associated with another subdomain.",
    );
    expect(error).toMatchObject({ code: "REGISTRAR", status: 409, isConflict: true });
  });

  it.each([
    ["an error without a word", () => new Response(null, { status: 503 }), 503, "it responded with 503"],
    ["an error that is no JSON", () => new Response("<html>", { status: 502 }), 502, "it responded with 502"],
    ["an error of another form", () => json(422, { detail: [{ input: key }] }), 422, "it responded with 422"],
    [
      "a page",
      () => new Response("<html>"),
      200,
      "its response is not JSON; does its URL lead to the registrar?",
    ],
    [
      "nothing",
      () => new Response(null, { status: 204 }),
      204,
      "its response is not JSON; does its URL lead to the registrar?",
    ],
    [
      "JSON without a place",
      () => json(200, { subdomain: "abc" }),
      200,
      "its response has no subdomain and fqdn",
    ],
    [
      "an empty place",
      () => json(200, { subdomain: "", fqdn: "" }),
      200,
      "its response has no subdomain and fqdn",
    ],
    ["a list", () => json(200, [reserved]), 200, "its response has no subdomain and fqdn"],
    [
      "a redirect",
      () => new Response(null, { status: 307, headers: { location: "https://evil.example.com" } }),
      307,
      "it responded with 307, and redirects are not followed; correct its URL",
    ],
    ["far too much", () => new Response("x".repeat(70_000)), 200, "its response has more than 65536 bytes"],
  ])("responds with %s", async (_, respond, status, problem) => {
    const error = await errorOf(registrar(respond).call());
    expect(error.message).toBe(`reserve a subdomain at the registrar registrar.zenith:8000: ${problem}`);
    expect(error).toMatchObject({ status, isConflict: false });
  });

  it("does not bring the key into an error, and not more than a few words", async () => {
    const detail = `no: ${key} and ${blob} ${"blah ".repeat(200)}`;
    const { message } = await errorOf(registrar(() => json(400, { detail })).call());
    expect(message).toContain("it responded with 400: no: (key) and (key) blah");
    expect(message).not.toContain("AAAAC3");
    expect(message.length).toBeLessThan(400);
  });

  it("is not reached", async () => {
    const refused = Object.assign(new Error("connect ECONNREFUSED 10.0.0.1:8000"), { code: "ECONNREFUSED" });
    const { call } = registrar(() => Promise.reject(new TypeError("fetch failed", { cause: refused })));
    const error = await errorOf(call());
    expect(error.message).toContain(": it was not reached: ECONNREFUSED");
    expect(error).toMatchObject({ status: undefined, isConflict: false });
  });

  it("fails in a way that is not known", async () => {
    const { call } = registrar(() => Promise.reject(new TypeError("fetch failed")));
    expect((await errorOf(call())).message).toContain(": it was not reached: TypeError");
  });
});

describe("a registrar that is slow", () => {
  const silence = (signal: AbortSignal): Promise<Response> =>
    new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

  it("is given up after 30 seconds", async () => {
    const { call, clock, sent } = registrar(silence);
    const error = errorOf(call());
    await clock.advance(29_999);
    expect(sent[0]?.init.signal?.aborted).toBe(false);
    await clock.advance(1);
    expect((await error).message).toContain(": it did not respond within 30 s");
    expect(sent[0]?.init.signal?.aborted).toBe(true);
  });

  it("is given up also if it stops in the middle of its response", async () => {
    const { call, clock } = registrar(() => new Response(new ReadableStream({ pull: () => silent })));
    const error = errorOf(call());
    await clock.advance(30_000);
    expect((await error).message).toContain(": it did not respond within 30 s");
  });

  it("is given up also if the request does not end with its signal", async () => {
    const { call, clock } = registrar(() => silent);
    const error = errorOf(call());
    await clock.advance(30_000);
    expect((await error).message).toContain(": it did not respond within 30 s");
  });

  it("is not waited for when the operator stops, and that is no failure", async () => {
    const stop = new AbortController();
    const { call, sent } = registrar(silence);
    const stopped = call(undefined, stop.signal);
    stop.abort(new Error("the operator stops"));
    await expect(stopped).rejects.toThrow("the operator stops");
    expect(sent[0]?.init.signal?.aborted).toBe(true);
    await expect(call(undefined, stop.signal)).rejects.toThrow("the operator stops");
    expect(sent).toHaveLength(1);
  });

  it("leaves no timer behind", async () => {
    const { call, clock } = registrar(() => json(200, reserved));
    await call();
    expect(clock.pendingTimers).toEqual([]);
  });
});
