import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { KubeconfigError, KubeconfigNotFoundError } from "./errors.ts";
import { loadKubeconfig } from "./load-kubeconfig.ts";

async function write(path: string, text: string): Promise<string> {
  await writeFile(path, text);
  return path;
}

describe("finding a kubeconfig", () => {
  it("looks into the home folder", async () => {
    const home = await tempFolder();
    await mkdir(join(home, ".kube"));
    const path = await write(join(home, ".kube/config"), "current-context: home");
    const { kubeconfig, file } = await loadKubeconfig({ env: { KUBECONFIG: "" }, home });
    expect(kubeconfig["current-context"]).toBe("home");
    expect(file).toBe(path);
  });

  it("merges the files of KUBECONFIG, passing over missing and empty ones", async () => {
    const folder = await tempFolder();
    const one = await write(join(folder, "one"), "users: [{name: ann, user: {tokenFile: t}}]");
    const two = await write(
      join(folder, "two"),
      "current-context: two\nusers: [{name: ann, user: {token: x}}, {name: bob}]",
    );
    const none = await write(join(folder, "none"), "");
    const env = { KUBECONFIG: [one, join(folder, "missing"), "", none, two, one].join(":") };
    const { kubeconfig, file } = await loadKubeconfig({ env, home: "/nowhere" });
    expect(file).toBe(`${one}:${none}:${two}`);
    expect(kubeconfig["current-context"]).toBe("two");
    expect(kubeconfig.users).toEqual([
      { name: "ann", user: { tokenFile: join(folder, "t") } },
      { name: "bob", user: {} },
    ]);
  });

  it("reads only the file it is given, whatever KUBECONFIG says", async () => {
    const folder = await tempFolder();
    const path = await write(join(folder, "given"), "current-context: given");
    const { file } = await loadKubeconfig({ env: { KUBECONFIG: "/elsewhere" }, path });
    expect(file).toBe(path);
  });

  it.each([
    ["JSON", '{"current-context": "json"}', "json"],
    ["YAML that begins like JSON", "{current-context: flow}", "flow"],
  ])("reads %s", async (_, text, context) => {
    const path = await write(join(await tempFolder(), "config"), text);
    const { kubeconfig } = await loadKubeconfig({ env: {}, home: "/nowhere", path });
    expect(kubeconfig["current-context"]).toBe(context);
  });

  it("says which files are not there", async () => {
    const missing = loadKubeconfig({ env: { KUBECONFIG: "/no/a:/no/b" }, home: "/home" });
    await expect(missing).rejects.toBeInstanceOf(KubeconfigNotFoundError);
    await expect(missing).rejects.toThrow("find a kubeconfig: no file /no/a, no file /no/b; set KUBECONFIG");
    await expect(loadKubeconfig({ env: {} })).rejects.toThrow("there is no home folder to look in");
  });

  it("names the one broken file among many", async () => {
    const folder = await tempFolder();
    const good = await write(join(folder, "good"), "");
    const bad = await write(join(folder, "bad"), "users: [");
    const loading = loadKubeconfig({ env: { KUBECONFIG: `${good}:${bad}` } });
    await expect(loading).rejects.toMatchObject({
      file: bad,
      problem: expect.stringMatching(/^line 1, column/),
    });
  });

  it("says why a file cannot be read", async () => {
    const path = await tempFolder();
    const loading = loadKubeconfig({ env: {}, path });
    await expect(loading).rejects.toBeInstanceOf(KubeconfigError);
    await expect(loading).rejects.toThrow(
      /^read kubeconfig .*: EISDIR.*; make it a file that this program may read$/,
    );
  });

  it("makes the named context the current one, and refuses an unknown one", async () => {
    const text = `contexts: [{name: a, context: {cluster: k}}]\nclusters: [{name: k}]\ncurrent-context: x`;
    const readFile = async (): Promise<string> => text;
    const { kubeconfig } = await loadKubeconfig({ env: {}, path: "p", contextName: "a", readFile });
    expect(kubeconfig["current-context"]).toBe("a");
    await expect(loadKubeconfig({ env: {}, path: "p", contextName: "b", readFile })).rejects.toThrow(
      "use context b of kubeconfig p: there is no such context; its contexts are a",
    );
  });

  it("throws the signal's reason when it aborts", async () => {
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(loadKubeconfig({ env: {}, path: "/no/such", signal })).rejects.toThrow("enough");
  });
});
