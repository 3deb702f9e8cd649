import type { Kubeconfig, KubeconfigCluster, KubeconfigContext, KubeconfigUser } from "@keelson/core";
import { KubeconfigError } from "./errors.ts";
import { Fields, FormatProblem } from "./fields.ts";

/**
 * Holds parsed YAML against the format. As in kubectl, unknown fields are passed over, null is the same as nothing,
 * a value of the wrong type is an error, and so is a name that a list has twice.
 */
export function readKubeconfigFormat(value: unknown, file: string): Kubeconfig {
  try {
    return readConfig(value ?? {});
  } catch (error) {
    if (!(error instanceof FormatProblem)) throw error;
    const advice = "mend the file; kubectl config view shows what it holds";
    throw new KubeconfigError({ file, problem: error.message, advice }, { cause: error });
  }
}

function readConfig(value: unknown): Kubeconfig {
  const config = Fields.of(value, "");
  const apiVersion = config.string("apiVersion") ?? "v1";
  const kind = config.string("kind") ?? "Config";
  if (apiVersion !== "v1" || kind !== "Config") {
    throw new FormatProblem(`it is a ${kind} of ${apiVersion}, not a Config of v1`);
  }
  return {
    apiVersion,
    kind,
    "current-context": config.string("current-context") ?? "",
    clusters: readNamed(config, "clusters", (name, entry) => ({
      name,
      cluster: readCluster(entry.child("cluster")),
    })),
    users: readNamed(config, "users", (name, entry) => ({ name, user: readUser(entry.child("user")) })),
    contexts: readNamed(config, "contexts", (name, entry) => ({
      name,
      context: readContext(entry.child("context")),
    })),
    ...readExtensions(config),
  };
}

function readCluster(cluster: Fields): KubeconfigCluster {
  return {
    server: cluster.string("server") ?? "",
    ...cluster.strings("tls-server-name", "certificate-authority", "certificate-authority-data", "proxy-url"),
    ...cluster.booleans("insecure-skip-tls-verify", "disable-compression"),
    ...readExtensions(cluster),
  };
}

function readUser(user: Fields): KubeconfigUser {
  const groups = user.stringList("as-groups");
  const extra = user.record("as-user-extra", (fields, key) => fields.stringList(key) ?? []);
  const provider = user.optionalChild("auth-provider");
  const exec = user.optionalChild("exec");
  return {
    ...user.strings("client-certificate", "client-certificate-data", "client-key", "client-key-data"),
    ...user.strings("token", "tokenFile", "username", "password", "as", "as-uid"),
    ...(groups !== undefined && { "as-groups": groups }),
    ...(extra !== undefined && { "as-user-extra": extra }),
    ...(provider !== undefined && { "auth-provider": readAuthProvider(provider) }),
    ...(exec !== undefined && { exec: readExec(exec) }),
    ...readExtensions(user),
  };
}

function readContext(context: Fields): KubeconfigContext {
  return {
    cluster: context.string("cluster") ?? "",
    user: context.string("user") ?? "",
    ...context.strings("namespace"),
    ...readExtensions(context),
  };
}

function readAuthProvider(provider: Fields): NonNullable<KubeconfigUser["auth-provider"]> {
  const config = provider.record("config", (fields, key) => fields.string(key) ?? "");
  return { name: provider.string("name") ?? "", ...(config !== undefined && { config }) };
}

function readExec(exec: Fields): NonNullable<KubeconfigUser["exec"]> {
  const args = exec.stringList("args");
  const env = exec.list("env", (entry) => ({
    name: entry.string("name") ?? "",
    value: entry.string("value") ?? "",
  }));
  return {
    command: exec.string("command") ?? "",
    ...(args !== undefined && { args }),
    ...(env !== undefined && { env }),
    ...exec.strings("apiVersion", "installHint", "interactiveMode"),
    ...exec.booleans("provideClusterInfo"),
  };
}

function readExtensions(fields: Fields): Pick<Kubeconfig, "extensions"> {
  const extensions = fields.list("extensions", (entry) => ({
    name: entry.string("name") ?? "",
    extension: entry.unknown("extension"),
  }));
  return extensions === undefined ? {} : { extensions };
}

function readNamed<Entry>(
  config: Fields,
  listName: string,
  read: (name: string, entry: Fields) => Entry,
): readonly Entry[] {
  const names = new Set<string>();
  const entries = config.list(listName, (entry) => {
    const name = entry.string("name") ?? "";
    if (names.has(name)) throw new FormatProblem(`${listName} has two entries of the name ${name}`);
    names.add(name);
    return read(name, entry);
  });
  return entries ?? [];
}
