import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Cluster } from "@keelson/testkit";
import { type Client, find, systemClock } from "keelson";
import { accessFromKubeconfig, type ClusterAccess, type Environment } from "keelson/client";
import { ConfigMap, Namespace, Secret } from "keelson/kinds/core/v1";
import { expect, onTestFinished } from "vitest";
import { createHelm, type Helm, type HelmOptions, type ReleaseKey } from "../../src/helm/helm.ts";
import { settings } from "../../src/settings.ts";
import type { HelmBinary } from "../../testing/helm-binaries.ts";

/** The folder of the chart to test with. */
export const probeFolder: string = fileURLToPath(new URL("../../testing/charts/probe", import.meta.url));

/** What a test chooses of Helm. */
export interface HelmChoice extends Partial<Pick<HelmOptions, "access" | "client" | "maxCommands">> {
  readonly env?: Environment;
  readonly executable?: string;
  /** In seconds. */
  readonly defaultTimeout?: number;
  readonly historyMaxRevisions?: number;
}

/** A namespace for one test of Helm, with folders of its own, and a record of all commands. */
export class HelmSpace {
  readonly #binary: HelmBinary;
  readonly #cluster: Cluster;
  readonly #folder: string;
  readonly client: Client;
  readonly namespace: string;
  readonly helm: Helm;

  private constructor(
    binary: HelmBinary,
    cluster: Cluster,
    client: Client,
    facts: { folder: string; namespace: string },
  ) {
    this.#binary = binary;
    this.#cluster = cluster;
    this.client = client;
    this.#folder = facts.folder;
    this.namespace = facts.namespace;
    this.helm = this.makeHelm();
  }

  /** At the end of the test nothing may be left in the folder that Helm was given. */
  static async create(binary: HelmBinary, cluster: Cluster, client: Client): Promise<HelmSpace> {
    const { metadata } = await client.create(Namespace, { metadata: { generateName: "helm-" } });
    const folder = await mkdtemp(join(tmpdir(), "keelson-helm-test-"));
    const space = new HelmSpace(binary, cluster, client, { folder, namespace: metadata.name });
    await mkdir(space.root);
    // Records the words of each command, and what is in the folder where it runs.
    const script = `#!/bin/sh\necho "$(ls -A | wc -l) $*" >> ${folder}/commands\nexec ${binary.path} "$@"\n`;
    await writeFile(space.executable, script, { mode: 0o755 });
    onTestFinished(async () => {
      const left = await readdir(space.root);
      await rm(folder, { recursive: true, force: true });
      expect(left).toEqual([]);
    });
    return space;
  }

  /** Where Helm's private folders are. */
  get root(): string {
    return join(this.#folder, "root");
  }

  get executable(): string {
    return join(this.#folder, "helm");
  }

  get access(): ClusterAccess {
    return accessFromKubeconfig(this.#cluster.kubeconfig, { clock: systemClock, env: {} });
  }

  makeHelm(choice: HelmChoice = {}): Helm {
    const { executable = this.executable, defaultTimeout, historyMaxRevisions, ...options } = choice;
    const { access, client, root: unpackDirectory } = this;
    const { helmClient } = settings.parse({
      helmClient: { executable, unpackDirectory, defaultTimeout, historyMaxRevisions },
    });
    return createHelm({
      ...{ settings: helmClient, access, client, clock: systemClock, env: process.env },
      ...options,
    });
  }

  /** The commands so far, such as `upgrade`, but not the question for the version. */
  async verbs(): Promise<readonly string[]> {
    return (await this.commandLines())
      .map((line) => line.split(" ")[1] ?? "")
      .filter((verb) => verb !== "version");
  }

  /** The number of files where each command ran, and its words. */
  async commandLines(): Promise<readonly string[]> {
    const text = await readFile(join(this.#folder, "commands"), "utf8").catch(() => "");
    return text.split("\n").filter((line) => line !== "");
  }

  key(name: string): ReleaseKey {
    return { namespace: this.namespace, name };
  }

  /** A copy of the probe chart that the test may change. */
  async copyChart(version = "0.1.0"): Promise<string> {
    const folder = await mkdtemp(join(this.#folder, "chart-"));
    await cp(probeFolder, folder, { recursive: true });
    const file = join(folder, "Chart.yaml");
    await writeFile(file, (await readFile(file, "utf8")).replace("version: 0.1.0", `version: ${version}`));
    return folder;
  }

  greeting(release: string): Promise<ConfigMap["data"]> {
    return this.find(release).then((found) => found?.data);
  }

  find(release: string): ReturnType<typeof find<ConfigMap>> {
    return find(this.client, ConfigMap, this.key(`${release}-greeting`));
  }

  /** The status of each revision, as Helm labels them. */
  async statuses(release: string): Promise<readonly (string | undefined)[]> {
    const labelSelector = `owner=helm,name=${release}`;
    const { items } = await this.client.list(Secret, { namespace: this.namespace, labelSelector });
    const byVersion = items.toSorted(
      (a, b) => Number(a.metadata.labels?.version) - Number(b.metadata.labels?.version),
    );
    return byVersion.map(({ metadata }) => metadata.labels?.status);
  }

  /** Helm as a person runs it. */
  async run(...args: readonly string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(this.#binary.path, this.#own(args), { env: this.#env });
    return stdout;
  }

  /**
   * Kills Helm, as a machine that fails does, once the newest revision of the release has the status and the ConfigMap of the
   * release says the greeting.
   */
  async killDuring(
    release: string,
    status: string,
    args: readonly string[],
    greeting?: string,
  ): Promise<void> {
    const child = spawn(this.#binary.path, this.#own(args), { env: this.#env, stdio: "ignore" });
    const exited = once(child, "exit");
    await expect.poll(async () => (await this.statuses(release)).at(-1)).toBe(status);
    if (greeting !== undefined) await expect.poll(() => this.greeting(release)).toMatchObject({ greeting });
    child.kill("SIGKILL");
    await exited;
  }

  #own(args: readonly string[]): string[] {
    return [...args, `--namespace=${this.namespace}`, `--kubeconfig=${this.#cluster.kubeconfigPath}`];
  }

  get #env(): NodeJS.ProcessEnv {
    const home = join(this.#folder, "person");
    return { HOME: home, HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home };
  }
}

/** A chart repository on 127.0.0.1 that serves the files of a folder. */
export async function serveRepository(
  folder: string,
  credentials?: { readonly username: string; readonly password: string },
): Promise<{ readonly url: string; readonly requests: readonly string[] }> {
  const requests: string[] = [];
  const expected =
    credentials &&
    `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString("base64")}`;
  const server = createServer((request, response) => {
    const path = request.url ?? "/";
    requests.push(path);
    if (expected !== undefined && request.headers.authorization !== expected) {
      response.writeHead(401).end();
      return;
    }
    readFile(join(folder, path)).then(
      (content) => response.end(content),
      () => response.writeHead(404).end(),
    );
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    await promisify(server.close.bind(server))();
  });
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return { url: `http://127.0.0.1:${port}`, requests };
}
