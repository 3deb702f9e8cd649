import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ForbiddenError, jsonPatch, NotFoundError } from "keelson";
import { connect } from "keelson/client";
import { CustomResourceDefinition } from "keelson/kinds/apiextensions/v1";
import { ConfigMap } from "keelson/kinds/core/v1";
import { describe, expect, it, onTestFinished } from "vitest";
import { Gadget } from "../support/gadget-operator.ts";
import { KeelsonProcess } from "../support/keelson-process.ts";
import { Shed } from "../support/shed-operator.ts";

/** Tests start several processes one after the other, on a machine that may be busy. */
const patient = { timeout: 120_000 };

interface Started {
  readonly keelson: KeelsonProcess;
  readonly url: string;
  readonly kubeconfigPath: string;
}

function dev(args: readonly string[], env: Readonly<Record<string, string>> = {}): KeelsonProcess {
  const keelson = new KeelsonProcess(["dev", ...args], env);
  onTestFinished(() => keelson.kill());
  return keelson;
}

/** Starts it and waits until it has printed this. */
async function started(keelson: KeelsonProcess, text = "Ctrl-C"): Promise<Started> {
  await expect.poll(() => keelson.stdout + keelson.stderr, patient).toContain(text);
  const kubeconfigPath = /kubeconfig: +(.*)$/m.exec(keelson.stdout)?.[1] ?? "";
  const url = /ready at (.*)$/m.exec(keelson.stdout)?.[1] ?? "";
  return { keelson, url, kubeconfigPath };
}

/** What it prints on standard error when it does not start; nothing is left of it then. */
async function complaintOf(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const keelson = dev(args, env);
  expect(await keelson.exited).toBe(1);
  const kubeconfigPath = /kubeconfig: +(.*)$/m.exec(keelson.stdout)?.[1];
  expect(kubeconfigPath !== undefined && existsSync(kubeconfigPath)).toBe(false);
  return keelson.stderr;
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "keelson-dev-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const allSettled = /^all 2 samples are settled after [\d.]+ s$/m;

describe("keelson dev --exit-when-settled", patient, () => {
  it("runs all operators that come with it until their samples are settled, and ends with 0", async () => {
    const keelson = dev(["--exit-when-settled"]);
    expect([await keelson.exited, keelson.stderr]).toEqual([0, expect.any(String)]);
    expect(keelson.stdout).toMatch(/^ +operators: +webapp, backup, reloader, shared-secret, azimuth-capi$/m);
    expect(keelson.stdout).toMatch(/^webapp\/nginx-app: Ready, 3\/3 ready/m);
    expect(keelson.stdout).toMatch(/^backup\/mybackup: /m);
    // The samples of the Reloader change a Secret once.
    expect(keelson.stdout).toMatch(/^reloaderconfig\/ledger: Watching.*^reloaderconfig\/ledger: Reloaded/ms);
    expect(keelson.stdout).toMatch(/^reloadrecord\/deployment-ledger: Reloaded/m);
    expect(keelson.stdout).not.toMatch(/^reloadrecord\/deployment-greeter: Reloaded/m);
    // Those of SharedSecret write another value, for which the approved consumer is restarted; the other one waits.
    expect(keelson.stdout).toMatch(/^sharedsecret\/orders-db: Rotated, 1\/1 ready/m);
    expect(keelson.stdout).toMatch(/^secretaccess\/orders-db\.default\.deployment\.reports\.ro: Pending/m);
    expect(keelson.stdout).toMatch(/^all \d+ samples are settled after [\d.]+ s$/m);
  });

  it("passes settings of operators on from flags, variables and a file", async () => {
    const file = join(await temporaryFolder(), "keelson.yaml");
    await writeFile(file, "metricsPort: 1\npolite:\n  greeting: ahoy\n  repeat: 3\n");
    const args = ["./polite-operator.ts", "--repeat", "2", "--exit-when-settled", "--config", file];
    const keelson = dev(args, { KEELSON_POLITE_PASSWORD: "hunter2" });
    expect([await keelson.exited, keelson.stderr]).toEqual([0, "ahoy ahoy\n"]);
    expect(keelson.stdout).not.toContain("hunter2");
  });

  it("prints each change of a sample of a user's operator in a line, later samples included", async () => {
    const args = ["./shed-operator.ts", "--exit-when-settled", "--timeout", "100s"];
    const keelson = dev(args, { SHED_LATER: "extension.yaml" });
    expect([await keelson.exited, keelson.stderr]).toEqual([0, ""]);
    const [facts = "", changes = ""] = keelson.stdout.split("\n\n");
    expect(changes).toMatch(/shed\/tools: Built, 2\/2 ready.*shed\/tools: Built, 4\/4 ready/s);
    expect(facts).toMatch(/^Kubernetes v1\.\d+ \(embedded\) is ready at https:\/\/127\.0\.0\.1:\d+$/m);
    expect(changes).toMatch(/^shed\/tools: Built, 2\/2 ready(; Built: of size 7)?$/m);
    expect(changes).toMatch(/^shed\/bikes in yard: Built, 1\/1 ready(; Built: of size 3)?$/m);
    expect(changes).toMatch(allSettled);
    expect(keelson.stdout).not.toContain("Ctrl-C");
    // Standard output is no terminal here.
    expect(keelson.stdout).not.toContain("\u001b");
  });

  it("ends with 1 and lists which samples are not settled, and why", async () => {
    const args = ["./shed-operator.ts", "--exit-when-settled", "--timeout", "5s"];
    expect(await complaintOf(args, { SHED_SAMPLES: "never.yaml" })).toMatch(
      /^keelson: wait for the samples: 1 of 1 is not settled after [\d.]+ s; .*\n {2}shed\/castle: Building, 0\/2 ready; it is never built\n$/,
    );
  });

  it("starts the neighbours of samples first, which add settings and texts, and ends them last", async () => {
    const args = ["./harbour-operator.ts", "--exit-when-settled", "--harbour.tide", "low"];
    const keelson = dev(args);
    expect([await keelson.exited, keelson.stderr]).toEqual([
      0,
      expect.stringMatching(/the harbour is open.*the harbour is closed/s),
    ]);
    expect(keelson.stdout).toMatch(
      /^boat\/ferry: Bristol \$\{unknown\}, low, pilot, https:\/\/127\.0\.0\.1:\d+$/m,
    );
  });

  it("starts no neighbours without samples", async () => {
    const keelson = dev(["./harbour-operator.ts", "--exit-when-settled", "--no-samples"]);
    expect([await keelson.exited, keelson.stderr]).toEqual([0, ""]);
  });

  it("has nothing to wait for without samples", async () => {
    const keelson = dev(["./shed-operator.ts", "--exit-when-settled", "--no-samples"]);
    expect([await keelson.exited, keelson.stderr]).toEqual([0, ""]);
    expect(keelson.stdout).not.toContain("shed/");
  });
});

describe("keelson dev", patient, () => {
  it("keeps running, follows what people do, and ends on Ctrl-C with nothing left", async () => {
    const { keelson, url, kubeconfigPath } = await started(
      dev(["./shed-operator.ts"]),
      "samples are settled",
    );
    expect(keelson.stdout).toContain("scale shed tools --replicas=3\n");
    const { client, close } = await connect({ kubeconfigPath });
    const tools = { namespace: "default", name: "tools" };
    // The other objects of the files exist, and webhooks are called.
    expect((await client.get(ConfigMap, { namespace: "default", name: "shed-paint" })).data).toEqual({
      colour: "red",
    });
    expect((await client.get(Shed, tools)).spec.size).toBe(7);
    const bad = { metadata: { namespace: "default", name: "bad" }, spec: { size: 13 } };
    await expect(client.create(Shed, bad)).rejects.toBeInstanceOf(ForbiddenError);
    await client.create(Shed, { metadata: { namespace: "yard", name: "mine" }, spec: {} });
    await expect.poll(() => keelson.stdout).toMatch(/^shed\/mine in yard: Built, 2\/2 ready/m);
    await client.delete(Shed, tools);
    await expect.poll(() => keelson.stdout).toMatch(/^shed\/tools: deleted$/m);
    await expect(client.get(Shed, tools)).rejects.toBeInstanceOf(NotFoundError);
    await close();
    const stopMs = performance.now();
    keelson.signal("SIGINT");
    expect(await keelson.exited).toBe(0);
    expect(performance.now() - stopMs).toBeLessThan(10_000);
    expect(keelson.stderr).toBe("stopped; nothing is left running\n");
    expect(existsSync(dirname(kubeconfigPath))).toBe(false);
    await expect(fetch(url)).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
  });

  it("shows what people make of an operator without samples", async () => {
    const { keelson, kubeconfigPath } = await started(dev(["./gadget-operator.ts"]));
    expect(keelson.stdout).toContain("get gadgets\n");
    const { client, close } = await connect({ kubeconfigPath });
    await client.create(Gadget, { metadata: { namespace: "default", name: "mine" }, spec: { size: 1 } });
    await close();
    await expect.poll(() => keelson.stdout).toMatch(/^gadget\/mine: Created; Made: by only$/m);
  });

  it("ends on SIGTERM while it starts", async () => {
    const { keelson } = await started(dev(["./hanging-operator.ts"]), "hangs in its setup");
    keelson.signal("SIGTERM");
    expect(await keelson.exited).toBe(0);
  });

  it("does not wait for an operator that does not end", async () => {
    const log = join(await temporaryFolder(), "dev.log");
    const { keelson } = await started(dev(["./stubborn-operator.ts", "--log-file", log]));
    await expect.poll(() => readFile(log, "utf8")).toContain("hangs");
    keelson.signal("SIGINT");
    expect(await keelson.exited).toBe(0);
    expect(keelson.stderr).toMatch(/WARN +the operators did not end in order/);
  });

  it("has everything again with --data, webhooks included, and keeps kinds that its own would break", async () => {
    const data = join(await temporaryFolder(), "data");
    const later = { SHED_LATER: "extension.yaml" };
    const first = await started(dev(["./shed-operator.ts", "--data", data], later), "Built, 4/4 ready");
    first.keelson.signal("SIGTERM");
    expect(await first.keelson.exited).toBe(0);
    const second = await started(dev(["./shed-operator.ts", "--data", data], later), "samples are settled");
    // What the later samples have changed is not changed back.
    expect(second.keelson.stdout).not.toContain("2/2 ready");
    second.keelson.signal("SIGTERM");
    expect(await second.keelson.exited).toBe(0);
    const again = dev(["./shed-operator.ts", "--data", data, "--no-samples"]);
    const { keelson, kubeconfigPath } = await started(again, "shed/bikes in yard: Built");
    const { client, close } = await connect({ kubeconfigPath });
    const made = await client.create(Shed, { metadata: { namespace: "yard", name: "new" }, spec: {} });
    expect(made.spec.size).toBe(7);
    const path = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/size";
    const asText = jsonPatch([{ op: "replace", path, value: { type: "string" } }]);
    await client.patch(CustomResourceDefinition, { name: "sheds.cli.example.com" }, asText);
    await close();
    keelson.signal("SIGTERM");
    expect(await keelson.exited).toBe(0);
    const third = dev(["./shed-operator.ts", "--data", data]);
    expect(await third.exited).toBe(1);
    expect(third.stderr).toMatch(
      /^keelson: install the .*; .* --allow-incompatible-crds\n {2}sheds\.cli\.example\.com v1 \.spec\.size: The type changed from string to integer\./m,
    );
  });
});

describe("keelson dev, when it cannot do its work, reports it in one line and ends with 1", patient, () => {
  const oneLine = (text: string) => expect.stringMatching(new RegExp(`^keelson: [^\\n]*${text}[^\\n]*\\n$`));

  it.each([
    [
      "a sample that a webhook denies",
      "unlucky.yaml",
      "apply sample Shed unlucky of samples/unlucky.yaml: .* size 13 brings bad luck; correct",
    ],
    [
      "a sample that is no YAML",
      "broken.yaml",
      "read sample samples/broken.yaml: .* at line 4, column 1.*; correct",
    ],
    ["a sample that is missing", "missing.yaml", "read sample samples/missing.yaml: ENOENT.*; correct"],
  ])("for %s", async (_, file, message) => {
    expect(await complaintOf(["./shed-operator.ts"], { SHED_SAMPLES: file })).toEqual(oneLine(message));
  });

  it.each([
    ["that cannot be loaded", "./failing-module.ts", "this module cannot be loaded"],
    ["that export something else", "./no-operator.ts", "no-operator.ts does not export startNeighbours"],
  ])("for neighbours %s", async (_, module, message) => {
    expect(await complaintOf(["./harbour-operator.ts"], { HARBOUR_NEIGHBOURS: module })).toEqual(
      oneLine(`start the neighbours of harbour: .*${message}; --no-samples runs it without them`),
    );
  });

  it.each([
    [
      "a module that fails",
      ["./failing-module.ts"],
      "its module failed: Error: this module cannot be loaded \\(at file:.*failing-module.ts:1:7\\)",
    ],
    ["an operator that does not exist", ["webap"], "there are webapp, backup, .* did you mean webapp\\?"],
    [
      "a kubeconfig in a folder that is not there",
      ["--kubeconfig", "/nowhere/kubeconfig"],
      "write the kubeconfig to /nowhere/kubeconfig: ENOENT.*; name a file that you may write by --kubeconfig",
    ],
    [
      "a data folder that cannot be made",
      ["--data", "/dev/null/x"],
      "keep data in /dev/null/x: ENOTDIR.*; choose a folder that you may write",
    ],
    [
      "a log file that cannot be written",
      ["--log-file", "/dev/null/x"],
      "write /dev/null/x: ENOTDIR.*; choose another --log-file",
    ],
    [
      "a time that nothing waits for",
      ["--timeout", "5s"],
      'read --timeout "5s": it must be beside --exit-when-settled',
    ],
  ])("for %s", async (_, args, message) => {
    expect(await complaintOf(args)).toEqual(oneLine(message));
  });

  it("for a port in use, and for a temporary folder that is missing", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", () => resolve()));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    expect(await complaintOf(["./shed-operator.ts", "--port", String(port)])).toEqual(
      oneLine(`listen on 127.0.0.1:${port}: something else does; choose another --port`),
    );
    expect(await complaintOf(["./shed-operator.ts"], { TMPDIR: "/nowhere" })).toEqual(
      oneLine("write the kubeconfig to a temporary folder: ENOENT.*; name a file"),
    );
  });

  it("for a kubeconfig that leads elsewhere, which stays as it is", async () => {
    const kubeconfig = join(await temporaryFolder(), "config");
    await writeFile(kubeconfig, "apiVersion: v1\nkind: Config\n");
    expect(await complaintOf(["./shed-operator.ts", "--kubeconfig", kubeconfig])).toEqual(
      oneLine("the file holds something else; name another by --kubeconfig"),
    );
    expect(await readFile(kubeconfig, "utf8")).toBe("apiVersion: v1\nkind: Config\n");
  });
});
