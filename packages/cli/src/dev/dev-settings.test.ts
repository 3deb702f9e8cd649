import { describe, expect, it } from "vitest";
import { type DevFlags, devSettings } from "./dev-settings.ts";

const flags: DevFlags = { port: "0", nodes: "2", samples: true };

describe("the settings of keelson dev", () => {
  it("have defaults", () => {
    expect(devSettings(flags, "/here")).toEqual({
      cluster: {
        ...{ host: "127.0.0.1", port: 0, nodes: 2, controllers: true },
        ...{ data: undefined, fsync: false, repair: false, kubeconfig: undefined },
      },
      hasSamples: true,
      allowIncompatibleCrds: false,
      settleMs: undefined,
      logFile: undefined,
    });
  });

  it("limit how long the samples may take only if they are waited for", () => {
    expect(devSettings({ ...flags, exitWhenSettled: true }, "/").settleMs).toBe(120_000);
    expect(devSettings({ ...flags, exitWhenSettled: true, timeout: "1m30s" }, "/").settleMs).toBe(90_000);
    expect(() => devSettings({ ...flags, timeout: "1m" }, "/")).toThrow(
      'read --timeout "1m": it must be beside --exit-when-settled',
    );
    expect(() => devSettings({ ...flags, exitWhenSettled: true, timeout: "soon" }, "/")).toThrow(
      'read --timeout "soon": it must be a time with its unit, such as 500ms',
    );
  });

  it("take paths from the working folder, and the kubeconfig from the data: they are used in other folders", () => {
    const { logFile, cluster } = devSettings({ ...flags, logFile: "dev.log", data: "kept" }, "/here");
    expect([logFile, cluster.data]).toEqual(["/here/dev.log", "/here/kept"]);
    expect(cluster.kubeconfig).toBe("/here/kept/kubeconfig");
    const named = devSettings({ ...flags, data: "kept", kubeconfig: "../config" }, "/here/in");
    expect(named.cluster.kubeconfig).toBe("/here/config");
  });

  it("take no empty path, which a variable that is not set makes of a flag", () => {
    for (const [flag, given] of [
      ["--data", { data: "" }],
      ["--kubeconfig", { kubeconfig: "" }],
      ["--log-file", { logFile: "" }],
    ] as const)
      expect(() => devSettings({ ...flags, ...given }, "/")).toThrow(`read ${flag} "": it must be a path`);
  });

  it("take no flag about kept data without a folder for it", () => {
    for (const [flag, given] of [
      ["--fsync", { fsync: true }],
      ["--repair", { repair: true }],
    ] as const)
      expect(() => devSettings({ ...flags, ...given }, "/")).toThrow(`read ${flag}: there is no data folder`);
  });
});
