import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock, ServingCertificate } from "@keelson/core";
import { VirtualClock } from "@keelson/testkit";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { LogFields, Logger } from "../logger.ts";
import { issueAuthority } from "./certificate-issuing.ts";
import { NoCertificateError } from "./errors.ts";
import { FileCertificates } from "./file-certificates.ts";

let first: ServingCertificate;
let second: ServingCertificate;

beforeAll(async () => {
  const life = { nowMs: Date.UTC(2026, 0, 1), lifeMs: 3_600_000 };
  first = await issueAuthority("first", life);
  second = await issueAuthority("second", life);
});

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "keelson-certificates-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

async function write(folder: string, { certificate, key }: ServingCertificate): Promise<void> {
  await writeFile(join(folder, "tls.crt"), certificate);
  await writeFile(join(folder, "tls.key"), key);
}

interface World {
  readonly certificates: FileCertificates;
  readonly counts: { reads: number; failures: number };
  readonly errors: LogFields[];
}

/** By default only changes have it read again. */
function watching(folder: string, clock?: Clock): World {
  const counts = { reads: 0, failures: 0 };
  const errors: LogFields[] = [];
  const logger: Logger = {
    debug() {},
    info() {},
    warn() {},
    error: (_, fields = {}) => void errors.push(fields),
    with: () => logger,
  };
  const certificates = new FileCertificates({
    certificatePath: join(folder, "tls.crt"),
    keyPath: join(folder, "tls.key"),
    observer: { read: () => void counts.reads++, readFailed: () => void counts.failures++ },
    logger,
    ...(clock === undefined ? { intervalMs: 3_600_000 } : { clock }),
  });
  return { certificates, counts, errors };
}

async function running(folder: string, clock?: Clock): Promise<World> {
  const world = watching(folder, clock);
  await world.certificates.load();
  const controller = new AbortController();
  const run = world.certificates.run(controller.signal);
  onTestFinished(async () => {
    controller.abort();
    await run;
  });
  await expect.poll(() => world.counts.reads).toBe(2);
  return world;
}

describe("certificates from files", () => {
  it("are missing before they are loaded, and need both files", async () => {
    const folder = await makeFolder();
    const { certificates, counts } = watching(folder);
    expect(() => certificates.current()).toThrow(NoCertificateError);
    await expect(certificates.load()).rejects.toThrow("ENOENT");
    expect(counts).toEqual({ reads: 1, failures: 1 });
    await write(folder, first);
    await certificates.load();
    expect(certificates.current()).toEqual(first);
    expect(counts).toEqual({ reads: 2, failures: 1 });
  });

  it("[WH7] are read again when they are written", async () => {
    const folder = await makeFolder();
    await write(folder, first);
    const { certificates } = await running(folder);
    await write(folder, second);
    await expect.poll(() => certificates.current(), { timeout: 5_000 }).toEqual(second);
  });

  it("[WH7] are read again when other files are renamed to their paths", async () => {
    const folder = await makeFolder();
    const other = await makeFolder();
    await write(folder, first);
    await write(other, second);
    const { certificates } = await running(folder);
    for (const file of ["tls.crt", "tls.key"]) await rename(join(other, file), join(folder, file));
    await expect.poll(() => certificates.current(), { timeout: 5_000 }).toEqual(second);
  });

  it("[WH7] are read again after they were deleted and created, and stay in use meanwhile", async () => {
    const folder = await makeFolder();
    await write(folder, first);
    const { certificates, counts } = await running(folder);
    for (const file of ["tls.crt", "tls.key"]) await rm(join(folder, file));
    await expect.poll(() => counts.failures, { timeout: 5_000 }).toBeGreaterThan(0);
    expect(certificates.current()).toEqual(first);
    await write(folder, second);
    await expect.poll(() => certificates.current(), { timeout: 5_000 }).toEqual(second);
  });

  it("[WH7] are read again when ..data gets a new target, as the kubelet does it", async () => {
    const folder = await makeFolder();
    for (const [name, pair] of [
      ["one", first],
      ["two", second],
    ] as const) {
      await mkdir(join(folder, name));
      await write(join(folder, name), pair);
    }
    await symlink("one", join(folder, "..data"));
    for (const file of ["tls.crt", "tls.key"]) await symlink(join("..data", file), join(folder, file));
    const { certificates } = await running(folder);
    expect(certificates.current()).toEqual(first);
    await symlink("two", join(folder, "..data_tmp"));
    await rename(join(folder, "..data_tmp"), join(folder, "..data"));
    await expect.poll(() => certificates.current(), { timeout: 5_000 }).toEqual(second);
  });

  it("[WH7] are read every 10 s even without a change notification", async () => {
    const folder = await makeFolder();
    await write(folder, first);
    const clock = new VirtualClock();
    const { counts } = await running(folder, clock);
    await expect.poll(() => clock.pendingTimers).toHaveLength(1);
    await clock.advance(9_999);
    expect(counts.reads).toBe(2);
    await clock.advance(1);
    await expect.poll(() => counts.reads).toBe(3);
  });

  it.each<[string, () => Partial<ServingCertificate>, string]>([
    ["no certificate", () => ({ certificate: "nonsense" }), "the certificate is not PEM"],
    [
      "no key",
      () => ({ key: "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----" }),
      "the key is not PEM",
    ],
    ["a key of another certificate", () => ({ key: first.key }), "do not belong together"],
    [
      "a broken chain",
      () => ({
        certificate: `${second.certificate}\n-----BEGIN CERTIFICATE-----\nZm9vYmFy\n-----END CERTIFICATE-----\n`,
      }),
      "TLS refuses it",
    ],
  ])("[WH7] are not used when they are invalid: %s", async (_, part, problem) => {
    const folder = await makeFolder();
    await write(folder, first);
    const { certificates, counts, errors } = await running(folder);
    await write(folder, { ...second, ...part() });
    await expect
      .poll(() => errors.map(({ error }) => error), { timeout: 5_000 })
      .toContainEqual(expect.stringContaining(problem));
    expect(counts.failures).toBeGreaterThan(0);
    expect(certificates.current()).toEqual(first);
    expect(JSON.stringify(errors)).not.toContain("c2VjcmV0");
    await write(folder, second);
    await expect.poll(() => certificates.current(), { timeout: 5_000 }).toEqual(second);
  });

  it("leave no watch and no timer when they stop", async () => {
    const folder = await makeFolder();
    await write(folder, first);
    const clock = new VirtualClock();
    const { certificates } = watching(folder, clock);
    const controller = new AbortController();
    const run = certificates.run(controller.signal);
    await expect.poll(() => clock.pendingTimers).toHaveLength(1);
    controller.abort();
    await run;
    expect(clock.pendingTimers).toEqual([]);
  });
});
