import { watch } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { type Clock, type ServingCertificate, sleep, systemClock, toError } from "@keelson/core";
import type { Logger } from "../logger.ts";
import { steadyLogger } from "../steady-logger.ts";
import type { CertificateObserver } from "./certificate-source.ts";
import { type CertificateSource, checkServingCertificate } from "./certificate-source.ts";
import { NoCertificateError } from "./errors.ts";

/** Where the files are, and how often they are read. */
export interface FileCertificatesOptions {
  /** A PEM file, such as `tls.crt` of a mounted Secret. */
  readonly certificatePath: string;
  readonly keyPath: string;
  /** How often the files are read even without a change notification. Default 10 s. */
  readonly intervalMs?: number;
  /** Default: the machine's. */
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly observer?: CertificateObserver;
}

/** The files are written one after the other; reading waits this long for the second. */
const settleMs = 100;

/**
 * A certificate from files that another program replaces at run time: by writing, by renaming, by deleting and creating,
 * or, as the kubelet does, by a new target of a symbolic link (`..data`). An invalid certificate is logged, and the last
 * valid one stays in use [WH7].
 */
export class FileCertificates implements CertificateSource {
  readonly #options: FileCertificatesOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #current: ServingCertificate | undefined;

  constructor(options: FileCertificatesOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#logger = steadyLogger(options.logger);
  }

  current(): ServingCertificate {
    if (this.#current === undefined) throw new NoCertificateError(this.#what);
    return this.#current;
  }

  async load(signal?: AbortSignal): Promise<void> {
    const { certificatePath, keyPath, observer } = this.#options;
    observer?.read();
    const read = (path: string): Promise<string> =>
      readFile(path, { encoding: "utf8", ...(signal !== undefined && { signal }) });
    try {
      const [certificate, key] = await Promise.all([read(certificatePath), read(keyPath)]);
      const latest = checkServingCertificate(this.#what, { certificate, key });
      if (this.#current !== undefined && latest.certificate !== this.#current.certificate) {
        this.#logger.info("serving a new certificate", { certificate: certificatePath });
      }
      this.#current = latest;
    } catch (error) {
      signal?.throwIfAborted();
      observer?.readFailed();
      throw error;
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    const { intervalMs = 10_000 } = this.#options;
    while (!signal.aborted) {
      const woken = new AbortController();
      // Starts before the files are read, so that no change is missed.
      const stopWatching = this.#watchFolders(() => woken.abort());
      await this.#reload(signal);
      await this.#wait(intervalMs, AbortSignal.any([signal, woken.signal]));
      stopWatching();
      if (woken.signal.aborted) await this.#wait(settleMs, signal);
    }
  }

  async #wait(ms: number, signal: AbortSignal): Promise<void> {
    try {
      await sleep(this.#clock, ms, signal);
    } catch {
      // A file has changed, or the signal has aborted; the loop checks which.
    }
  }

  async #reload(signal: AbortSignal): Promise<void> {
    try {
      await this.load(signal);
    } catch (error) {
      if (signal.aborted) return;
      this.#logger.error("cannot read a new certificate; the last valid one stays in use", {
        error: toError(error).message,
      });
    }
  }

  /** Watches the folders, since a watch of a file ends with the file. If a folder cannot be watched, the interval remains. */
  #watchFolders(onChange: () => void): () => void {
    const { certificatePath, keyPath } = this.#options;
    const closers = [...new Set([dirname(certificatePath), dirname(keyPath)])].map((folder) =>
      watchFolder(folder, onChange),
    );
    return () => {
      for (const close of closers) close();
    };
  }

  get #what(): string {
    const { certificatePath, keyPath } = this.#options;
    return `certificate ${certificatePath} with key ${keyPath}`;
  }
}

function watchFolder(folder: string, onChange: () => void): () => void {
  try {
    const watcher = watch(folder, { persistent: false }, onChange);
    watcher.on("error", () => watcher.close());
    return () => watcher.close();
  } catch {
    return () => undefined;
  }
}
