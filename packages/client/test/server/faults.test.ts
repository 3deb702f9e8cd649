import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { ConfigMap, Namespace } from "@keelson/core/kinds/core/v1";
import { type Cluster, startCluster } from "@keelson/testkit";
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
  TransportClosedError,
} from "../../src/index.ts";
import { accessOf } from "../support/admin-access.ts";
import { type FaultProxy, faults, startFaultProxy } from "../support/fault-proxy.ts";

let controlPlane: Cluster;
beforeAll(async () => {
  controlPlane = await startCluster(process.env.KEELSON_LEVEL);
});
afterAll(() => controlPlane?.stop());

const warnings: string[] = [];

/**
 * A client behind a proxy that misbehaves on request. Afterwards no connection may be in use, so at most two idle ones
 * are open; and none once the transport is closed.
 */
async function behindProxy(work: (client: Client, proxy: FaultProxy) => Promise<void>): Promise<void> {
  await using proxy = await startFaultProxy(accessOf(controlPlane));
  const transport = httpTransport(proxy.access);
  const onWarning = (text: string) => warnings.push(text);
  await work(createClient({ transport, userAgent: "ship/1.0", onWarning }), proxy);
  await expect.poll(() => proxy.openConnections).toBeLessThanOrEqual(2);
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

  it("[CL3] a refusal whose body breaks off is repeated all the same, and a long one frees its connection", async () => {
    await behindProxy(async (client, proxy) => {
      const long = "x".repeat(300_000);
      proxy.inject(
        faults.brokenRefusal,
        ...Array.from({ length: 5 }, () => faults.answer(429, { "retry-after": "0" }, long)),
      );
      await create(client);
      expect(proxy.requests).toHaveLength(7);
    });
  });

  it("[CL3] what was waited for is in the error, and so is how long the server asks to wait", async () => {
    await behindProxy(async (client, proxy) => {
      proxy.inject(faults.answer(429, { "retry-after": "60" }));
      // Long enough for the answer to come on a busy machine, too.
      const late = await client.get(ConfigMap, key, { timeoutMs: 3_000 }).catch((error: unknown) => error);
      expect(late).toBeInstanceOf(RequestTimeoutError);
      expect(late).toMatchObject({
        cause: { message: expect.stringContaining("the response was 429 with Retry-After: 60") },
      });
      proxy.inject(
        ...Array.from({ length: 11 }, () => faults.answer(429, { "retry-after": "0" }, "slow down")),
      );
      await expect(client.get(ConfigMap, key)).rejects.toMatchObject({ retryAfterMs: 0 });
    });
  });

  it("[CL3] without Retry-After nothing is repeated", async () => {
    await behindProxy(async (client, proxy) => {
      proxy.inject(faults.answer(500, {}, "boiler room on fire"));
      const refusal = await client.get(ConfigMap, key).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(ApiError);
      expect(String(refusal)).toContain(
        "get configmaps default/cargo: the API server responded with 500: boiler room on fire",
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
      await expect(client.get(ConfigMap, key)).rejects.toThrow(/the response is not JSON/);
      proxy.inject(faults.answer(200, {}, '{"kind":"Secret","apiVersion":"v1","metadata":{}}'));
      await expect(client.get(ConfigMap, key)).rejects.toThrow(/the response is a Secret, not a ConfigMap/);
    });
  });

  it("that never answers is given up in time, for requests and for watches", async () => {
    await behindProxy(async (client, proxy) => {
      proxy.inject(faults.neverAnswer, faults.neverAnswer);
      const failure = await client.get(ConfigMap, key, { timeoutMs: 100 }).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(RequestTimeoutError);
      expect(String(failure)).toContain("get configmaps default/cargo: no complete response in 0.1 s");
      const watching = async () => {
        for await (const _ of client.watch(ConfigMap, { namespace: "default", timeoutMs: 100 }));
      };
      await expect(watching()).rejects.toBeInstanceOf(RequestTimeoutError);
    });
  });

  it("that refuses a watch and then stalls is given up in time", async () => {
    await behindProxy(async (client, proxy) => {
      proxy.inject(faults.stalledRefusal);
      const watching = async () => {
        for await (const _ of client.watch(ConfigMap, { namespace: "default", timeoutMs: 100 }));
      };
      await expect(watching()).rejects.toBeInstanceOf(RequestTimeoutError);
    });
  });

  it("that redirects is refused, by watches too", async () => {
    await behindProxy(async (client, proxy) => {
      const redirect = faults.answer(302, { location: "/login" });
      proxy.inject(redirect, redirect);
      await expect(client.get(ConfigMap, key)).rejects.toThrow(/the API server responded with 302/);
      const watching = async () => {
        for await (const _ of client.watch(ConfigMap, { namespace: "default" }));
      };
      await expect(watching()).rejects.toThrow(/the API server responded with 302/);
    });
  });

  it("that accepts connections and says nothing is given up in time, and left at once", async () => {
    const mute = createServer().listen(0, "127.0.0.1");
    await once(mute, "listening");
    const { port } = mute.address() as AddressInfo;
    const transport = httpTransport({ ...accessOf(controlPlane), server: `https://127.0.0.1:${port}` });
    const client = createClient({ transport });
    await expect(client.get(ConfigMap, key, { timeoutMs: 100 })).rejects.toBeInstanceOf(RequestTimeoutError);
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(client.get(ConfigMap, key, { signal })).rejects.toThrow("enough");
    const controller = new AbortController();
    const waiting = client.get(ConfigMap, key, { signal: controller.signal });
    controller.abort(new Error("too long"));
    await expect(waiting).rejects.toThrow("too long");
    await transport.close();
    mute.close();
  });

  it("makes a request that waits for its turn give up in time", async () => {
    await behindProxy(async (client, proxy) => {
      proxy.inject(...Array.from({ length: 64 }, () => faults.neverAnswer));
      const controller = new AbortController();
      const slow = Array.from({ length: 64 }, () =>
        client.get(ConfigMap, key, { signal: controller.signal }),
      );
      await expect.poll(() => proxy.requests.length).toBe(64);
      await expect(client.get(ConfigMap, key, { timeoutMs: 50 })).rejects.toBeInstanceOf(RequestTimeoutError);
      controller.abort(new Error("enough"));
      await Promise.allSettled(slow);
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
      await expect.poll(() => proxy.requests.length).toBe(100);
      await client.list(ConfigMap, { namespace: "default" });
      controller.abort(new Error("enough"));
      const ends = await Promise.allSettled(watches);
      expect(ends.every(({ status }) => status === "rejected")).toBe(true);
      await expect.poll(() => proxy.openConnections).toBeLessThanOrEqual(1);
    });
  });

  it("are freed by a watch that is left", async () => {
    await behindProxy(async (client, proxy) => {
      for (let round = 0; round < 5; round++) {
        for await (const _ of client.watch(Namespace)) break;
      }
      await expect.poll(() => proxy.openConnections).toBe(0);
    });
  });

  it("are all ended by closing the transport, also those that other credentials have replaced", async () => {
    await behindProxy(async (_, proxy) => {
      let serverName = "one";
      const transport = httpTransport({
        ...proxy.access,
        tls: async () => ({ insecure: false, serverName }),
      });
      const client = createClient({ transport });
      const watching = (async () => {
        for await (const event of client.watch(Namespace)) if (event.type === "ADDED") serverName = "two";
      })();
      await expect.poll(() => serverName).toBe("two");
      await client.list(ConfigMap);
      expect(proxy.openConnections).toBe(2);
      const ended = expect(watching).rejects.toBeInstanceOf(TransportClosedError);
      await transport.close();
      await ended;
      await expect.poll(() => proxy.openConnections).toBe(0);
      await expect(client.list(ConfigMap)).rejects.toBeInstanceOf(TransportClosedError);
    });
  });

  it("bring what the server remarks", async () => {
    await behindProxy(async (client) => {
      const metadata = { namespace: "default", name: "typo" };
      await client.create(ConfigMap, Object.assign({ metadata }, { dat: {} }), { dryRun: true });
      expect(warnings).toContain('unknown field "dat"');
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
    const seen: unknown[] = [];
    await behindProxy(async (client) => {
      const { metadata } = await client.list(ConfigMap, { namespace: "default" });
      for (const name of ["a", "b"])
        await client.create(ConfigMap, { metadata: { namespace: "default", name } });
      await controlPlane.restart("kube-apiserver");
      const { resourceVersion = "" } = metadata;
      for await (const event of client.watch(ConfigMap, { namespace: "default", resourceVersion })) {
        seen.push(event);
      }
    });
    expect(seen).toMatchObject([{ type: "ERROR", status: { code: 410, reason: "Expired" } }]);
  });
});
