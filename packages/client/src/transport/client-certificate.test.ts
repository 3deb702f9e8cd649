import { X509Certificate } from "node:crypto";
import { type RequestOptions, request } from "node:https";
import type { ServiceRequest, ServingCertificate } from "@keelson/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { selfSigned } from "../../test/support/certificates.ts";
import { listenHttp } from "./http-listener.ts";

type Shown = ServiceRequest["clientCertificate"];

const anyClient = { host: "127.0.0.1", rejectUnauthorized: false, agent: false };

async function serve(options: {
  readonly clientAuthorities?: string;
  readonly certificate?: () => ServingCertificate;
}): Promise<{ ask(client?: RequestOptions): Promise<Shown> }> {
  const serving = await selfSigned("localhost");
  let shown: Shown;
  const listener = await listenHttp(
    {
      host: "127.0.0.1",
      port: 0,
      certificate: () => ({ certificate: serving.cert, key: serving.key }),
      ...options,
    },
    async ({ clientCertificate }) => {
      shown = clientCertificate;
      return { status: 200 };
    },
  );
  onTestFinished(() => listener.close(0));
  return {
    async ask(client = {}) {
      shown = undefined;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      request({ ...anyClient, port: listener.port, ...client }, (response) =>
        response.resume().once("end", resolve),
      )
        .once("error", reject)
        .end();
      await promise;
      return shown;
    },
  };
}

describe("a listener that knows an authority for clients", () => {
  it("shows the service that a certificate was presented that no known authority has signed", async () => {
    const [serving, known, stranger] = await Promise.all([
      selfSigned("localhost"),
      selfSigned("admin"),
      selfSigned("admin"),
    ]);
    const seen: unknown[] = [];
    const listener = await listenHttp(
      {
        host: "127.0.0.1",
        port: 0,
        certificate: () => ({ certificate: serving.cert, key: serving.key }),
        clientAuthorities: known.cert,
      },
      async ({ hasUnverifiedCertificate }) => {
        seen.push(hasUnverifiedCertificate);
        return { status: 200, headers: { warning: ["one", "two"] } };
      },
    );
    onTestFinished(() => listener.close(0));
    for (const client of [{}, known, stranger]) {
      const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>();
      request({ ...anyClient, port: listener.port, ...client }, (response) => {
        response.resume().once("end", () => resolve(response.headersDistinct.warning ?? []));
      })
        .once("error", reject)
        .end();
      // Each value has a line of its own.
      expect(await promise).toEqual(["one", "two"]);
    }
    expect(seen).toEqual([undefined, undefined, true]);
  });

  it("shows the service whom a certificate names that the authority has signed", async () => {
    const admin = await selfSigned("admin, O=system:masters, O=dev");
    const { ask } = await serve({ clientAuthorities: admin.cert });
    expect(await ask(admin)).toEqual({
      commonName: "admin",
      organizations: ["system:masters", "dev"],
      fingerprint: new X509Certificate(admin.cert).fingerprint256.replaceAll(":", "").toLowerCase(),
    });
  });

  it("serves clients without a certificate, be it missing or signed by an unknown authority", async () => {
    const admin = await selfSigned("admin");
    const { ask } = await serve({ clientAuthorities: admin.cert });
    expect(await ask()).toBeUndefined();
    expect(await ask(await selfSigned("admin"))).toBeUndefined();
  });

  it("still knows it after its own certificate was renewed", async () => {
    const admin = await selfSigned("admin");
    const serving = [await selfSigned("localhost"), await selfSigned("localhost")];
    let turn = 0;
    const { ask } = await serve({
      clientAuthorities: admin.cert,
      certificate: () => {
        const { cert = "", key = "" } = serving[turn++ % 2] ?? {};
        return { certificate: cert, key };
      },
    });
    expect((await ask(admin))?.commonName).toBe("admin");
    expect((await ask(admin))?.commonName).toBe("admin");
  });
});

describe("a listener that knows none", () => {
  it("requests no certificate", async () => {
    const { ask } = await serve({});
    expect(await ask(await selfSigned("admin"))).toBeUndefined();
  });
});
