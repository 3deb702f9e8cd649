import { systemClock } from "keelson";
import { KubeconfigError } from "keelson/client";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { tenantAccess } from "./tenant-access.ts";

const ca = Buffer.from("-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n").toString("base64");

interface Choice {
  readonly user?: object;
  readonly cluster?: object;
  readonly otherUsers?: readonly object[];
}

function kubeconfig({ user = { token: "geheim" }, cluster = {}, otherUsers = [] }: Choice = {}): string {
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "demo-admin@demo",
    clusters: [
      {
        name: "demo",
        cluster: { server: "https://demo.example:6443", "certificate-authority-data": ca, ...cluster },
      },
    ],
    users: [{ name: "demo-admin", user }, ...otherUsers],
    contexts: [{ name: "demo-admin@demo", context: { cluster: "demo", user: "demo-admin" } }],
  });
}

const options = (warnings: string[] = []) => ({
  name: "shop/demo-kubeconfig",
  clock: systemClock,
  onWarning: (message: string) => void warnings.push(message),
});

async function problemOf(text: string): Promise<string> {
  const error: unknown = await tenantAccess(text, options()).catch((caught: unknown) => caught);
  if (!(error instanceof KubeconfigError)) throw new Error("the kubeconfig is accepted", { cause: error });
  return error.message;
}

describe("the access to a tenant cluster", () => {
  it("is by the current context, with a token in the kubeconfig", async () => {
    const access = await tenantAccess(kubeconfig(), options());
    expect(access.server).toBe("https://demo.example:6443");
    expect(await access.headers()).toEqual({ authorization: "Bearer geheim" });
    expect((await access.tls()).ca).toContain("BEGIN CERTIFICATE");
  });

  const execUser = { exec: { apiVersion: "client.authentication.k8s.io/v1", command: "touch", args: ["x"] } };
  it.each<[string, Choice]>([
    ["a user demo-admin with exec", { user: execUser }],
    ["a user demo-admin with exec", { user: { ...execUser, token: "geheim" } }],
    ["a user demo-admin with auth-provider", { user: { "auth-provider": { name: "gcp" } } }],
    ["a user demo-admin with tokenFile", { user: { tokenFile: "/etc/hostname" } }],
    ["a user demo-admin with tokenFile", { user: { token: "geheim", tokenFile: "/etc/hostname" } }],
    [
      "a user demo-admin with client-certificate",
      { user: { "client-certificate": "/tls.crt", "client-key-data": ca } },
    ],
    [
      "a user demo-admin with client-key",
      { user: { "client-certificate-data": ca, "client-key": "tls.key" } },
    ],
    [
      "a cluster demo with certificate-authority",
      { cluster: { "certificate-authority": "/etc/ssl/certs/ca-certificates.crt" } },
    ],
    ["a user other with exec", { otherUsers: [{ name: "other", user: execUser }] }],
  ])("is refused for %s", async (what, choice) => {
    expect(await problemOf(kubeconfig(choice))).toBe(
      `read kubeconfig shop/demo-kubeconfig: it has ${what}, which is not used for tenant clusters; ` +
        "write certificates, keys and tokens into the kubeconfig itself",
    );
  });

  it.each([
    ["is empty", "", "no context is chosen"],
    ["is no YAML", "a: [geheim", "is not YAML"],
    ["is of another kind", "kind: Secret\napiVersion: v1", "it is a Secret of v1"],
    ["has no server", kubeconfig({ cluster: { server: null } }), "server"],
  ])("is refused if the kubeconfig %s, without a word of what is in it", async (_, text, problem) => {
    const message = await problemOf(text);
    expect(message).toContain(problem);
    expect(message).not.toContain("geheim");
  });

  it("warns of a server that is not verified", async () => {
    const warnings: string[] = [];
    const cluster = { "certificate-authority-data": null, "insecure-skip-tls-verify": true };
    await tenantAccess(kubeconfig({ cluster }), options(warnings));
    expect(warnings).toEqual([expect.stringContaining("is not verified")]);
  });
});
