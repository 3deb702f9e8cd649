import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect as connectTcp } from "node:net";
import { SelfSubjectReview, TokenRequest } from "@keelson/core/kinds/authentication/v1";
import { ServiceAccount } from "@keelson/core/kinds/core/v1";
import { type Cluster, startCluster } from "@keelson/testkit";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { ClusterAccess } from "../../src/config/cluster-access.ts";
import { ConnectionError, createClient, httpTransport, UnauthorizedError } from "../../src/index.ts";
import { accessOf } from "../support/admin-access.ts";

let controlPlane: Cluster;
let admin: ClusterAccess;
beforeAll(async () => {
  controlPlane = await startCluster(process.env.KEELSON_LEVEL);
  admin = accessOf(controlPlane);
});
afterAll(() => controlPlane?.stop());

function clientOf(access: ClusterAccess) {
  const transport = httpTransport(access);
  onTestFinished(() => transport.close());
  return createClient({ transport });
}

/** Who the server takes us for. */
async function whoAmI(client: ReturnType<typeof clientOf>): Promise<string | undefined> {
  return (await client.create(SelfSubjectReview, { metadata: {} })).status?.userInfo?.username;
}

/** Access to the server by a token, without a client certificate. */
async function withToken(token: () => string, refused: () => void = () => undefined): Promise<ClusterAccess> {
  const { ca = "" } = await admin.tls();
  const headers = async () => ({ authorization: `Bearer ${token()}` });
  return { ...admin, tls: async () => ({ ca, insecure: false }), headers, refused };
}

async function makeToken(name: string): Promise<string> {
  const client = clientOf(admin);
  await client.create(ServiceAccount, { metadata: { namespace: "default", name } });
  const key = { namespace: "default", name };
  const request = await client
    .subresource(ServiceAccount, "token", TokenRequest)
    .create(key, { metadata: {}, spec: { audiences: [] } });
  return request.status?.token ?? "none";
}

describe("credentials", () => {
  it("that the server does not know give a typed error", async () => {
    await expect(whoAmI(clientOf(await withToken(() => "wrong")))).rejects.toBeInstanceOf(UnauthorizedError);
  });

  it("that were refused are fetched anew, and the request is repeated, writes too", async () => {
    const good = await makeToken("robot");
    let token = "stale";
    const access = await withToken(
      () => token,
      () => {
        token = good;
      },
    );
    expect(await whoAmI(clientOf(access))).toBe("system:serviceaccount:default:robot");
  });

  it("in a client certificate may change while the client runs", async () => {
    const ann = accessOf(await controlPlane.createUser({ user: "ann" }));
    const bob = accessOf(await controlPlane.createUser({ user: "bob" }));
    let current = ann;
    const client = clientOf({ ...ann, tls: (signal) => current.tls(signal) });
    expect(await whoAmI(client)).toBe("ann");
    current = bob;
    expect(await whoAmI(client)).toBe("bob");
  });
});

it("sends several values of one header, as several impersonated groups need", async () => {
  const headers = { "impersonate-user": "ann", "impersonate-group": ["crew", "deck, lower"] };
  const review = await clientOf({ ...admin, headers: async () => headers }).create(SelfSubjectReview, {
    metadata: {},
  });
  expect(review.status?.userInfo?.groups).toEqual(["crew", "deck, lower", "system:authenticated"]);
});

it("does not throw credentials away that another request has just renewed", async () => {
  const good = await makeToken("sailor");
  let token = "stale";
  let refusals = 0;
  const access = await withToken(
    () => token,
    () => {
      refusals += 1;
      token = good;
    },
  );
  const client = clientOf(access);
  const names = await Promise.all(Array.from({ length: 10 }, () => whoAmI(client)));
  expect(new Set(names)).toEqual(new Set(["system:serviceaccount:default:sailor"]));
  expect(refusals).toBe(1);
});

describe("TLS", () => {
  it("refuses a server that another authority has signed for", async () => {
    const { ca } = await accessOf(controlPlane).tls();
    const stranger = await startCluster(process.env.KEELSON_LEVEL);
    onTestFinished(() => stranger.stop());
    const access = {
      ...accessOf(stranger),
      tls: async () => ({ ...(ca !== undefined && { ca }), insecure: false }),
    };
    const failure = await whoAmI(clientOf(access)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ConnectionError);
    expect(String(failure)).toMatch(/certificate/);
    const unverified = { ...access, tls: async () => ({ insecure: true }) };
    // It is reached, and does not know who is asking.
    await expect(whoAmI(clientOf(unverified))).rejects.toThrow(/User "system:anonymous" cannot create/);
  });

  it("verifies the configured server name instead of the host", async () => {
    const named = (serverName: string) => ({
      ...admin,
      tls: async () => ({ ...(await admin.tls()), serverName }),
    });
    expect(await whoAmI(clientOf(named("kubernetes.default")))).toBe(controlPlane.kubeconfig.users[0]?.name);
    await expect(whoAmI(clientOf(named("elsewhere.example")))).rejects.toThrow(/does not match certificate/);
  });
});

it("goes through a proxy, which sees nothing but the address", async () => {
  const asked: (string | undefined)[] = [];
  const proxy = createServer().on("connect", ({ url }, socket, head) => {
    asked.push(url);
    const [host, port] = url?.split(":") ?? [];
    const upstream = connectTcp(Number(port), host, () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on("error", () => socket.destroy());
    socket.on("error", () => upstream.destroy());
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => void proxy.close());
  const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  expect(await whoAmI(clientOf({ ...admin, proxyUrl }))).toBe(controlPlane.kubeconfig.users[0]?.name);
  expect(asked).toEqual([new URL(admin.server).host]);
});
