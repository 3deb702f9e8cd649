import type { KubeconfigUser } from "@keelson/core";
import { SettingProblem } from "../errors.ts";

type InteractiveMode = "Never" | "IfAvailable" | "Always";

/** The `exec` part of a kubeconfig user, checked. */
export interface ExecSettings {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly apiVersion: string;
  readonly installHint: string | undefined;
  readonly providesClusterInfo: boolean;
  readonly interactiveMode: InteractiveMode;
}

const group = "client.authentication.k8s.io";
const versions: readonly string[] = [`${group}/v1`, `${group}/v1beta1`];

/** Checks what kubectl checks. */
export function readExecSettings(exec: NonNullable<KubeconfigUser["exec"]>): ExecSettings {
  const { command, args = [], env = [], apiVersion = "", installHint, provideClusterInfo = false } = exec;
  if (command === "") throw new SettingProblem("its exec plugin has no command", "name the program to run");
  if (!versions.includes(apiVersion)) {
    const problem =
      apiVersion === ""
        ? "its exec plugin has no apiVersion"
        : `its exec plugin has apiVersion ${apiVersion}`;
    throw new SettingProblem(
      problem,
      `use ${versions.join(" or ")}; a newer release of the plugin may be needed`,
    );
  }
  if (env.some(({ name }) => name === "")) {
    throw new SettingProblem("its exec plugin has an env entry without a name", "name the variable");
  }
  return {
    command,
    args,
    env: Object.fromEntries(env.map(({ name, value }) => [name, value])),
    apiVersion,
    installHint: installHint === undefined ? undefined : showControlCharacters(installHint),
    providesClusterInfo: provideClusterInfo,
    interactiveMode: readInteractiveMode(exec.interactiveMode, apiVersion),
  };
}

function readInteractiveMode(mode: string | undefined, apiVersion: string): InteractiveMode {
  switch (mode) {
    case "Never":
    case "IfAvailable":
    case "Always":
      return mode;
    case undefined:
      if (apiVersion === `${group}/v1beta1`) return "IfAvailable";
      throw new SettingProblem(
        "its exec plugin has no interactiveMode",
        "set it to Never, IfAvailable or Always",
      );
    default:
      throw new SettingProblem(
        `its exec plugin has interactiveMode ${mode}`,
        "set it to Never, IfAvailable or Always",
      );
  }
}

/** A kubeconfig may come from a stranger; what it says must not steer the reader's terminal. */
function showControlCharacters(text: string): string {
  return text.replace(/(?![\t\n\v\f\r])\p{C}/gu, (char) => {
    return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
  });
}
