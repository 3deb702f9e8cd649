import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const run = promisify(execFile);

describe("keelson dev", () => {
  const keelson = spawn(process.execPath, ["--conditions=@keelson/source", main, "dev"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const stderr = text(keelson.stderr);
  let greeting = "";
  const printed = (pattern: RegExp): string => pattern.exec(greeting)?.[1] ?? `no ${pattern} in ${greeting}`;

  beforeAll(async () => {
    for await (const chunk of keelson.stdout.iterator({ destroyOnReturn: false })) {
      greeting += String(chunk);
      if (greeting.includes("Ctrl-C")) return;
    }
    throw new Error(`keelson dev ended; it said: ${await stderr}`);
  });
  afterAll(() => void keelson.kill("SIGKILL"));

  it("says what runs and where its kubeconfig is", () => {
    expect(greeting).toMatch(/^Kubernetes v1\.\d+ \(embedded\) is ready at https:\/\/127\.0\.0\.1:\d+$/m);
    expect(greeting).toMatch(/running: +API server, controllers, scheduler$/m);
    expect(existsSync(printed(/kubeconfig: +(.*)$/m))).toBe(true);
  });

  it("prints a kubectl line that works, and runs what it makes", async () => {
    const line = printed(/^ +(\S*kubectl .*)$/m);
    const { stdout } = await run("sh", ["-c", line]);
    expect(stdout).toContain("deployment.apps/web created");
    const kubectl = line.replace(/ create .*/, "");
    const { stdout: rollout } = await run("sh", [
      "-c",
      `${kubectl} rollout status deployment/web --timeout=50s`,
    ]);
    expect(rollout).toContain("successfully rolled out");
  });

  it("ends on Ctrl-C with code 0, and with it the control plane and its folder", async () => {
    keelson.kill("SIGINT");
    expect(await once(keelson, "exit")).toEqual([0, null]);
    expect(existsSync(dirname(printed(/kubeconfig: +(.*)$/m)))).toBe(false);
    await expect(fetch(printed(/ready at (.*)$/m))).rejects.toMatchObject({
      cause: { code: "ECONNREFUSED" },
    });
    expect(await stderr).toContain("nothing is left running");
  });
});
