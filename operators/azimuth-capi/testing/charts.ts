import { execFile } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { GenericObject } from "keelson";
import { listenHttp, type ServiceResponse } from "keelson/client";
import { parseAllDocuments } from "yaml";
import { type ChartRequest, isGenericObject } from "./neighbours/addons/render.ts";

const chartFolder = (name: string): string => fileURLToPath(new URL(`./charts/${name}`, import.meta.url));

/** The charts that an operator is configured with, as folders. */
export const chartFolders = {
  cluster: chartFolder("openstack-cluster"),
  zenithApiServer: chartFolder("zenith-apiserver"),
  zenithOperator: chartFolder("zenith-operator"),
} as const;

/** The apps in the repository, with their versions. */
const apps: readonly { readonly name: string; readonly versions: readonly string[] }[] = [
  { name: "notebook", versions: ["0.1.0", "0.2.0", "1.0.0-rc.1", "1.0.0", "1.1.0"] },
  { name: "queue", versions: ["0.1.0", "0.2.0"] },
];

/** A repository of charts on loopback. */
export interface ChartRepository extends AsyncDisposable {
  readonly url: string;
}

/** Runs a command of Helm that needs no cluster, with a home in a folder of its own. */
export class LocalHelm {
  readonly #executable: string;
  readonly #folder: string;
  readonly #path: string | undefined;

  /** `path` is the variable PATH, for an executable without a folder. */
  constructor(executable: string, folder: string, path?: string) {
    this.#executable = executable;
    this.#folder = folder;
    this.#path = path;
  }

  async run(args: readonly string[], input = ""): Promise<string> {
    const home = join(this.#folder, "helm-home");
    const child = promisify(execFile)(this.#executable, [...args], {
      // Without a home it would write into the working folder.
      env: { PATH: this.#path, HOME: home },
      maxBuffer: 64 * 1024 * 1024,
    });
    // A program that fails may end before it has read its input.
    child.child.stdin?.on("error", () => undefined).end(input);
    return (await child).stdout;
  }

  /** The objects that a chart of a repository renders to. */
  async template(request: ChartRequest): Promise<readonly GenericObject[]> {
    const { repo, name, version, release, namespace, values } = request;
    const text = await this.run(
      ["template", release, name, "--repo", repo, "--version", version, "--namespace", namespace, "-f", "-"],
      JSON.stringify(values),
    );
    return [parseAllDocuments(text)].flat().flatMap((document) => {
      const object: unknown = document.toJS();
      return isGenericObject(object) ? [object] : [];
    });
  }
}

/** Packages the apps into a folder, and serves it. */
export async function startChartRepository(helm: LocalHelm, folder: string): Promise<ChartRepository> {
  const packages = join(folder, "chart-repository");
  await mkdir(packages, { recursive: true });
  for (const { name, versions } of apps)
    for (const version of versions)
      await helm.run(["package", chartFolder(`apps/${name}`), "--version", version, "-d", packages]);
  await helm.run(["repo", "index", packages]);
  const listener = await listenHttp({ host: "127.0.0.1", port: 0 }, ({ path }) => fileIn(packages, path));
  return {
    url: `http://127.0.0.1:${listener.port}`,
    [Symbol.asyncDispose]: () => listener.close(0),
  };
}

async function fileIn(folder: string, path: string): Promise<ServiceResponse> {
  const name = /^\/([\w.+-]+)$/.exec(path.replace(/\?.*$/, ""))?.[1];
  const content = name === undefined ? undefined : await readFile(join(folder, name)).catch(() => undefined);
  return content === undefined ? { status: 404, body: "not found" } : { status: 200, body: content };
}
