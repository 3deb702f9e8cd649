import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { goModuleFolders } from "../go-modules.ts";
import { jsonNamesIn } from "./json-names.ts";
import type { MessageSource } from "./message-table.ts";
import { parseProtoFile } from "./proto-file.ts";

/** Where each module has the stable versions of its groups. */
const versionFolders: Readonly<Record<string, string>> = {
  "k8s.io/api": "*/v*",
  "k8s.io/apimachinery": "pkg/apis/meta/v1",
  "k8s.io/apiextensions-apiserver": "pkg/apis/apiextensions/v1",
  "k8s.io/kube-aggregator": "pkg/apis/apiregistration/v1",
};

/** The messages of the built-in kinds of a Kubernetes, such as `v1.36.2`, from the Go modules that define them. */
export async function readMessages(kubernetes: string): Promise<readonly MessageSource[]> {
  // Its libraries have the same version but for the first number.
  const version = kubernetes.replace(/^v1\./, "v0.");
  const modules = await goModuleFolders(Object.keys(versionFolders), version);
  const files = [...modules].flatMap(([path, folder]) =>
    globSync(`${versionFolders[path]}/generated.proto`, { cwd: folder })
      .filter((file) => /\/v\d+\/generated\.proto$/.test(file))
      .map((file) => join(folder, file)),
  );
  return await Promise.all(files.map(readSource));
}

async function readSource(protoFile: string): Promise<MessageSource> {
  const folder = dirname(protoFile);
  const goFiles = globSync("types*.go", { cwd: folder }).map((file) => readFile(join(folder, file), "utf8"));
  const [proto, ...sources] = await Promise.all([readFile(protoFile, "utf8"), ...goFiles]);
  return { file: parseProtoFile(proto), names: jsonNamesIn(sources.join("\n")) };
}
