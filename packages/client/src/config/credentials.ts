import type { KubeconfigUser } from "@keelson/core";
import { UnsendableCredentialError } from "./errors.ts";
import type { ExecPlugin } from "./exec/exec-plugin.ts";
import type { CertificateAndKey } from "./pem.ts";
import type { Rotating } from "./rotating.ts";
import type { Get } from "./tls-settings.ts";

/** What proves who is asking, by a header or by a client certificate. */
export interface Credentials {
  /** The value of the `authorization` header. */
  readonly authorization: Get<string | undefined>;
  readonly certificate: Get<CertificateAndKey | undefined>;
  /** The server did not accept them: nothing that is remembered counts any more. */
  readonly refused: () => void;
}

export const anonymous: Credentials = {
  authorization: async () => undefined,
  certificate: async () => undefined,
  refused: () => undefined,
};

/** The header for a token. */
export function bearer(token: string): string {
  return sendable(`Bearer ${token}`);
}

/** Throws UnsendableCredentialError if the value cannot stand in a header; it is not shown. */
function sendable(value: string): string {
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) throw new UnsendableCredentialError();
  return value;
}

/** A token that is read from a file again and again. */
export function tokenCredentials(token: Rotating<string>): Credentials {
  return {
    ...anonymous,
    authorization: async (signal) => bearer(await token.get(signal)),
    refused: () => token.expire(),
  };
}

/** A header that stays the same. */
export function fixedCredentials(authorization: string): Credentials {
  return { ...anonymous, authorization: async () => sendable(authorization) };
}

export function basicCredentials({ username = "", password = "" }: KubeconfigUser): Credentials {
  return fixedCredentials(`Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`);
}

/** A client certificate, beside whatever else proves who is asking. */
export function withCertificate(credentials: Credentials, pair: Rotating<CertificateAndKey>): Credentials {
  return {
    authorization: credentials.authorization,
    certificate: (signal) => pair.get(signal),
    refused: () => {
      credentials.refused();
      pair.expire();
    },
  };
}

export function pluginCredentials(plugin: ExecPlugin): Credentials {
  return {
    authorization: async (signal) => {
      const { token } = await plugin.credential(signal);
      return token === undefined ? undefined : bearer(token);
    },
    certificate: async (signal) => (await plugin.credential(signal)).certificate,
    refused: () => plugin.refused(),
  };
}
