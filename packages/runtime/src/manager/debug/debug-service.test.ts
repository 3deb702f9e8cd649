import { type Clock, type HttpService, type ServiceResponse, systemClock } from "@keelson/core";
import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { CausalLog } from "../../controller/causal/causal-log.ts";
import { debugService, withDebug } from "./debug-service.ts";

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

const ask = (service: HttpService, path: string, more: { method?: string; signal?: AbortSignal } = {}) =>
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

describe("what people look into a process by", () => {
  it("shows nothing to those who may not see it", async () => {
    for (const path of ["/debug/why", "/debug/heap", "/debug/cpu"])
      expect(await ask(makeService(systemClock, false), path)).toMatchObject({ status: 401 });
  });

  it("tells why a key was reconciled, which keys were, and which controllers there are", async () => {
    const service = makeService();
    const why = async (query: string): Promise<string> => textOf(await ask(service, `/debug/why${query}`));
    expect(await why("")).toBe("controllers:\n  webapp\n");
    expect(await why("?controller=webapp")).toBe("keys of webapp:\n  shop/web\n");
    expect(await why("?controller=webapp&key=shop/web")).toContain("success");
    expect(await why("?controller=webapp&key=shop/none")).toBe("no run of shop/none is on record\n");
    expect(await ask(service, "/debug/why?controller=none")).toMatchObject({ status: 404 });
  });

  it("gives the heap as a file that developer tools read", { timeout: 60_000 }, async () => {
    const response = await ask(makeService(), "/debug/heap");
    expect(response.headers?.["content-disposition"]).toBe('attachment; filename="keelson.heapsnapshot"');
    expect((await textOf(response)).slice(0, 12)).toBe('{"snapshot":');
  });

  it("profiles the CPU for as long as it is asked to, one at a time", async () => {
    const service = makeService();
    const first = ask(service, "/debug/cpu?seconds=0.05");
    expect(await ask(service, "/debug/cpu?seconds=0.05")).toMatchObject({ status: 409 });
    expect(JSON.parse(await textOf(await first))).toMatchObject({ nodes: expect.any(Array) });
    expect(await ask(service, "/debug/cpu?seconds=0.05")).toMatchObject({ status: 200 });
  });

  it("ends a profile that nobody waits for any more", async () => {
    const clock = new VirtualClock();
    const gone = new AbortController();
    const profile = ask(makeService(clock), "/debug/cpu?seconds=60", { signal: gone.signal });
    await expect.poll(() => clock.pendingTimers.length).toBe(1);
    gone.abort(new Error("the client has gone away"));
    await expect(profile).rejects.toThrow("the client has gone away");
    expect(clock.pendingTimers).toEqual([]);
  });

  it.each(["0", "-1", "121", "x"])("refuses a profile of %s seconds", async (seconds) => {
    expect(await ask(makeService(), `/debug/cpu?seconds=${seconds}`)).toMatchObject({ status: 400 });
  });

  it("answers nothing but GET, and nothing else below /debug; all other paths are another's", async () => {
    const service = withDebug(async () => ({ status: 204 }), makeService());
    expect(await ask(service, "/debug/why", { method: "POST" })).toMatchObject({ status: 405 });
    expect(await ask(service, "/debug/none")).toMatchObject({ status: 404 });
    expect(await ask(service, "/metrics")).toMatchObject({ status: 204 });
  });
});
