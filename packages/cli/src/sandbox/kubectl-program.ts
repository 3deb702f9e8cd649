import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { binariesFolder } from "@keelson/controlplane";

/** The user's own kubectl, or the one that came with the real control plane; as a shell takes it. */
export async function kubectlProgram(): Promise<string> {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  for (const folder of folders) if (await isProgram(join(folder, "kubectl"))) return "kubectl";
  const cached = join(binariesFolder(), "kubectl");
  return (await isProgram(cached)) ? quoted(cached) : "kubectl";
}

/** For a shell, where a path may hold a space. */
export function quoted(path: string): string {
  return /^[\w./:@%+=,-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

async function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
