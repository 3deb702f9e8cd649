import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const biome = createRequire(import.meta.url).resolve("@biomejs/biome/bin/biome");

/** Lays source text out as `npm run format` would if it were the file of this path, named from the root. */
export async function layOut(file: string, source: string): Promise<string> {
  const args = [biome, "check", "--write", `--stdin-file-path=${file}`];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ["pipe", "pipe", "pipe"] });
  child.stdin.end(source);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  if (code !== 0) throw new Error(`lay out ${file}: biome ended with ${code}; its output: ${stderr.trim()}`);
  return stdout;
}
