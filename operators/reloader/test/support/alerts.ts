import type { ReloadAlert } from "../../src/alerts/alert.ts";

/** A Deployment was reloaded for a Secret. */
export const reloadAlert: ReloadAlert = {
  outcome: "reloaded",
  workload: { kind: "Deployment", namespace: "shop", name: "web" },
  changes: [{ kind: "Secret", namespace: "shop", name: "db" }],
  strategy: "env-vars",
  time: "2026-01-01T00:00:00.000Z",
  configs: [],
};

/** It could not be reloaded for three resources. */
export const errorAlert: ReloadAlert = {
  ...reloadAlert,
  outcome: "failed",
  changes: [
    { kind: "ConfigMap", namespace: "base", name: "tls" },
    { kind: "ConfigMap", namespace: "shop", name: "flags" },
    { kind: "Secret", namespace: "shop", name: "db" },
  ],
  error: "the API server responded with 403",
  configs: [{ namespace: "shop", name: "web" }],
};

/** By the mode `notify` it is not reloaded. */
export const notifiedAlert: ReloadAlert = { ...reloadAlert, outcome: "notified" };
