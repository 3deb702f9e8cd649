import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { fakeGo } from "../../test/support/fake-go.ts";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { binaryNames } from "./binaries.ts";
import { type FindBinariesOptions, findBinaries } from "./find-binaries.ts";
import { hostPlatform, platformName } from "./platform.ts";
import type { Release } from "./release.ts";

const kubernetes = "v9.8.7";
const { os, arch } = hostPlatform();
const archivePath = `/envtest-${kubernetes}/envtest-${kubernetes}-${os}-${arch}.tar.gz`;
const programPath = (name: string): string => `/${kubernetes}/bin/${os}/${arch}/${name}`;
const sha512 = (bytes: Buffer): string => createHash("sha512").update(bytes).digest("hex");

/** Packs programs the way the published archive is packed. */
async function makeArchive(folder: string): Promise<Buffer> {
  const inside = join(folder, "controller-tools", "envtest");
  await mkdir(inside, { recursive: true });
  for (const name of ["etcd", "kube-apiserver", "kubectl"]) {
    await writeFile(join(inside, name), "#!/bin/sh\n");
    await chmod(join(inside, name), 0o755);
  }
  const archive = join(folder, "archive.tar.gz");
  await promisify(execFile)("tar", ["-czf", archive, "-C", folder, "controller-tools"]);
  return readFile(archive);
}

/** A download site that serves the files given by path. */
async function serve(files: ReadonlyMap<string, Buffer>): Promise<string> {
  const server = createServer((request, response) => {
    const file = files.get(request.url ?? "");
    response.writeHead(file === undefined ? 404 : 200).end(file);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

async function site(
  change: (files: Map<string, Buffer>) => void = () => undefined,
): Promise<FindBinariesOptions> {
  const folder = await tempFolder();
  const archive = await makeArchive(folder);
  const program = Buffer.from("#!/bin/sh\n");
  const files = new Map([[archivePath, archive]]);
  for (const name of ["kube-controller-manager", "kube-scheduler"]) {
    files.set(programPath(name), program);
    files.set(`${programPath(name)}.sha512`, Buffer.from(`${sha512(program)}\n`));
  }
  change(files);
  const url = await serve(files);
  const release: Release = {
    kubernetes,
    envtestUrl: url,
    programsUrl: url,
    envtestSha512: { [platformName(hostPlatform())]: sha512(archive) },
  };
  const { path } = await fakeGo(folder);
  return { release, env: { PATH: path, XDG_CACHE_HOME: join(folder, "cache") } };
}

// The programs beside the archive are published for Linux only.
describe.runIf(os === "linux")("a download", () => {
  it("fills the cache from the archive and the release", async () => {
    const { source, folder } = await findBinaries(await site());
    expect(source).toBe("download");
    expect((await readdir(folder)).sort()).toEqual([...binaryNames].sort());
  });

  it.each([
    ["a file is missing", (files: Map<string, Buffer>) => files.delete(programPath("kube-scheduler"))],
    [
      "the archive is not the one that was published",
      (files: Map<string, Buffer>) => files.set(archivePath, Buffer.from("?")),
    ],
    [
      "a program is not the one that was published",
      (files: Map<string, Buffer>) => files.set(programPath("kube-scheduler"), Buffer.from("#!/bin/false\n")),
    ],
  ])("gives way to a build when %s", async (_, change) => {
    const options = await site((files) => void change(files));
    await expect(findBinaries(options)).resolves.toMatchObject({ source: "build" });
  });

  it("reports which file differs from its checksum", async () => {
    const options = await site((files) => files.set(archivePath, Buffer.from("?")));
    const failure = await findBinaries({ ...options, env: { ...options.env, PATH: "/nowhere" } }).catch(
      (error: unknown) => error,
    );
    expect(String(failure)).toMatch(
      new RegExp(`download: http://.*${archivePath}: its SHA-512 is .*, expected`),
    );
  });
});
