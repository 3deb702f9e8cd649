import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { type Access, issueAccess } from "./access.ts";
import type { ApiAccess } from "./api-access.ts";
import { CertificateAuthority, createSigningKeys } from "./certificate-authority.ts";
import { frontProxyUser } from "./components/component-args.ts";
import { apiServerUrl, fileIn, type Layout } from "./layout.ts";

const servedNames = ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"];

export interface Pki {
  readonly authority: CertificateAuthority;
  readonly admin: Access;
  /** The administrator's way to the API server for this package's own requests. */
  readonly adminApi: ApiAccess;
}

/** Makes and writes every key, certificate and kubeconfig that the components read. */
export async function preparePki(layout: Layout): Promise<Pki> {
  const authority = await CertificateAuthority.create("keelson-control-plane");
  const serving = await authority.issueServing({ names: servedNames, addresses: ["127.0.0.1"] });
  // An authority of its own: a client with its certificate may act as any user.
  const frontProxyAuthority = await CertificateAuthority.create("keelson-front-proxy");
  const frontProxy = await frontProxyAuthority.issueClient({ user: frontProxyUser });
  const tokenKeys = await createSigningKeys();
  const contents = [
    ["authorityCertificate", authority.pair.certificate],
    ["authorityKey", authority.pair.key],
    ["servingCertificate", serving.certificate],
    ["servingKey", serving.key],
    ["frontProxyAuthority", frontProxyAuthority.pair.certificate],
    ["frontProxyCertificate", frontProxy.certificate],
    ["frontProxyKey", frontProxy.key],
    ["tokenPublicKey", tokenKeys.publicKey],
    ["tokenPrivateKey", tokenKeys.privateKey],
  ] as const;
  await mkdir(dirname(fileIn(layout, "authorityKey")), { recursive: true });
  for (const [name, pem] of contents) await writeFile(fileIn(layout, name), pem, { mode: 0o600 });
  const url = apiServerUrl(layout);
  // The names that Kubernetes' built-in RBAC rules know.
  const controllerManager = { user: "system:kube-controller-manager" };
  const scheduler = { user: "system:kube-scheduler" };
  await issueAccess(authority, url, controllerManager, fileIn(layout, "controllerManagerKubeconfig"));
  await issueAccess(authority, url, scheduler, fileIn(layout, "schedulerKubeconfig"));
  const administrator = { user: "keelson-admin", groups: ["system:masters"] };
  const { credentials, ...admin } = await issueAccess(
    authority,
    url,
    administrator,
    fileIn(layout, "adminKubeconfig"),
  );
  const tls = { ca: authority.pair.certificate, cert: credentials.certificate, key: credentials.key };
  return { authority, admin, adminApi: { url, tls } };
}
