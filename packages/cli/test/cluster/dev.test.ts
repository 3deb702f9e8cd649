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
      if (greeting.includes("samples are settled")) return;
    }
    throw new Error(`keelson dev ended; its output: ${await stderr}`);
  });
  afterAll(() => void keelson.kill("SIGKILL"));

  it("prints what runs and where its kubeconfig is", () => {
    expect(greeting).toMatch(/^Kubernetes v1\.\d+ \(embedded\) is ready at https:\/\/127\.0\.0\.1:\d+$/m);
    expect(greeting).toMatch(/running: +API server, controllers, scheduler$/m);
    expect(existsSync(printed(/kubeconfig: +(.*)$/m))).toBe(true);
  });

  it("prints lines that work, as they stand", async () => {
    const lines = greeting.split("\n").filter((line) => /^ +(export|\S*kubectl) /.test(line));
    await run("sh", ["-ec", lines.join("\n")]);
    const kubectl = `${lines[0]}\n${lines[1]?.replace(/ get .*/, "")}`;
    const isScaled = "wait webapp/nginx-app --for=jsonpath={.status.readyReplicas}=5 --timeout=50s";
    await run("sh", ["-ec", `${kubectl} ${isScaled}`]);
    const { stdout } = await run("sh", ["-ec", `${kubectl} get webapps`]);
    expect(stdout).toMatch(/^nginx-app .*5/m);
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
