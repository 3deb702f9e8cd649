import { once } from "node:events";
import { chmod, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type FakeGo, fakeGo } from "../../test/support/fake-go.ts";
import { startOwner } from "../../test/support/owner-process.ts";
import { expectNothingLeft, processesWith } from "../../test/support/processes.ts";
import { unreachableRelease as release } from "../../test/support/releases.ts";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { BinariesUnavailableError, InvalidBinaryError } from "../errors.ts";
import { binaryNames } from "./binaries.ts";
import { findBinaries } from "./find-binaries.ts";
import { hostPlatform } from "./platform.ts";
import { releaseFolderName } from "./release.ts";

interface Machine {
  readonly go: FakeGo;
  readonly env: NodeJS.ProcessEnv;
  /** Keelson's folder in the user's cache. */
  readonly cache: string;
  /** Where the programs end up. */
  readonly programs: string;
}

async function machine(): Promise<Machine> {
  const folder = await tempFolder();
  const go = await fakeGo(folder);
  const cache = join(folder, "cache", "keelson");
  const env = { PATH: go.path, HOME: folder, XDG_CACHE_HOME: join(folder, "cache") };
  return { go, env, cache, programs: join(cache, releaseFolderName(release, hostPlatform())) };
}

async function putPrograms(folder: string, names: readonly string[] = binaryNames): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of names) {
    await writeFile(join(folder, name), "#!/bin/sh\n");
    await chmod(join(folder, name), 0o755);
  }
}

describe("the folder that KUBEBUILDER_ASSETS names", () => {
  it("comes first", async () => {
    const { env, programs, go } = await machine();
    const assets = join(await tempFolder(), "assets");
    await putPrograms(assets);
    await putPrograms(programs);
    const found = await findBinaries({ env: { ...env, KUBEBUILDER_ASSETS: assets }, release });
    expect(found).toEqual({ folder: assets, source: "KUBEBUILDER_ASSETS" });
    expect(await go.calls()).toEqual([]);
  });

  it("may lack what is not needed, and is refused by the name of what is", async () => {
    const { env, programs } = await machine();
    const assets = await tempFolder();
    await putPrograms(assets, ["etcd", "kube-apiserver", "kubectl"]);
    await putPrograms(programs);
    const withAssets = { ...env, KUBEBUILDER_ASSETS: assets };
    const need = ["etcd", "kube-apiserver", "kubectl"] as const;
    await expect(findBinaries({ env: withAssets, release, need })).resolves.toMatchObject({ folder: assets });
    const failure = await findBinaries({ env: withAssets, release }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(InvalidBinaryError);
    expect(failure).toMatchObject({ file: join(assets, "kube-controller-manager") });
  });

  it("counts as not set when it is empty", async () => {
    const { env, programs } = await machine();
    await putPrograms(programs);
    const found = await findBinaries({ env: { ...env, KUBEBUILDER_ASSETS: "" }, release });
    expect(found.source).toBe("cache");
  });
});

describe("the cache", () => {
  it("comes before a download or a build", async () => {
    const { env, programs, go } = await machine();
    await putPrograms(programs);
    await expect(findBinaries({ env, release })).resolves.toEqual({ folder: programs, source: "cache" });
    expect(await go.calls()).toEqual([]);
  });

  it("is filled again if a program is missing", async () => {
    const { env, programs, go } = await machine();
    await putPrograms(programs);
    await rm(join(programs, "etcd"));
    await expect(findBinaries({ env, release })).resolves.toMatchObject({ source: "build" });
    expect(await go.calls()).toEqual(["list", "build"]);
    expect((await readdir(programs)).sort()).toEqual([...binaryNames].sort());
  });
});

describe("a build", () => {
  it("fills the cache and reports its progress", async () => {
    const { env, cache, programs } = await machine();
    const messages: string[] = [];
    const onProgress = (message: string): number => messages.push(message);
    await expect(findBinaries({ env, release, onProgress })).resolves.toEqual({
      folder: programs,
      source: "build",
    });
    expect(messages).toContain("downloading Go modules: 1");
    expect(messages).toContain(`building Kubernetes ${release.kubernetes}: package 1 of 2`);
    expect(messages).toContain(`building Kubernetes ${release.kubernetes}: package 2 of 2`);
    expect(await readdir(cache)).toEqual([releaseFolderName(release, hostPlatform())]);
    await expect(findBinaries({ env, release })).resolves.toEqual({ folder: programs, source: "cache" });
  });

  it("happens once for two calls at the same time", async () => {
    const { env, go, programs } = await machine();
    const found = await Promise.all([findBinaries({ env, release }), findBinaries({ env, release })]);
    expect(found.map(({ folder }) => folder)).toEqual([programs, programs]);
    expect(await go.calls()).toEqual(["list", "build"]);
  });

  it("that fails shows the output of Go, beside the reasons of the other sources, and leaves nothing", async () => {
    const { env, cache, go } = await machine();
    await go.make("fails");
    const failure = await findBinaries({ env, release }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(BinariesUnavailableError);
    expect(String(failure)).toMatch(/KUBEBUILDER_ASSETS: not set/);
    expect(String(failure)).toMatch(/download: http:\/\/127\.0\.0\.1:65500\/.*ECONNREFUSED/);
    expect(String(failure)).toMatch(/build with Go: go build ended with exit code 1\n.*\n.*undefined: plank/);
    expect(await readdir(cache)).toEqual([]);
  });

  it("that is aborted ends Go and leaves nothing half-made", async () => {
    const { env, cache, go } = await machine();
    await go.make("hangs");
    const controller = new AbortController();
    const onProgress = (message: string): void => {
      if (message.includes("package 1 of 2")) controller.abort(new Error("enough"));
    };
    const building = findBinaries({ env, release, onProgress, signal: controller.signal });
    await expect(building).rejects.toThrow("enough");
    expect(await processesWith(cache)).toEqual([]);
    expect(await readdir(cache)).toEqual([]);
  });

  it.each(["SIGKILL", "SIGINT"] as const)(
    "leaves no process and no half-made folder after %s",
    async (signal) => {
      const { env, cache, go } = await machine();
      await go.make("hangs");
      const owner = startOwner("find-then-wait.ts", [], env);
      for await (const chunk of owner.stdout) if (String(chunk).includes("package 1 of 2")) break;
      const [staging] = (await readdir(cache)).filter((name) => name.startsWith("."));
      owner.kill(signal);
      await once(owner, "exit");
      await expectNothingLeft(join(cache, staging ?? "no staging folder"));
    },
  );
});

it("reports that the cache cannot be written, instead of failing in the middle", async () => {
  const { env, go } = await machine();
  const file = join(await tempFolder(), "file");
  await writeFile(file, "");
  const failure = await findBinaries({ env: { ...env, XDG_CACHE_HOME: file }, release }).catch(
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(BinariesUnavailableError);
  expect(String(failure)).toMatch(/cannot be written \(ENOTDIR\); set XDG_CACHE_HOME/);
  expect(await go.calls()).toEqual([]);
});

it("takes a relative KUBEBUILDER_ASSETS from the working folder", async () => {
  const { env } = await machine();
  const failure = await findBinaries({ env: { ...env, KUBEBUILDER_ASSETS: "nowhere" }, release }).catch(
    (error: unknown) => error,
  );
  expect(failure).toMatchObject({ file: join(process.cwd(), "nowhere", "etcd") });
});

it("explains what to do on a machine that has nothing", async () => {
  const { env } = await machine();
  const failure = await findBinaries({ env: { ...env, PATH: "/nowhere" }, release }).catch(
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(BinariesUnavailableError);
  expect(failure).toMatchObject({
    failures: expect.arrayContaining([{ source: "build with Go", reason: "Go is not installed" }]),
  });
  expect(String(failure)).toContain("install Go, or set KUBEBUILDER_ASSETS");
});
