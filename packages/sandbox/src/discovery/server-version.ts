import { kubernetesVersion } from "../builtin/generated/discovery.ts";

/** What `/version` says: the Kubernetes whose behaviour this is, marked as another build of it. */
export function serverVersion(): object {
  const [, major = "", minor = ""] = /^v(\d+)\.(\d+)/.exec(kubernetesVersion) ?? [];
  return {
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Number(minor) - 1),
    gitVersion: `${kubernetesVersion}+keelson`,
    gitCommit: "",
    gitTreeState: "",
    buildDate: "1970-01-01T00:00:00Z",
    goVersion: "",
    compiler: "",
    platform: "",
  };
}
