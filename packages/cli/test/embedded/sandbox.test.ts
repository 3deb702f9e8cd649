import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { waitFor } from "keelson";
import { connect } from "keelson/client";
import { Deployment } from "keelson/kinds/apps/v1";
import { ConfigMap } from "keelson/kinds/core/v1";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";

/** Tests start several processes one after the other, on a machine that may be busy. */
const patient = { timeout: 180_000 };
const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

interface RunningCommand {
  readonly child: ChildProcess;
  readonly stderr: Promise<string>;
  readonly kubeconfigPath: string;
  readonly url: string;
}

function spawnSandbox(args: readonly string[]): { child: ChildProcess; stderr: Promise<string> } {
  const child = spawn(process.execPath, ["--conditions=@keelson/source", main, "sandbox", ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return { child, stderr: text(child.stderr) };
}

/** Starts it and waits until it prints that it is ready. */
async function startSandbox(...args: readonly string[]): Promise<RunningCommand> {
  const { child, stderr } = spawnSandbox(args);
  let greeting = "";
  for await (const chunk of child.stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    greeting += String(chunk);
    if (greeting.includes("Ctrl-C")) break;
  }
  const kubeconfigPath = /kubeconfig: +(.*)$/m.exec(greeting)?.[1];
  const url = /ready at (.*)$/m.exec(greeting)?.[1];
  if (kubeconfigPath === undefined || url === undefined)
    throw new Error(`its output: ${greeting}${await stderr}`);
  return { child, stderr, kubeconfigPath, url };
}

/** What it prints when it does not start. */
async function complaintOf(...args: readonly string[]): Promise<string> {
  const { child, stderr } = spawnSandbox(args);
  expect(await once(child, "exit")).toEqual([1, null]);
  return await stderr;
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<unknown> {
  child.kill(signal);
  return (await once(child, "exit"))[0];
}

describe("keelson sandbox", patient, () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "keelson-sandbox-test-"));
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test("runs what is created on it, and leaves nothing when it ends", async () => {
    const { child, stderr, kubeconfigPath, url } = await startSandbox();
    const { client, close } = await connect({ kubeconfigPath });
    const labels = { app: "web" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "web:1" }] } };
    await client.create(Deployment, {
      metadata: { name: "web", namespace: "default" },
      spec: { replicas: 2, selector: { matchLabels: labels }, template },
    });
    await waitFor(client, Deployment, { namespace: "default", name: "web" }, ({ status }) => {
      return status?.availableReplicas === 2;
    });
    await close();
    expect(await end(child, "SIGINT")).toBe(0);
    expect(await stderr).toContain("nothing is left running");
    expect(existsSync(kubeconfigPath)).toBe(false);
    await expect(fetch(url)).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
  });

  test("has everything again after it was killed, for clients that it knew", async () => {
    const data = join(folder, "data");
    const first = await startSandbox("--data", data, "--nodes", "0");
    const before = await connect({ kubeconfigPath: first.kubeconfigPath });
    const metadata = { namespace: "default", name: "kept" };
    const created = await before.client.create(ConfigMap, { metadata, data: { color: "blue" } });
    await before.close();
    expect(await end(first.child, "SIGKILL")).toBe(null);

    const port = new URL(first.url).port;
    const second = await startSandbox("--data", data, "--nodes", "0", "--port", port);
    const after = await connect({ kubeconfigPath: first.kubeconfigPath });
    expect(await after.client.get(ConfigMap, metadata)).toEqual(created);
    await after.close();

    expect(await complaintOf("--data", data)).toContain("stop that process if it is keelson");
    expect(await complaintOf("--port", port)).toContain("choose another --port");
    expect(await end(second.child, "SIGTERM")).toBe(0);
  });

  test("writes its kubeconfig to the given file", async () => {
    const kubeconfig = join(folder, "here.kubeconfig");
    const { child, kubeconfigPath } = await startSandbox("--kubeconfig", kubeconfig, "--nodes", "0");
    expect(kubeconfigPath).toBe(kubeconfig);
    expect(await end(child, "SIGTERM")).toBe(0);
    expect(existsSync(kubeconfig)).toBe(true);
  });

  test.each(["localhost", "::1"])("listens on %s", async (host) => {
    const { child, url, kubeconfigPath } = await startSandbox("--host", host, "--nodes", "0");
    expect(new URL(url).hostname.replace(/^\[|\]$/g, "")).toBe(host);
    const { client, close } = await connect({ kubeconfigPath });
    expect(await client.raw("/version")).toMatchObject({ major: "1" });
    await close();
    expect(await end(child, "SIGTERM")).toBe(0);
  });

  test("names the file of data that it cannot read", async () => {
    const first = await startSandbox("--data", folder, "--nodes", "0");
    expect(await end(first.child, "SIGTERM")).toBe(0);
    writeFileSync(join(folder, "authority.key"), "");
    expect(await complaintOf("--data", folder)).toMatch(
      /^keelson: read [^\n]*authority.key: [^\n]*; restore the folder, or choose an empty one\n$/,
    );
    rmSync(join(folder, "token.key"));
    mkdirSync(join(folder, "token.key"));
    expect(await complaintOf("--data", folder)).toMatch(
      /^keelson: keep data in [^\n]*: EISDIR[^\n]*; choose a folder that you may write\n$/,
    );
  });

  test("refuses damaged data with the place, and repairs it on request", async () => {
    const first = await startSandbox("--data", folder, "--nodes", "0", "--fsync");
    expect(await end(first.child, "SIGKILL")).toBe(null);
    const journal = join(folder, "journal.jsonl");
    const lines = readFileSync(journal, "utf8").split("\n");
    writeFileSync(journal, lines.toSpliced(4, 1).join("\n"));
    expect(await complaintOf("--data", folder)).toMatch(
      /^keelson: read [^\n]*journal.jsonl:5: record 6 follows record 4; [^\n]*--repair, which keeps 3 objects[^\n]*\n$/,
    );
    const second = await startSandbox("--data", folder, "--nodes", "0", "--repair");
    const { client, close } = await connect({ kubeconfigPath: second.kubeconfigPath });
    expect(await client.raw("/version")).toMatchObject({ major: "1" });
    await close();
    expect(await end(second.child, "SIGTERM")).toBe(0);
    expect(await second.stderr).toContain("what was damaged is kept in journal.jsonl.damaged-1");
  });

  test.each([
    [["--host", "192.0.2.1"], "listen on 192.0.2.1:0: listen EADDRNOTAVAIL"],
    [["--host", "192.0.2.1"], "choose another --host"],
    [["--port", "99999"], '--port "99999": it must be a whole number from 0 to 65535'],
    [["--nodes", "-1"], '--nodes "-1": it must be a whole number'],
    [["--data", "/dev/null/x"], "ENOTDIR"],
    [["--repair"], "read --repair: there is no data folder; name it by --data"],
    [["--colour"], "unknown option '--colour'"],
  ])("reports what is wrong with %j, and ends with 1", async (args, complaint) => {
    expect(await complaintOf(...args)).toContain(complaint);
  });
});
