// Writes the built-in kinds of the pinned Kubernetes, and the facts of them that the sandbox serves:
// `generate.ts [--out FOLDER] [--without-messages]`. Without a folder it replaces those in the packages; with one it
// writes to the same paths below it. The messages of Protocol Buffers are read from Go modules, all else from a running
// server, so that a machine without Go can make all else.
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ProgressLine, startControlPlane } from "@keelson/controlplane";
import { kindModules, passingOn } from "./kind-modules.ts";
import { layOut } from "./lay-out.ts";
import { messageTableModule } from "./messages/message-table.ts";
import { readMessages } from "./messages/read-messages.ts";
import { factModules } from "./sandbox-facts.ts";
import { type DiscoveredApi, readServerApi } from "./server-api.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Where the kinds are, and where the one package that operator authors install passes them on. */
const kindsFolder = "packages/core/src/kinds";
const passedOnFolder = "packages/runtime/src/kinds";
/** Where the embedded control plane has the facts of the same kinds. */
const factsFolder = "packages/sandbox/src/builtin/generated";
/** Where it has their messages, in which typed clients of Go send them. */
const messagesFolder = "packages/sandbox/src/server/body/protobuf/generated";

async function readPinnedServer(): Promise<DiscoveredApi> {
  const progress = new ProgressLine(process.stderr);
  const starting = startControlPlane({ onProgress: progress.report }).finally(() => progress.end());
  await using controlPlane = await starting;
  return await readServerApi((path) => controlPlane.kubectl(["get", "--raw", path]));
}

async function generate(out: string, withMessages: boolean): Promise<void> {
  const api = await readPinnedServer();
  // Before anything is written, so that where Go is missing nothing is replaced.
  const messages = withMessages ? await readMessages(api.kubernetes) : [];
  const kinds = kindModules(api);
  await writeModules(out, kindsFolder, kinds);
  await writeModules(out, passedOnFolder, passingOn(kinds));
  await writeModules(out, factsFolder, factModules(api));
  if (withMessages) {
    const table = messageTableModule(api.kubernetes, messages);
    await writeModules(out, messagesFolder, new Map([["message-table.ts", table]]));
  }
  console.log(`kinds: ${kinds.size} modules from Kubernetes ${api.kubernetes}`);
}

async function writeModules(
  out: string,
  folder: string,
  modules: ReadonlyMap<string, string>,
): Promise<void> {
  const laidOut = [...modules].map(async ([path, source]) => ({
    path,
    text: await layOut(`${folder}/${path}`, source),
  }));
  const files = await Promise.all(laidOut);
  // Removes modules of groups that no longer exist; only when all is made.
  await rm(join(out, folder), { recursive: true, force: true });
  for (const { path, text } of files) {
    const file = join(out, folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

const { values } = parseArgs({
  options: { out: { type: "string" }, "without-messages": { type: "boolean", default: false } },
});
await generate(values.out ?? root, !values["without-messages"]);
