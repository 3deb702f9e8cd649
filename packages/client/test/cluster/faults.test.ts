import { type ControlPlane, startControlPlane } from "@keelson/controlplane";
import { ConfigMap } from "@keelson/core/kinds/core/v1";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  ApiError,
  type Client,
  ConnectionError,
  createClient,
  httpTransport,
  MalformedResponseError,
  RequestTimeoutError,
  TooManyRequestsError,
} from "../../src/index.ts";
import { accessOf } from "../support/admin-access.ts";
import { type FaultProxy, faults, startFaultProxy } from "../support/fault-proxy.ts";

let controlPlane: ControlPlane;
beforeAll(async () => {
  controlPlane = await startControlPlane();
});
afterAll(() => controlPlane?.stop());

/** A client behind a proxy that misbehaves on request; at the end no connection may be left. */
async function behindProxy(work: (client: Client, proxy: FaultProxy) => Promise<void>): Promise<void> {
  await using proxy = await startFaultProxy(accessOf(controlPlane));
  const transport = httpTransport(proxy.access);
  await work(createClient({ transport, timeoutMs: 2_000, userAgent: "ship/1.0" }), proxy);
  await transport.close();
  await expect.poll(() => proxy.openConnections).toBe(0);
}

const key = { namespace: "default", name: "cargo" };
const path = "/api/v1/namespaces/default/configmaps";

describe("a server or a network that misbehaves", () => {
  beforeEach(async () => {
    await controlPlane.kubectl(["delete", "configmap", "cargo", "--ignore-not-found"]);
  });
  const create = (client: Client) => client.create(ConfigMap, { metadata: key, data: { a: "1" } });

  it("[CL3] 429 and 5xx with Retry-After are repeated, writes too", async () => {
    await behindProxy(async (client, proxy) => {
      proxy.inject(faults.answer(429, { "retry-after": "0" }), faults.answer(503, { "retry-after": "0" }));
      await create(client);
      expect(proxy.requests).toEqual([`POST ${path}`, `POST ${path}`, `POST ${path}`]);
    });
  });

  it("[CL3] gives up after ten repetitions", async () => {
    await behindProxy(async (client, proxy) => {
      proxy.inject(...Array.from({ length: 30 }, () => faults.answer(429, { "retry-after": "0" })));
      await expect(create(client)).rejects.toBeInstanceOf(TooManyRequestsError);
      expect(proxy.requests).toHaveLength(11);
    });
  });

  it("[CL3] without Retry-After nothing is repeated", async () => {
    await behindProxy(async (client, proxy) => {
      proxy.inject(faults.answer(500, {}, "boiler room on fire"));
      const refusal = await client.get(ConfigMap, key).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(ApiError);
      expect(String(refusal)).toContain(
        "get configmaps default/cargo: the API server answered 500: boiler room on fire",
      );
      expect(proxy.requests).toHaveLength(1);
    });
  });

  it("[CL3] a reset connection is repeated for a GET", async () => {
    await behindProxy(async (client, proxy) => {
      await create(client);
      proxy.inject(faults.reset, faults.reset);
      expect((await client.get(ConfigMap, key)).data).toEqual({ a: "1" });
      expect(proxy.requests.filter((request) => request.startsWith("GET"))).toHaveLength(3);
    });
  });

  it("[CL3] a reset connection is not repeated for a write", async () => {
    await behindProxy(async (client, proxy) => {
      proxy.inject(faults.reset);
      await expect(create(client)).rejects.toBeInstanceOf(ConnectionError);
      expect(proxy.requests).toEqual([`POST ${path}`]);
    });
  });

  it("that sends half a document gives a typed error", async () => {
    await behindProxy(async (client, proxy) => {
      proxy.inject(faults.halfAnswer);
      await expect(client.get(ConfigMap, key)).rejects.toBeInstanceOf(ConnectionError);
      proxy.inject(faults.answer(200, { "content-type": "application/json" }, '{"kind":"Conf'));
      await expect(client.get(ConfigMap, key)).rejects.toBeInstanceOf(MalformedResponseError);
      proxy.inject(faults.answer(200, { "content-type": "text/html" }, "<html>log in first</html>"));
      await expect(client.get(ConfigMap, key)).rejects.toThrow(/the answer is not JSON/);
      proxy.inject(faults.answer(200, {}, '{"kind":"Secret","apiVersion":"v1","metadata":{}}'));
      await expect(client.get(ConfigMap, key)).rejects.toThrow(/the answer is a Secret, not a ConfigMap/);
    });
  });

  it("that never answers is given up in time, for requests and for watches", async () => {
    await behindProxy(async (client, proxy) => {
      proxy.inject(faults.neverAnswer, faults.neverAnswer);
      const failure = await client.get(ConfigMap, key, { timeoutMs: 100 }).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(RequestTimeoutError);
      expect(String(failure)).toContain("get configmaps default/cargo: no complete answer in 0.1 s");
      const watching = async () => {
        for await (const _ of client.watch(ConfigMap, { namespace: "default", timeoutMs: 100 }));
      };
      await expect(watching()).rejects.toBeInstanceOf(RequestTimeoutError);
    });
  });

  it("is left at once when the caller aborts, with the caller's reason", async () => {
    await behindProxy(async (client, proxy) => {
      proxy.inject(faults.neverAnswer);
      const controller = new AbortController();
      const waiting = client.get(ConfigMap, key, { signal: controller.signal });
      await expect.poll(() => proxy.requests).toHaveLength(1);
      controller.abort(new Error("enough"));
      await expect(waiting).rejects.toThrow("enough");
      await expect(client.get(ConfigMap, key, { signal: controller.signal })).rejects.toThrow("enough");
      expect(proxy.requests).toHaveLength(1);
    });
  });

  it("that is not there at all gives a typed error", async () => {
    await behindProxy(async (_, proxy) => {
      await proxy[Symbol.asyncDispose]();
      const transport = httpTransport(proxy.access);
      const failure = await createClient({ transport })
        .get(ConfigMap, key)
        .catch((error: unknown) => error);
      await transport.close();
      expect(failure).toBeInstanceOf(ConnectionError);
      expect(String(failure)).toMatch(
        /get configmaps default\/cargo: .*ECONNREFUSED.*; is the API server reachable/,
      );
    });
  });
});

describe("connections", () => {
  it("are reused: a thousand GETs in a row open at most two", async () => {
    await behindProxy(async (client, proxy) => {
      for (let count = 0; count < 1000; count++) await client.list(ConfigMap, { namespace: "default" });
      expect(proxy.connections).toBeLessThanOrEqual(2);
    });
  });

  it("of watches are their own: many watches make no request wait", async () => {
    await behindProxy(async (client, proxy) => {
      const controller = new AbortController();
      const watches = Array.from({ length: 100 }, async () => {
        for await (const _ of client.watch(ConfigMap, { namespace: "default", signal: controller.signal }));
      });
      await expect.poll(() => proxy.requests.length, { timeout: 10_000 }).toBe(100);
      await client.list(ConfigMap, { namespace: "default" });
      controller.abort(new Error("enough"));
      const ends = await Promise.allSettled(watches);
      expect(ends.every(({ status }) => status === "rejected")).toBe(true);
      await expect.poll(() => proxy.openConnections).toBeLessThanOrEqual(1);
    });
  });

  it("carry the user agent", async () => {
    await behindProxy(async (client, proxy) => {
      await client.list(ConfigMap, { namespace: "default" });
      expect(proxy.lastHeaders["user-agent"]).toBe("ship/1.0");
    });
  });
});

describe("an API server that was restarted", () => {
  it("ends a watch that begins before its memory with 410", async () => {
    await behindProxy(async (client) => {
      const { metadata } = await client.list(ConfigMap, { namespace: "default" });
      for (const name of ["a", "b"])
        await client.create(ConfigMap, { metadata: { namespace: "default", name } });
      await controlPlane.restart("kube-apiserver");
      const { resourceVersion = "" } = metadata;
      for await (const event of client.watch(ConfigMap, { namespace: "default", resourceVersion })) {
        expect(event).toMatchObject({ type: "ERROR", status: { code: 410, reason: "Expired" } });
      }
    });
    expect.assertions(2);
  });
});
