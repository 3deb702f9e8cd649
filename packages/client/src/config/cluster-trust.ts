import type { ContextScope } from "./context-scope.ts";
import { checkAuthority, decodeData } from "./pem.ts";
import type { Get } from "./tls-settings.ts";

/** The authorities that may vouch for the server, in PEM; it gives undefined if the system's may. */
export function authorityOf(scope: ContextScope): Get<string | undefined> {
  const { cluster } = scope.context;
  const { "certificate-authority": file, "certificate-authority-data": data } = cluster;
  if (file === undefined && data === undefined) return async () => undefined;
  if (cluster["insecure-skip-tls-verify"] === true) {
    throw scope.fail(
      "its cluster has a certificate authority and insecure-skip-tls-verify",
      "remove insecure-skip-tls-verify; the two contradict each other",
    );
  }
  if (data !== undefined) {
    if (file !== undefined) scope.warn("certificate-authority-data wins over certificate-authority");
    const field = "certificate-authority-data";
    const pem = scope.explain(() => checkAuthority(field, decodeData(field, data)));
    return async () => pem;
  }
  const path = file ?? "";
  const authority = scope.rotatingCertificate(async (signal) => {
    const pem = await scope.read("certificate-authority", path, signal);
    return scope.explain(() => checkAuthority(path, pem));
  });
  return (signal) => authority.get(signal);
}
