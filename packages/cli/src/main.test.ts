import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const main = fileURLToPath(new URL("./main.ts", import.meta.url));

function keelson(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<{ stdout: string; stderr: string }> {
  const options = { env: { ...process.env, NO_COLOR: "1", ...env } };
  return promisify(execFile)(process.execPath, ["--conditions=@keelson/source", main, ...args], options);
}

describe("the keelson command", () => {
  it("helps", async () => {
    expect((await keelson(["--help"])).stdout).toMatch(/dev +start a Kubernetes control plane/);
  });

  it("tells its version", async () => {
    const { version } = JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8"));
    expect((await keelson(["--version"])).stdout).toBe(`${version}\n`);
  });

  it("shows the help when it does not know a command", async () => {
    await expect(keelson(["sail"])).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/unknown command 'sail'[\s\S]*Usage: keelson/),
    });
  });

  it("names the file that a wrong KUBEBUILDER_ASSETS lacks, in one line", async () => {
    await expect(keelson(["dev"], { KUBEBUILDER_ASSETS: "/nowhere" })).rejects.toMatchObject({
      code: 1,
      stderr: "keelson: use /nowhere/etcd: the file does not exist; KUBEBUILDER_ASSETS names its folder\n",
    });
  });
});
