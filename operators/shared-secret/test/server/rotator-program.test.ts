import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { startWorld, type World } from "@keelson/testkit";
import { installCrds } from "keelson/object";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { SharedSecret } from "../../src/api/shared-secret.ts";
import { missingPostgres, startPostgres, superuser, type TestPostgres } from "../support/postgres.ts";
import { postgresOn, type RotationSpace, rotationSpace } from "../support/rotation-space.ts";

const missing = await missingPostgres();
const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

let world: World;
let server: TestPostgres;

beforeAll(async () => {
  if (missing !== undefined) return;
  [world, server] = await Promise.all([startWorld(process.env.KEELSON_LEVEL), startPostgres()]);
  await installCrds(world.client, [SharedSecret]);
});
afterAll(async () => {
  await Promise.all([world?.stop(), server?.stop()]);
});

/** The program as a process. */
class RotatorProcess {
  stdout = "";
  stderr = "";
  /** The exit code, or null if a signal ended it. */
  readonly exited: Promise<number | null>;
  readonly #process: ChildProcess;

  constructor(args: readonly string[], env: Readonly<Record<string, string>>) {
    this.#process = spawn(process.execPath, ["--conditions=@keelson/source", main, ...args], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: process.env.PATH, ...env },
    });
    this.exited = once(this.#process, "close").then(([code]) => code);
    this.#process.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.stdout += text;
    });
    this.#process.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
    onTestFinished(async () => {
      this.#process.kill("SIGKILL");
      await this.exited;
    });
  }

  /** What it has logged at a level. */
  logged(level: string): readonly string[] {
    return this.stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line): { readonly level: string; readonly msg: string } => JSON.parse(line))
      .flatMap((line) => (line.level === level ? [line.msg] : []));
  }

  terminate(): void {
    this.#process.kill("SIGTERM");
  }
}

/** The kubeconfig of a user who may do what a rotator of `db` needs, and nothing else. */
async function restricted({ namespace }: RotationSpace): Promise<string> {
  const vault = ["vault.keelson.dev"];
  const { kubeconfigPath } = await world.cluster.createUser({
    ...{ user: `rotator-of-${namespace}`, namespace },
    rules: [
      { apiGroups: vault, resources: ["sharedsecrets"], resourceNames: ["db"], verbs: ["get"] },
      { apiGroups: vault, resources: ["sharedsecrets/status"], resourceNames: ["db"], verbs: ["patch"] },
      { apiGroups: [""], resources: ["secrets"], resourceNames: ["db-secret"], verbs: ["get", "patch"] },
      { apiGroups: [""], resources: ["secrets"], resourceNames: ["admin", "authority"], verbs: ["get"] },
    ],
  });
  return kubeconfigPath;
}

async function start(space: RotationSpace, ...args: readonly string[]): Promise<RotatorProcess> {
  const KUBECONFIG = await restricted(space);
  return new RotatorProcess(args, { KUBECONFIG, SHARED_SECRETS: `${space.namespace}/db` });
}

describe.skipIf(missing !== undefined)("the rotator program", () => {
  it("rotates with no more than its permissions, whenever that is due, until it is stopped", {
    timeout: 180_000,
  }, async () => {
    const space = await rotationSpace(world, server);
    await space.create("db", await postgresOn(server, "Sidecar"), { approved: true, rotateSeconds: 1 });
    const rotator = await start(space);
    const seen = new Set<string>();
    for (let rotation = 1; rotation <= 3; rotation++) {
      const rotations = async () => (await space.get(SharedSecret, "db")).status?.rotation?.rotations;
      // It looks every 30 s whether the consumers have been restarted.
      await expect.poll(rotations, { timeout: 60_000 }).toBe(rotation);
      const { value = "", username = "", password = "" } = await space.content("db");
      expect(await server.accepts(username, password)).toBe(true);
      for (const secret of [value, password]) seen.add(secret);
      if (rotation < 3) await space.consumersRestarted("db");
    }
    await expect.poll(() => rotator.logged("info").length).toBe(4);
    rotator.terminate();
    expect(await rotator.exited).toBe(0);
    expect([rotator.logged("warn"), rotator.logged("error"), rotator.stderr]).toEqual([[], [], ""]);
    expect(seen.size).toBe(6);
    for (const secret of [...seen, superuser.password]) expect(rotator.stdout).not.toContain(secret);
  });

  it("rotates once what is due, and ends", async () => {
    const space = await rotationSpace(world, server);
    await space.create("db", await postgresOn(server, "Sidecar"));
    const first = await start(space, "--once");
    expect(await first.exited).toBe(0);
    expect(first.logged("info")).toEqual(["the value was rotated"]);
    const content = await space.content("db");
    const second = await start(space, "--once");
    expect(await second.exited).toBe(0);
    expect(await space.content("db")).toEqual(content);
  });

  it("ends with 1 if what is due cannot be rotated", async () => {
    const space = await rotationSpace(world, server);
    await space.create("db", await postgresOn(server, "Sidecar"));
    await space.writeSecret("admin", { ...superuser, password: "a wrong password" });
    const rotator = await start(space, "--once");
    expect(await rotator.exited).toBe(1);
    expect(rotator.logged("warn")).toEqual(["the value could not be rotated"]);
    expect(rotator.stdout).not.toContain("a wrong password");
    expect((await space.get(SharedSecret, "db")).status?.rotation?.failures).toBe(1);
  });

  it("leaves to the operator what the operator rotates", async () => {
    const space = await rotationSpace(world, server);
    await space.create("db", await postgresOn(server, "Operator"));
    const rotator = await start(space, "--once");
    expect(await rotator.exited).toBe(0);
    expect(await space.content("db")).toEqual({ value: "" });
  });

  it("goes on after the API server was away", { timeout: 120_000 }, async () => {
    const space = await rotationSpace(world, server);
    await space.create("db", await postgresOn(server, "Sidecar"));
    const KUBECONFIG = await restricted(space);
    await world.cluster.kill("kube-apiserver");
    const rotator = new RotatorProcess([], { KUBECONFIG, SHARED_SECRETS: `${space.namespace}/db` });
    await expect.poll(() => rotator.logged("error").length).toBeGreaterThan(0);
    await world.cluster.restart("kube-apiserver");
    await expect.poll(() => rotator.logged("info"), { timeout: 90_000 }).toContain("the value was rotated");
    expect((await space.content("db")).username).toMatch(/_a$/);
    rotator.terminate();
    expect(await rotator.exited).toBe(0);
  });

  it("is stopped at once while a database does not respond, which is no failure", async () => {
    const space = await rotationSpace(world, server);
    const silent = createServer((socket) => void socket.on("error", () => undefined).resume());
    onTestFinished(() => void silent.close());
    const connected = once(silent, "connection");
    silent.listen(0, "127.0.0.1");
    await once(silent, "listening");
    const address = silent.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const { postgres, ...rest } = await postgresOn(server, "Sidecar");
    if (postgres === undefined || port === undefined) throw new Error("there is no port");
    await space.create("db", { ...rest, postgres: { ...postgres, port } });
    const rotator = await start(space);
    await connected;
    const stoppedMs = performance.now();
    rotator.terminate();
    expect(await rotator.exited).toBe(0);
    // The connection would be given up after 10 s.
    expect(performance.now() - stoppedMs).toBeLessThan(8_000);
    expect((await space.get(SharedSecret, "db")).status?.rotation).toBeUndefined();
  });
});

describe("the command line of the rotator program", () => {
  it("shows its help", async () => {
    const rotator = new RotatorProcess(["--help"], {});
    expect(await rotator.exited).toBe(0);
    expect(rotator.stdout).toMatch(/^Usage: keelson-rotator/);
  });

  it("refuses arguments that it does not know", async () => {
    const rotator = new RotatorProcess(["--twice"], { SHARED_SECRETS: "shop/db" });
    expect(await rotator.exited).toBe(2);
    expect(rotator.stderr).toMatch(/^keelson-rotator: Unknown option '--twice'.*; try --help\n$/s);
  });

  it("refuses to start without SharedSecrets", async () => {
    const rotator = new RotatorProcess([], {});
    expect(await rotator.exited).toBe(2);
    expect(rotator.stderr).toBe(
      'keelson-rotator: read SHARED_SECRETS: "" is not the namespace and name of a SharedSecret, such as shop/orders-db\n',
    );
  });

  it("ends with 1 without a cluster", async () => {
    const rotator = new RotatorProcess([], { SHARED_SECRETS: "shop/db", KUBECONFIG: "/nowhere" });
    expect(await rotator.exited).toBe(1);
    expect(rotator.stderr).toMatch(/^keelson-rotator: .*\/nowhere/s);
  });
});
