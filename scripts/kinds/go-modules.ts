import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Where the sources of Go modules are, by their path. */
export type ModuleFolders = ReadonlyMap<string, string>;

interface DownloadedModule {
  readonly Path: string;
  readonly Dir?: string;
  readonly Error?: string;
}

/**
 * Gets from Go the sources of modules at one version: from its cache, where a control plane that was built on this machine
 * left them, else from its proxy.
 */
export async function goModuleFolders(paths: readonly string[], version: string): Promise<ModuleFolders> {
  const what = `find the Go modules ${paths.join(", ")} at ${version}`;
  const args = ["mod", "download", "-json", ...paths.map((path) => `${path}@${version}`)];
  const { stdout } = await promisify(execFile)("go", args).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") {
      throw new Error(
        `${what}: there is no Go on the path; install it, messages are read from sources in Go`,
      );
    }
    throw new Error(`${what}: \`go ${args.slice(0, 3).join(" ")}\` failed`, { cause: error });
  });
  const folders = new Map<string, string>();
  for (const { Path: path, Dir: folder, Error: problem } of modulesIn(stdout)) {
    if (folder === undefined) throw new Error(`${what}: ${problem ?? `Go has no folder for ${path}`}`);
    folders.set(path, folder);
  }
  return folders;
}

/** Go prints one JSON object after the other, with nothing between them but a line break. */
function modulesIn(text: string): readonly DownloadedModule[] {
  return JSON.parse(`[${text.trim().replaceAll(/^\}\n\{$/gm, "},{")}]`);
}
