import type { ContextScope } from "./context-scope.ts";
import {
  anonymous,
  basicCredentials,
  type Credentials,
  fixedCredentials,
  Rotating,
  tokenCredentials,
  tokenIntervalMs,
  withCertificate,
} from "./credentials.ts";
import { lacksImpersonatedUser } from "./impersonation.ts";
import { type CertificateAndKey, checkPair, decodeData } from "./pem.ts";

/**
 * The credentials of a context's user. As in client-go a client certificate goes along with a token or a password,
 * token and password exclude each other, and an exec plugin runs only if there is none of them.
 */
export function credentialsOfUser(scope: ContextScope, makePlugin: () => Credentials): Credentials {
  const { user, userName } = scope.context;
  if (user["auth-provider"] !== undefined) {
    throw scope.fail(
      `user ${userName} has an auth-provider (${user["auth-provider"].name}), which Kubernetes 1.26 removed`,
      "have its maker's exec plugin write the user anew, such as gke-gcloud-auth-plugin, kubelogin or aws eks get-token",
    );
  }
  if (lacksImpersonatedUser(user)) {
    throw scope.fail(`user ${userName} has as-uid, as-groups or as-user-extra without as`, "add as");
  }
  const authorization = authorizationOf(scope);
  const certificate = certificateOf(scope);
  if (certificate !== undefined) return withCertificate(authorization ?? anonymous, certificate);
  if (authorization !== undefined) return authorization;
  return user.exec === undefined ? anonymous : makePlugin();
}

function authorizationOf(scope: ContextScope): Credentials | undefined {
  const { user, userName } = scope.context;
  const { token, tokenFile, username, password } = user;
  const hasToken = token !== undefined || tokenFile !== undefined;
  const hasPassword = username !== undefined || password !== undefined;
  if (hasToken && hasPassword) {
    throw scope.fail(`user ${userName} has both a token and a password`, "remove one of them");
  }
  if (hasPassword) return basicCredentials(user);
  if (tokenFile !== undefined) return tokenCredentials(tokenIn(scope, tokenFile, token));
  return token === undefined ? undefined : fixedCredentials(`Bearer ${token}`);
}

function tokenIn(scope: ContextScope, file: string, fallback: string | undefined): Rotating<string> {
  const { clock, onWarning } = scope;
  return new Rotating({
    load: async (signal) => {
      const token = (await scope.read("tokenFile", file, signal)).trim();
      if (token === "") throw scope.fail(`tokenFile ${file} is empty`, "have a token written to it");
      return token;
    },
    clock,
    intervalMs: tokenIntervalMs,
    ...(fallback !== undefined && { initial: fallback }),
    onWarning,
  });
}

function certificateOf(scope: ContextScope): Rotating<CertificateAndKey> | undefined {
  const { user, userName } = scope.context;
  const cert = { file: user["client-certificate"], data: user["client-certificate-data"] };
  const key = { file: user["client-key"], data: user["client-key-data"] };
  if (cert.file === undefined && cert.data === undefined) return undefined;
  if (key.file === undefined && key.data === undefined) {
    throw scope.fail(
      `user ${userName} has a client certificate without a key`,
      "add client-key or client-key-data",
    );
  }
  const readCert = readPart(scope, "client-certificate", cert);
  const readKey = readPart(scope, "client-key", key);
  return scope.rotatingCertificate(async (signal) => {
    const pair = { cert: await readCert(signal), key: await readKey(signal) };
    return scope.explain(() => checkPair(`user ${userName}`, pair));
  });
}

function readPart(
  scope: ContextScope,
  field: string,
  { file, data }: { readonly file: string | undefined; readonly data: string | undefined },
): (signal: AbortSignal | undefined) => Promise<string> {
  if (data === undefined) return (signal) => scope.read(field, file ?? "", signal);
  if (file !== undefined) scope.warn(`${field}-data wins over ${field}`);
  const pem = scope.explain(() => decodeData(`${field}-data`, data));
  return async () => pem;
}
