import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "keelson";
import type { ClusterAccess, Environment } from "keelson/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { settings } from "../settings.ts";
import { HelmCommandError } from "./errors.ts";
import { HelmCommands } from "./helm-commands.ts";

const never = new AbortController().signal;

/** Copies what Helm would find: its environment, its files, its input; then it does as the text says. */
async function commandsOf(
  text: string,
  { access, env = {} }: { readonly access?: ClusterAccess; readonly env?: Environment } = {},
): Promise<{ readonly commands: HelmCommands; found(name: string): Promise<string>; root: string }> {
  const folder = await mkdtemp(join(tmpdir(), "keelson-helm-test-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const executable = join(folder, "helm");
  const root = await mkdtemp(join(folder, "root-"));
  const script = `#!/bin/sh
[ "$1" = version ] && printf v3.17.3 && exit
env > ${folder}/env
[ -e "$KUBECONFIG" ] && cp "$KUBECONFIG" ${folder}/kubeconfig
[ -e "$HELM_REPOSITORY_CONFIG" ] && cp "$HELM_REPOSITORY_CONFIG" ${folder}/repositories
echo "$@" >> ${folder}/words
${text}
`;
  await writeFile(executable, script, { mode: 0o755 });
  const { helmClient } = settings.parse({ helmClient: { executable } });
  return {
    root,
    commands: new HelmCommands({
      ...{ settings: helmClient, access, clock: systemClock, root, maxCommands: 4 },
      env: { PATH: process.env.PATH, ...env },
    }),
    found: (name) => readFile(join(folder, name), "utf8"),
  };
}

function accessTo(server: string): ClusterAccess & { readonly refusals: () => number } {
  let refusals = 0;
  return {
    server,
    namespace: "default",
    tls: async () => ({ insecure: false, ca: "CA" }),
    headers: async () => ({ authorization: "Bearer t0ken" }),
    refused: () => void refusals++,
    refusals: () => refusals,
  };
}

const list = { purpose: "list releases", verb: ["list"], needsCluster: true };

describe("a command of Helm", () => {
  it("reaches the API server by a private file, and past proxies", async () => {
    const env = { HTTPS_PROXY: "http://proxy:3128", NO_PROXY: ".svc" };
    const { commands, found, root } = await commandsOf("", {
      access: accessTo("https://[fd00::1]:443"),
      env,
    });
    await commands.run(list, never);
    expect(JSON.parse(await found("kubeconfig"))).toMatchObject({
      clusters: [{ cluster: { server: "https://[fd00::1]:443" } }],
      users: [{ user: { token: "t0ken" } }],
    });
    expect(await found("env")).toMatch(/^NO_PROXY=\.svc,fd00::1$/m);
    expect(await readdir(root)).toEqual([]);
  });

  it("has no kubeconfig if it needs no cluster", async () => {
    const { commands, found } = await commandsOf("", { access: accessTo("https://api:6443") });
    await commands.run({ purpose: "show chart", verb: ["show", "chart"] }, never);
    await expect(found("kubeconfig")).rejects.toThrow("ENOENT");
  });

  it("knows the credentials of a repository by a private file", async () => {
    const { commands, found } = await commandsOf("");
    const repository = {
      name: "charts",
      url: "https://charts.example.com/",
      username: "u",
      password: "hunter2",
    };
    const operands = ["charts/probe"];
    await commands.run({ purpose: "show chart probe", verb: ["show", "chart"], operands, repository }, never);
    expect(JSON.parse(await found("repositories"))).toMatchObject({ repositories: [repository] });
    expect(await found("words")).toBe("repo update\nshow chart -- charts/probe\n");
  });

  it("leaves flags of Helm 4 out for Helm 3", async () => {
    const { commands, found } = await commandsOf("");
    await commands.run({ ...list, needsCluster: false, flags: ["--all"], flagsOfHelm4: ["--new"] }, never);
    expect(await found("words")).toBe("list --all\n");
  });

  it("has credentials renewed that were refused, and no others", async () => {
    const access = accessTo("https://api:6443");
    const refused = "the server has asked for the client to provide credentials";
    const { commands } = await commandsOf(`echo 'Error: ${refused}' >&2; exit 1`, { access });
    await expect(commands.run(list, never)).rejects.toThrow(HelmCommandError);
    expect(access.refusals()).toBe(1);
    const other = await commandsOf("exit 1", { access });
    await expect(other.commands.run(list, never)).rejects.toThrow("list releases: helm ended with 1");
    expect(access.refusals()).toBe(1);
  });

  it("leaves no file behind when it fails or is aborted", async () => {
    const { commands, root } = await commandsOf("exit 1", { access: accessTo("https://api:6443") });
    await expect(commands.run(list, never)).rejects.toThrow(HelmCommandError);
    expect(await readdir(root)).toEqual([]);
    const abort = new AbortController();
    const running = commands.run(list, abort.signal);
    abort.abort(new Error("enough"));
    await expect(running).rejects.toThrow("enough");
    expect(await readdir(root)).toEqual([]);
  });
});
