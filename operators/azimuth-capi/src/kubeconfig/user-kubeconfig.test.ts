import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { NotYamlError } from "../yaml-text.ts";
import { AdminKubeconfigError, userKubeconfig } from "./user-kubeconfig.ts";

const admin = `
apiVersion: v1
kind: Config
clusters:
  - name: demo
    cluster:
      server: https://abc.apps.example.com:443
      certificate-authority-data: Q0EtREFUQQ==
  - name: other
    cluster: { server: https://other.example.com }
users:
  - name: demo-admin
    user: { client-certificate-data: Q0VSVA==, client-key-data: U0VDUkVUS0VZ }
contexts:
  - name: demo-admin@demo
    context: { cluster: demo, user: demo-admin }
current-context: demo-admin@demo
preferences: {}
`;
const login = { issuerUrl: "https://identity.example.com/realms/az-tenancy", clientId: "kube-demo" };

describe("C.7: the kubeconfig for users", () => {
  it("has the cluster of the administrator, and a login by OIDC", () => {
    expect(userKubeconfig(admin, login)).toBe(
      [
        "apiVersion: v1",
        "clusters:",
        "  - cluster:",
        "      certificate-authority-data: Q0EtREFUQQ==",
        "      server: https://abc.apps.example.com:443",
        "    name: demo",
        "contexts:",
        "  - context:",
        "      cluster: demo",
        "      user: oidc",
        "    name: oidc@demo",
        "current-context: oidc@demo",
        "kind: Config",
        "preferences: {}",
        "users:",
        "  - name: oidc",
        "    user:",
        "      exec:",
        "        apiVersion: client.authentication.k8s.io/v1beta1",
        "        args:",
        "          - oidc-login",
        "          - get-token",
        "          - --grant-type=device-code",
        "          - --oidc-issuer-url=https://identity.example.com/realms/az-tenancy",
        "          - --oidc-client-id=kube-demo",
        "        command: kubectl",
        "",
      ].join("\n"),
    );
  });

  it("has nothing of the user of the administrator, nor of other clusters", () => {
    const text = userKubeconfig(admin, login);
    for (const secret of ["Q0VSVA==", "U0VDUkVUS0VZ", "demo-admin", "other"])
      expect(text).not.toContain(secret);
  });

  it("keeps fields of the cluster that it does not know, and their types", () => {
    const text = admin.replace(
      "      certificate-authority-data: Q0EtREFUQQ==",
      "      insecure-skip-tls-verify: true\n      new-field: [1]",
    );
    expect(parse(userKubeconfig(text, login)).clusters[0].cluster).toEqual({
      server: "https://abc.apps.example.com:443",
      "insecure-skip-tls-verify": true,
      "new-field": [1],
    });
  });

  it("L16: is not broken by what the identity operator says", () => {
    const odd = { issuerUrl: 'https://x/"\n- --evil: # {{ }}', clientId: "kube: demo" };
    const { args } = parse(userKubeconfig(admin, odd)).users[0].user.exec;
    expect(args.slice(3)).toEqual([`--oidc-issuer-url=${odd.issuerUrl}`, `--oidc-client-id=${odd.clientId}`]);
  });

  it("reads a kubeconfig in JSON", () => {
    const text = JSON.stringify(parse(admin));
    expect(userKubeconfig(text, login)).toBe(userKubeconfig(admin, login));
  });

  it.each([
    ["nothing", ""],
    ["a text", "hello"],
    ["no clusters", "clusters: []"],
    ["clusters that are no list", "clusters: { name: demo }"],
    ["a cluster without a name", "clusters: [{ cluster: { server: https://x } }]"],
    ["a cluster without an address", "clusters: [{ name: demo }]"],
  ])("cannot be made of %s", (_, text) => {
    expect(() => userKubeconfig(text, login)).toThrow(AdminKubeconfigError);
  });

  it("does not quote a kubeconfig that is no YAML", () => {
    const read = (): string => userKubeconfig(`${admin}\n  broken: [U0VDUkVUS0VZ`, login);
    expect(read).toThrow(NotYamlError);
    expect(read).not.toThrow(/U0VDUkVUS0VZ/);
  });
});
