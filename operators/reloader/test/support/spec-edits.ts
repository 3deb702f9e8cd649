import type { SpecEdits } from "@keelson/testkit";
import { Deployment } from "keelson/kinds/apps/v1";
import { ReloadRecord } from "../../src/api/reload-record.ts";
import { ReloaderConfig } from "../../src/api/reloader-config.ts";
import type { ReloaderConfigSpecInput } from "../../src/api/spec.ts";

const target = { kind: "Deployment", name: "web" } as const;
const watchedResources = { secrets: ["db"] };
const window = { schedule: "0 3 * * 6", duration: "2h" };
const url = "https://hooks.example.com/a";
const secretRef = { name: "hook", key: "other", namespace: "default" };
const ofTarget = (fields: object) => ({ targets: [{ ...target, ...fields }] });
const selector = {
  matchLabels: { tier: "web" },
  matchExpressions: [{ key: "a", operator: "In", values: ["b"] }],
} as const;

/** A plain ReloaderConfig. */
const plainSpec: ReloaderConfigSpecInput = { watchedResources, targets: [target] };

/** Edits of it, which together change every field. */
const edits: Readonly<Record<string, object>> = {
  secrets: { watchedResources: { secrets: ["api"] } },
  configMaps: { watchedResources: { configMaps: ["app"] } },
  secretProviderClasses: { watchedResources: { secretProviderClasses: ["vault"] } },
  namespaceSelector: { watchedResources: { ...watchedResources, namespaceSelector: selector } },
  resourceSelector: { watchedResources: { ...watchedResources, resourceSelector: selector } },
  enableTargetedReload: {
    watchedResources: { ...watchedResources, enableTargetedReload: true },
    ...ofTarget({ requireReference: true }),
  },
  "no targets": { targets: [] },
  "the kind of a target": ofTarget({ kind: "StatefulSet" }),
  "the name of a target": ofTarget({ name: "api" }),
  "the namespace of a target": ofTarget({ namespace: "default" }),
  "the strategies of a target": ofTarget({ reloadStrategy: "annotations", rolloutStrategy: "restart" }),
  "the pause of a target": ofTarget({ pausePeriod: "5m" }),
  reloadStrategy: { reloadStrategy: "annotations" },
  rolloutStrategy: { rolloutStrategy: "restart" },
  autoReloadAll: { autoReloadAll: true },
  reloadOnCreate: { reloadOnCreate: true },
  reloadOnDelete: { reloadOnDelete: true },
  "a resource that is ignored": { ignoreResources: [{ kind: "Secret", name: "db" }] },
  "another that is ignored": { ignoreResources: [{ kind: "ConfigMap", name: "app", namespace: "default" }] },
  matchLabels: { matchLabels: { tier: "web" } },
  windows: { windows: [window] },
  "two windows": { windows: [window, { schedule: "@daily", duration: "1h", timeZone: "Europe/Berlin" }] },
  mode: { mode: "notify" },
  "alerts by URL": {
    alerts: {
      slack: { url },
      teams: { url, format: "AdaptiveCard" },
      googleChat: { url },
      customWebhook: { url, format: "Template", template: '{"text": "{{text}}"}' },
    },
  },
  "alerts by Secret": {
    alerts: {
      slack: { secretRef },
      teams: { secretRef },
      googleChat: { secretRef },
      customWebhook: { secretRef, format: "JSON" },
    },
  },
};

/** The specs that a ReloaderConfig is taken through. */
const editedSpecs: Readonly<Record<string, ReloaderConfigSpecInput>> = {
  "a plain ReloaderConfig": plainSpec,
  ...Object.fromEntries(Object.entries(edits).map(([title, edit]) => [title, { ...plainSpec, ...edit }])),
};

export const specEdits: Readonly<Record<string, SpecEdits>> = {
  "a ReloaderConfig": { resource: ReloaderConfig, specs: editedSpecs, owned: [Deployment, ReloadRecord] },
};
