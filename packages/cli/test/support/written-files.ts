import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A folder for a test, which is deleted with everything in it. */
export interface WrittenFiles extends AsyncDisposable {
  /** The path of what is called so in the folder. */
  readonly path: (name: string) => string;
}

/** Writes files, by their paths in a new folder. */
export async function writtenFiles(files: Readonly<Record<string, string>>): Promise<WrittenFiles> {
  const folder = await mkdtemp(join(tmpdir(), "keelson-files-"));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return {
    path: (name) => join(folder, name),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
