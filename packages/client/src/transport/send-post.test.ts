import { text } from "node:stream/consumers";
import { type OutgoingPost, PostError } from "@keelson/core";
import { expect, it, onTestFinished } from "vitest";
import { type Certificate, signed } from "../../test/support/certificates.ts";
import { listenHttp } from "./http-listener.ts";
import { sendPost } from "./send-post.ts";

interface Served extends Certificate {
  readonly address: string;
  readonly received: string[];
}

/** A server for `hooks.shop.svc` that redirects `/first` to `/second` with the status. */
async function serve(status: number): Promise<Served> {
  const certificate = await signed("hooks.shop.svc");
  const received: string[] = [];
  const listener = await listenHttp(
    {
      host: "127.0.0.1",
      port: 0,
      certificate: () => ({ certificate: certificate.cert, key: certificate.key }),
    },
    async ({ method, path, headers, body }) => {
      received.push(`${method} ${headers.host} ${path} ${await text(body)}`);
      return path === "/first"
        ? { status, headers: { location: "/second" } }
        : { status: 200, headers: { "content-type": "text/plain" }, body: "done" };
    },
  );
  onTestFinished(() => listener.close(0));
  return { ...certificate, address: `127.0.0.1:${listener.port}`, received };
}

function post({ address, cert }: Served, path: string, more: Partial<OutgoingPost> = {}): OutgoingPost {
  return {
    url: `https://hooks.shop.svc:443${path}`,
    address,
    certificateAuthority: cert,
    body: "{}",
    signal: new AbortController().signal,
    ...more,
  };
}

it("reaches a host at the address given, and trusts it by its own certificate", async () => {
  const server = await serve(307);
  expect(await sendPost(post(server, "/second?timeout=2s"))).toEqual({
    status: 200,
    contentType: "text/plain",
    body: "done",
  });
  expect(server.received).toEqual(["POST hooks.shop.svc /second?timeout=2s {}"]);
});

it("does not trust a server by another certificate", async () => {
  const server = await serve(307);
  const { cert } = await signed("hooks.shop.svc");
  const refused = sendPost(post(server, "/second", { certificateAuthority: cert }));
  await expect(refused).rejects.toThrow(PostError);
});

it.each([
  [303, "GET hooks.shop.svc /second "],
  [307, "POST hooks.shop.svc /second {}"],
])("follows a redirect with %s to the same host at its address", async (status, second) => {
  const server = await serve(status);
  expect((await sendPost(post(server, "/first"))).body).toBe("done");
  expect(server.received).toEqual(["POST hooks.shop.svc /first {}", second]);
});

it("names what was called if nothing listens there", async () => {
  const server = await serve(307);
  const refused = sendPost(post(server, "/first", { address: "127.0.0.1:1" }));
  await expect(refused).rejects.toMatchObject({ url: "https://hooks.shop.svc:443/first" });
});
