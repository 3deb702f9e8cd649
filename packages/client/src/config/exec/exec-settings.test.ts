import { describe, expect, it } from "vitest";
import { readExecSettings } from "./exec-settings.ts";

const v1 = "client.authentication.k8s.io/v1";
const v1beta1 = "client.authentication.k8s.io/v1beta1";

describe("the settings of an exec plugin", () => {
  it("have defaults", () => {
    expect(readExecSettings({ command: "plugin", apiVersion: v1beta1 })).toEqual({
      command: "plugin",
      args: [],
      env: {},
      apiVersion: v1beta1,
      installHint: undefined,
      providesClusterInfo: false,
      interactiveMode: "IfAvailable",
    });
  });

  it.each([
    [{ command: "", apiVersion: v1 }, "has no command"],
    [{ command: "p" }, "has no apiVersion"],
    [
      { command: "p", apiVersion: "client.authentication.k8s.io/v1alpha1" },
      "has apiVersion client.authentication.k8s.io/v1alpha1",
    ],
    [{ command: "p", apiVersion: v1 }, "has no interactiveMode"],
    [{ command: "p", apiVersion: v1, interactiveMode: "Maybe" }, "has interactiveMode Maybe"],
    [{ command: "p", apiVersion: v1, env: [{ name: "", value: "x" }] }, "has an env entry without a name"],
  ])("are refused in %j", (exec, problem) => {
    expect(() => readExecSettings(exec)).toThrow(problem);
  });

  it("cannot steer a terminal with their hint", () => {
    const installHint = "run\n\u001b[31mbrew install plugin";
    const { installHint: shown } = readExecSettings({ command: "p", apiVersion: v1beta1, installHint });
    expect(shown).toBe("run\nU+001B[31mbrew install plugin");
  });
});
