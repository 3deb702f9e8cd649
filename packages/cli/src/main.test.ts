import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";

const main = fileURLToPath(new URL("./main.ts", import.meta.url));

function keelson(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  cwd?: URL,
): Promise<{ stdout: string; stderr: string }> {
  const options = { env: { ...process.env, NO_COLOR: "1", ...env }, cwd };
  return promisify(execFile)(process.execPath, ["--conditions=@keelson/source", main, ...args], options);
}

describe("the keelson command", { timeout: 60_000 }, () => {
  it("helps", async () => {
    expect((await keelson(["--help"])).stdout).toMatch(
      /dev \[options\] \[operators...\] +run operators and their samples/,
    );
  });

  it("ends with code 0 when its output is not read", async () => {
    const child = spawn(process.execPath, ["--conditions=@keelson/source", main, "run", "--print-config"], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stdout.destroy();
    const stderr = text(child.stderr);
    expect(await once(child, "exit")).toEqual([0, null]);
    expect(await stderr).toBe("");
  });

  it("prints its version", async () => {
    const { version } = JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8"));
    expect((await keelson(["--version"])).stdout).toBe(`${version}\n`);
  });

  it.each([
    [["sail"], "unknown command 'sail'; see --help"],
    [["help", "sail"], "unknown command 'sail'; see --help"],
    [["dev", "--node"], "configure dev: --node: there is no such flag; did you mean --nodes?"],
    [["sandbox", "--port"], "option '--port <number>' argument missing; see --help"],
  ])("reports for %j in one line what is wrong", async (args, line) => {
    await expect(keelson(args)).rejects.toMatchObject({ code: 1, stderr: `keelson: ${line}\n` });
  });
});

describe("keelson run, before it reaches a cluster", { timeout: 60_000 }, () => {
  const folder = new URL("../test/support/", import.meta.url);
  const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
    keelson(["run", ...args], env, folder);
  const failed = (stderr: unknown) => ({ code: 1, stderr });

  it("prints its help for each form of the flag", async () => {
    const { stdout } = await run(["--help"]);
    expect(stdout).toMatch(/^Usage: keelson run OPERATOR\.\.\. \[flags\]/);
    expect((await keelson(["help", "run"])).stdout).toBe(stdout);
    expect((await run(["./gadget-operator.ts", "-h"])).stdout).toBe(stdout);
  });

  it("shows the settings of operators in the help and in the configuration", async () => {
    const line =
      /^ {2}--polite\.greeting TEXT +the words to begin with \[KEELSON_POLITE_GREETING, default hello\]$/m;
    const help = await run(["./polite-operator.ts", "--help"]);
    expect(help.stdout).toMatch(line);
    expect((await keelson(["dev", "./polite-operator.ts", "--help"], {}, folder)).stdout).toMatch(line);
    expect((await run(["sail", "--help"])).stdout).toMatch(/^Usage: keelson run/);
    const printed = await run(["./polite-operator.ts", "--print-config", "--greeting", "ahoy"]);
    expect(printed.stdout).toMatch(/^polite:\n {2}greeting: ahoy +# --greeting$/m);
  });

  it("reports all that is wrong with its settings and those of operators", async () => {
    const args = [
      "./polite-operator.ts",
      "--metrics-port",
      "x",
      "--polite.repeat",
      "0",
      "--polite.repeet",
      "1",
    ];
    await expect(run(args)).rejects.toMatchObject(
      failed(
        [
          "keelson: configure run:",
          "  --polite.repeet: there is no such flag; did you mean --polite.repeat?",
          "  --metrics-port: must be a port from 1 to 65535, 0 for any free one, or -1 for none, not x",
          "  --polite.repeat: must be at least 1, not 0 (also KEELSON_POLITE_REPEAT, polite.repeat in a file)\n",
        ].join("\n"),
      ),
    );
  });

  it("lists what modules hold", async () => {
    const { stdout } = await run(["./gadget-operator.ts", "--list"]);
    expect(stdout).toBe("gadgets  ./gadget-operator.ts  gadgets.cli.example.com/v1\n");
  });

  it("names the line of a typo in its file, and what was meant", async () => {
    const file = join(await temporaryFolder(), "keelson.yaml");
    await writeFile(file, "logLevel: debug\nmetricPort: 8080\n");
    const problem = `keelson: configure run: ${file}:2: metricPort is not a setting; did you mean metricsPort?\n`;
    await expect(run(["./gadget-operator.ts", "--config", file])).rejects.toMatchObject(failed(problem));
    await expect(run([], { KEELSON_CONFIG: file })).rejects.toMatchObject(failed(problem));
  });

  it("prints its configuration with where it is from", async () => {
    const { stdout } = await run(["--print-config", "--debug", "--bind-address=::1"], {
      KEELSON_NAME: "sail",
    });
    expect(stdout).toMatch(/^name: sail +# KEELSON_NAME$/m);
    expect(stdout).toMatch(/^debug: true +# --debug$/m);
  });

  it("reports in one line that an operator is missing, or unknown", async () => {
    await expect(run([])).rejects.toMatchObject(
      failed(expect.stringMatching(/^keelson: run: no operator .*\n$/)),
    );
    await expect(run(["sail"])).rejects.toMatchObject(
      failed(expect.stringMatching(/^keelson: find operator sail: .*\n$/)),
    );
  });

  it("reports in one line what is wrong with a kubeconfig, or with the server that it names", async () => {
    const args = ["./gadget-operator.ts", "--kubeconfig"];
    await expect(run([...args, "/nowhere"])).rejects.toMatchObject(
      failed(expect.stringMatching(/^keelson: find a kubeconfig: .*\n$/)),
    );
    const broken = join(await temporaryFolder(), "broken");
    await writeFile(broken, "clusters: 7\n");
    await expect(run([...args, broken])).rejects.toMatchObject(
      failed(expect.stringMatching(/^keelson: read kubeconfig .*\n$/)),
    );
    const unreachable = join(await temporaryFolder(), "unreachable");
    const cluster = { name: "c", cluster: { server: "http://127.0.0.1:1" } };
    const context = { name: "c", context: { cluster: "c", user: "u" } };
    const kubeconfig = { clusters: [cluster], contexts: [context], users: [{ name: "u", user: {} }] };
    await writeFile(unreachable, JSON.stringify({ ...kubeconfig, "current-context": "c" }));
    await expect(run([...args, unreachable])).rejects.toMatchObject(
      failed(
        expect.stringMatching(
          /^keelson: reach the API server at http:\/\/127\.0\.0\.1:1: .*ECONNREFUSED.*\n$/,
        ),
      ),
    );
  });
});

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "keelson-cli-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}
