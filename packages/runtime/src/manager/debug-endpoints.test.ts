import { type Clock, type HttpService, type ServiceResponse, systemClock } from "@keelson/core";
import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { CausalLog } from "../controller/causal/causal-log.ts";
import { debugService, withDebug } from "./debug-endpoints.ts";

const log = new CausalLog({ clock: new VirtualClock() });
log
  .begin("shop/web", { reconcileId: () => "1", reasons: [], queuedMs: 2, priority: 0 })
  .end({ result: "success" });

const makeService = (clock: Clock = systemClock, isAllowed = true): HttpService =>
  debugService({
    clock,
    logs: new Map([["webapp", log]]),
    authorize: async () => (isAllowed ? { isAllowed } : { isAllowed, status: 401, message: "Unauthorized" }),
  });

const request = (service: HttpService, path: string, more: { method?: string; signal?: AbortSignal } = {}) =>
  service({
    method: "GET",
    path,
    headers: {},
    body: (async function* () {})(),
    signal: new AbortController().signal,
    ...more,
  });

async function textOf({ body }: ServiceResponse): Promise<string> {
  if (body === undefined || typeof body === "string") return body ?? "";
  if (body instanceof Uint8Array) return Buffer.from(body).toString();
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}

describe("the debug endpoints", () => {
  it("refuse requests that are not authorized", async () => {
    for (const path of ["/debug/why", "/debug/heap", "/debug/cpu"])
      expect(await request(makeService(systemClock, false), path)).toMatchObject({ status: 401 });
  });

  it("explain the runs of a key, and list the keys with runs and the controllers", async () => {
    const service = makeService();
    const why = async (query: string): Promise<string> =>
      textOf(await request(service, `/debug/why${query}`));
    expect(await why("")).toBe("controllers:\n  webapp\n");
    expect(await why("?controller=webapp")).toBe("keys of webapp:\n  shop/web\n");
    expect(await why("?controller=webapp&key=shop/web")).toContain("success");
    expect(await why("?controller=webapp&key=shop/none")).toBe("no run of shop/none is on record\n");
    expect(await request(service, "/debug/why?controller=none")).toMatchObject({ status: 404 });
  });

  it("serve the heap as a file for developer tools", { timeout: 60_000 }, async () => {
    const response = await request(makeService(), "/debug/heap");
    expect(response.headers?.["content-disposition"]).toBe('attachment; filename="keelson.heapsnapshot"');
    expect((await textOf(response)).slice(0, 12)).toBe('{"snapshot":');
  });

  it("profile the CPU for the requested time, one profile at a time", async () => {
    const service = makeService();
    const first = request(service, "/debug/cpu?seconds=0.05");
    expect(await request(service, "/debug/cpu?seconds=0.05")).toMatchObject({ status: 409 });
    expect(JSON.parse(await textOf(await first))).toMatchObject({ nodes: expect.any(Array) });
    expect(await request(service, "/debug/cpu?seconds=0.05")).toMatchObject({ status: 200 });
  });

  it("end a profile whose client has disconnected", async () => {
    const clock = new VirtualClock();
    const disconnect = new AbortController();
    const profile = request(makeService(clock), "/debug/cpu?seconds=60", { signal: disconnect.signal });
    await expect.poll(() => clock.pendingTimers.length).toBe(1);
    disconnect.abort(new Error("the client has disconnected"));
    await expect(profile).rejects.toThrow("the client has disconnected");
    expect(clock.pendingTimers).toEqual([]);
  });

  it.each(["0", "-1", "121", "x"])("refuse a profile of %s seconds", async (seconds) => {
    expect(await request(makeService(), `/debug/cpu?seconds=${seconds}`)).toMatchObject({ status: 400 });
  });

  it("allow only GET and known paths below /debug, and leave all other paths to the other service", async () => {
    const service = withDebug(async () => ({ status: 204 }), makeService());
    expect(await request(service, "/debug/why", { method: "POST" })).toMatchObject({ status: 405 });
    expect(await request(service, "/debug/none")).toMatchObject({ status: 404 });
    expect(await request(service, "/metrics")).toMatchObject({ status: 204 });
  });
});
