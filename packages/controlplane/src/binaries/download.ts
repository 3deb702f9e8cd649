import { createHash } from "node:crypto";
import { chmod, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { toError } from "@keelson/core";
import { describeEnd, spawnGuarded } from "../process/guarded-process.ts";
import type { BinaryName } from "./binaries.ts";
import { type Installation, SourceFailure } from "./install.ts";
import { platformName } from "./platform.ts";

const responseTimeoutMs = 15_000;
/** The archive for tests has no controllers; these two come from the Kubernetes release itself. */
const programsBesideArchive: readonly BinaryName[] = ["kube-controller-manager", "kube-scheduler"];

/** Downloads the programs that the Kubernetes projects publish, each checked against its SHA-512. */
export async function download(installation: Installation): Promise<void> {
  const { platform } = installation;
  if (platform.os !== "linux") {
    throw new SourceFailure(`kube-controller-manager is not published for ${platformName(platform)}`);
  }
  await downloadArchive(installation);
  for (const program of programsBesideArchive) await downloadProgram(installation, program);
}

async function downloadArchive(installation: Installation): Promise<void> {
  const { release, platform, staging, guardian } = installation;
  const name = `envtest-${release.kubernetes}-${platform.os}-${platform.arch}.tar.gz`;
  const expected = release.envtestSha512[platformName(platform)];
  const url = `${release.envtestUrl}/envtest-${release.kubernetes}/${name}`;
  if (expected === undefined) throw new SourceFailure(`no checksum is known for ${name}`);
  const archive = join(staging, name);
  await writeFile(archive, await fetchChecked(installation, url, expected));
  const args = ["-xzf", archive, "-C", staging, "--strip-components=2"];
  const tar = spawnGuarded(guardian, "tar", args, { stdio: "ignore" });
  const end = await tar.ended;
  if (end.kind !== "exit" || end.code !== 0) throw new SourceFailure(`unpack ${url}: ${describeEnd(end)}`);
  await rm(archive);
}

async function downloadProgram(installation: Installation, program: BinaryName): Promise<void> {
  const { release, platform, staging } = installation;
  const url = `${release.programsUrl}/${release.kubernetes}/bin/${platform.os}/${platform.arch}/${program}`;
  const checksum = await fetchBytes(installation, `${url}.sha512`);
  const bytes = await fetchChecked(installation, url, checksum.toString("utf8").trim());
  await writeFile(join(staging, program), bytes);
  await chmod(join(staging, program), 0o755);
}

async function fetchChecked(installation: Installation, url: string, sha512: string): Promise<Buffer> {
  const bytes = await fetchBytes(installation, url);
  const actual = createHash("sha512").update(bytes).digest("hex");
  if (actual !== sha512) throw new SourceFailure(`${url}: its SHA-512 is ${actual}, expected ${sha512}`);
  return bytes;
}

async function fetchBytes({ signal, onProgress }: Installation, url: string): Promise<Buffer> {
  // The limit is for the response to begin: on a slow line the body may take longer.
  const noResponse = new AbortController();
  const timer = setTimeout(
    () => noResponse.abort(new Error(`no response in ${responseTimeoutMs / 1000} s`)),
    responseTimeoutMs,
  );
  try {
    const stop = signal === undefined ? noResponse.signal : AbortSignal.any([signal, noResponse.signal]);
    const response = await fetch(url, { signal: stop });
    clearTimeout(timer);
    if (!response.ok || response.body === null) throw new SourceFailure(`${url}: HTTP ${response.status}`);
    const total = Number(response.headers.get("content-length") ?? 0);
    const chunks: Uint8Array[] = [];
    let received = 0;
    for await (const chunk of response.body) {
      chunks.push(chunk);
      received += chunk.byteLength;
      onProgress(
        `downloading ${url}: ${megabytes(received)} of ${total > 0 ? megabytes(total) : "unknown"} MB`,
      );
    }
    return Buffer.concat(chunks);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof SourceFailure) throw error;
    throw new SourceFailure(`${url}: ${rootMessage(error)}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

/** The message of fetch is "fetch failed"; the reason is in its cause. */
function rootMessage(error: unknown): string {
  const { cause, message } = toError(error);
  return cause === undefined ? message : rootMessage(cause);
}
