import { type Clock, type KubeconfigUser, toError } from "@keelson/core";
import { UnsendableCredentialError } from "./errors.ts";
import type { ExecPlugin } from "./exec/exec-plugin.ts";
import type { CertificateAndKey } from "./pem.ts";
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

export function basicCredentials({ username, password }: KubeconfigUser): Credentials {
  return fixedCredentials(`Basic ${Buffer.from(`${username ?? ""}:${password ?? ""}`).toString("base64")}`);
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

/** Is called with a problem that does not keep the program from working. */
export type OnWarning = (message: string) => void;

/** The hook without its errors: a credential that is still good must not be lost because its warning failed. */
export function steadyWarning(onWarning: OnWarning | undefined): OnWarning {
  return (message) => {
    try {
      onWarning?.(message);
    } catch {
      // The hook is the only receiver of errors here.
    }
  };
}

interface RotatingOptions<Value> {
  readonly load: (signal: AbortSignal | undefined) => Promise<Value>;
  readonly clock: Clock;
  /** How long a value is good before it is loaded again. */
  readonly intervalMs: number;
  /** What to use while there is nothing better. */
  readonly initial?: Value;
  readonly onWarning: OnWarning;
}

/** A failed load is tried again sooner than a good value would be loaded anew. */
const retryMs = 5_000;

/**
 * A value that is replaced from outside while the program runs, such as a token in a file. It is loaded when it is
 * read and old enough. A load that fails leaves the last good value in place and calls `onWarning` once; it is an error only
 * if there never was a value.
 */
export class Rotating<Value> {
  readonly #options: RotatingOptions<Value>;
  #last: { readonly value: Value } | undefined;
  /** By the monotonic clock. */
  #reloadAtMs = Number.NEGATIVE_INFINITY;
  #isFailing = false;

  constructor(options: RotatingOptions<Value>) {
    this.#options = options;
    if (options.initial !== undefined) this.#last = { value: options.initial };
  }

  async get(signal?: AbortSignal): Promise<Value> {
    const { load, clock, intervalMs } = this.#options;
    signal?.throwIfAborted();
    if (this.#last !== undefined && clock.monotonicNow() < this.#reloadAtMs) return this.#last.value;
    try {
      const value = await load(signal);
      this.#last = { value };
      this.#reloadAtMs = clock.monotonicNow() + intervalMs;
      this.#isFailing = false;
      return value;
    } catch (error) {
      signal?.throwIfAborted();
      if (this.#last === undefined) throw error;
      this.#reloadAtMs = clock.monotonicNow() + Math.min(retryMs, intervalMs);
      this.#warnOnce(toError(error));
      return this.#last.value;
    }
  }

  /** Makes the next read load the value again. */
  expire(): void {
    this.#reloadAtMs = Number.NEGATIVE_INFINITY;
  }

  #warnOnce({ message }: Error): void {
    if (!this.#isFailing) this.#options.onWarning(`${message} (the last good value stays in use)`);
    this.#isFailing = true;
  }
}

/** As in client-go: the kubelet renews a token minutes before the old one expires. */
export const tokenIntervalMs = 60_000;

/** Certificates are small files, and a replaced one should be used soon. */
export const certificateIntervalMs = 5_000;
