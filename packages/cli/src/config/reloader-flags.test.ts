import { readFile } from "node:fs/promises";
import { reloader } from "@keelson/reloader";
import { z } from "keelson";
import { formatLabelSelector } from "keelson/low-level";
import { describe, expect, it } from "vitest";
import { operatorTable, replacedTable } from "../../test/support/operator-tables.ts";
import { helpText } from "./help-text.ts";
import type { Environment } from "./read-environment.ts";
import { readSources, type Sources } from "./read-sources.ts";
import { ConfigurationError, resolveConfig } from "./resolve-config.ts";
import { type RunConfig, runSettings } from "./run-config.ts";

const sourcesOf = (args: readonly string[], env: Environment = {}): Promise<Sources> =>
  readSources({
    ...{ args: ["reloader", ...args], env, own: runSettings },
    load: async (names) => (names.length === 0 ? [] : [{ operator: reloader, origin: "reloader" }]),
  });

interface Chosen {
  readonly config: RunConfig;
  readonly reloader: Readonly<Record<string, unknown>>;
  readonly warnings: readonly string[];
}

/** The configuration that a container with these arguments and this environment has. */
async function chosenBy(args: readonly string[], env: Environment = {}): Promise<Chosen> {
  const { readings, flags } = await sourcesOf(args, env);
  const { config, operatorSettings } = resolveConfig(readings, [reloader]);
  const settings = reloader.settings ?? z.object({});
  return { config, reloader: settings.parse(operatorSettings.get("reloader")), warnings: flags.warnings };
}

async function problemsOf(args: readonly string[], env: Environment = {}): Promise<readonly string[]> {
  try {
    await chosenBy(args, env);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
  return [];
}

/** The settings of the operator that differ from their defaults. */
async function reloaderBy(args: readonly string[], env: Environment = {}): Promise<object> {
  const [{ reloader: chosen }, { reloader: defaults }] = await Promise.all([
    chosenBy(args, env),
    chosenBy([]),
  ]);
  const differing = Object.entries(chosen).filter(([name, value]) => {
    return JSON.stringify(value) !== JSON.stringify(defaults[name]);
  });
  return Object.fromEntries(differing);
}

const annotationFlags = [
  ...["auto", "configmap-auto", "secret-auto", "secretproviderclass-auto"],
  ...["configmap", "secret", "secretproviderclass"],
  ...["configmap-exclude", "secret-exclude", "secretproviderclass-exclude"],
  ...["auto-search", "search-match", "ignore", "pause-deployment", "pause-deployment-time"],
].map((name) => `--${name}-annotation`);

const camelCase = (flag: string): string =>
  flag.replace("--", "").replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());

describe("the flags of stakater/Reloader", () => {
  it.each([
    ["--auto-reload-all=true", { autoReloadAll: true }],
    ["--auto-reload-all", { autoReloadAll: true }],
    ["--reload-strategy=annotations", { reloadStrategy: "annotations" }],
    ["--reload-strategy=env-vars", {}],
    ["--rollout-strategy=restart", { rolloutStrategy: "restart" }],
    ["--reload-on-create=true", { reloadOnCreate: true }],
    ["--reload-on-create true", { reloadOnCreate: true }],
    ["--reload-on-create=1", { reloadOnCreate: true }],
    ["--reload-on-create false", {}],
    ["--reload-on-delete=true", { reloadOnDelete: true }],
    ["--is-Argo-Rollouts=true", {}],
    ["--is-Argo-Rollouts=false", { argoRollouts: false }],
    ["--is-Argo-Rollouts false", { argoRollouts: false }],
    ["--enable-csi-integration=true", {}],
    ["--enable-csi-integration=false", { csi: false }],
    ["--is-openshift=", {}],
    ["--is-openshift=auto", {}],
    ["--is-openshift=false", { openshift: false }],
    ["--namespaces-to-ignore=kube-system,argocd", { namespacesToIgnore: ["kube-system", "argocd"] }],
    ["--resources-to-ignore=configMaps", { resourcesToIgnore: ["ConfigMap"] }],
    ["--resources-to-ignore=secrets", { resourcesToIgnore: ["Secret"] }],
    ["--ignored-workload-types=jobs,cronjobs", { ignoredWorkloadTypes: ["Job", "CronJob"] }],
    ["--webhook-url http://hooks.shop/reload", { webhookUrl: "http://hooks.shop/reload" }],
    ["--webhook-url=", {}],
    [
      "--alert-on-reload --alert-webhook-url=https://h/x --alert-sink=slack --alert-proxy=http://p:1 --alert-structured",
      {
        ...{ alertOnReload: true, alertWebhookUrl: "https://h/x", alertSink: "slack" },
        ...{ alertWebhookProxy: "http://p:1", alertStructured: true },
      },
    ],
    ["--alert-additional-info=prod", { alertAdditionalInfo: "prod" }],
  ])("%s", async (args, expected) => {
    expect(await reloaderBy(args.split(" "))).toEqual(expected);
  });

  it.each([
    [['--namespace-selector="tier in (web,api)"'], "tier in (api,web)"],
    [["--namespace-selector=team:shop,zone=*"], "team=shop,zone"],
    [["--namespace-selector=team:*", "--namespace-selector=tier=web"], "team,tier=web"],
  ])("%j select, also by legacy forms and in the quotes of the chart", async (args, text) => {
    const resources = args.map((arg) => arg.replace("namespace-selector", "resource-label-selector"));
    const { namespaceSelector } = (await chosenBy(args)).reloader;
    const { resourceLabelSelector } = (await chosenBy(resources)).reloader;
    expect(namespaceSelector).toEqual(resourceLabelSelector);
    expect(formatLabelSelector(z.looseObject({}).parse(namespaceSelector))).toBe(text);
  });

  it.each(annotationFlags)("%s renames an annotation", async (flag) => {
    expect(await reloaderBy([flag, "acme.dev/x"])).toEqual({ [camelCase(flag)]: "acme.dev/x" });
  });

  it.each<readonly [string, object]>([
    ["--namespaces=shop,web", { namespace: ["shop", "web"] }],
    ["--namespaces=shop --namespaces=web", { namespace: ["shop", "web"] }],
    ["--enable-ha=true", { leaderElect: true }],
    ["--enable-ha", { leaderElect: true }],
    ["--leader-elect=T", { leaderElect: true }],
    [
      "--leader-election-id=reloader-leader-election --leader-election-namespace=ops",
      { leaseName: "reloader-leader-election", leaseNamespace: "ops" },
    ],
    [
      "--leader-election-lease-duration=30s --leader-election-renew-deadline=20s --leader-election-retry-period=5s",
      { leaseDuration: 30_000, renewDeadline: 20_000, retryPeriod: 5000 },
    ],
    ["", { metricsPort: 9090, healthPort: 9090, metricsDetails: true }],
    ["--metrics-addr=:9191 --health-addr=0.0.0.0:8080", { metricsPort: 9191, healthPort: 8080 }],
    ["--metrics-bind-address=0 --health-probe-bind-address=:8081", { metricsPort: -1, healthPort: 8081 }],
    ["--metrics-secure=true --metrics-cert-path=/tls", { metricsAuth: true, metricsCertDir: "/tls" }],
    ["--webhook-cert-path=/tls", { webhookCertDir: "/tls" }],
    ["--enable-pprof", { debug: true }],
    ["--log-format=json --log-level=info", { logFormat: "json", logLevel: "info" }],
    ["--log-format=", { logFormat: "auto" }],
    ["--zap-encoder=console --zap-log-level=2", { logFormat: "pretty", logLevel: "debug" }],
    ...["trace", "debug"].map((level) => [`--log-level=${level}`, { logLevel: "debug" }] as const),
    ...["warn", "warning", "WARNING"].map((level) => [`--log-level=${level}`, { logLevel: "warn" }] as const),
    ...["error", "fatal", "panic"].map((level) => [`--log-level=${level}`, { logLevel: "error" }] as const),
  ])("%s configures the run", async (args, expected) => {
    const { config } = await chosenBy(args.split(" ").filter((arg) => arg !== ""));
    expect(config).toMatchObject(expected);
  });

  it("that have no effect are accepted, and reported", async () => {
    const { warnings } = await chosenBy([
      ...["--sync-after-restart=true", "--pprof-addr", ":6060", "--leader-election-release-on-cancel"],
      ...["--metrics-cert-name=a", "--metrics-cert-key=b", "--webhook-cert-name=a", "--webhook-cert-key=b"],
      ...["--enable-http2", "--zap-devel", "--zap-stacktrace-level=error", "--zap-time-encoding=iso8601"],
    ]);
    expect(warnings).toHaveLength(11);
    expect(warnings[0]).toBe(
      "--sync-after-restart has no effect: changes that were made while the operator did not run are always found",
    );
  });

  it("are all in the help of the operator", async () => {
    const { settings } = await sourcesOf([]);
    const help = helpText(settings, [reloader]);
    const { aliases = [], ignored = [] } = reloader.replaces ?? {};
    for (const { flag, variable } of [
      ...aliases,
      ...ignored.map((each) => ({ ...each, variable: undefined })),
    ])
      for (const name of [flag, variable]) if (name !== undefined) expect(help).toContain(name);
    expect(Math.max(...help.split("\n").map((line) => line.length))).toBeLessThanOrEqual(120);
  });
});

describe("the environment of stakater/Reloader", () => {
  it.each<[Environment, object]>([
    [{ METRICS_COUNT_BY_NAMESPACE: "enabled" }, { metricsByNamespace: true }],
    [{ METRICS_COUNT_BY_NAMESPACE: "no" }, {}],
    [
      {
        ...{ ALERT_ON_RELOAD: "true", ALERT_SINK: "teams", ALERT_WEBHOOK_URL: "https://h/x" },
        ...{ ALERT_WEBHOOK_PROXY: "http://p:1", ALERT_ADDITIONAL_INFO: "prod" },
      },
      {
        ...{ alertOnReload: true, alertSink: "teams", alertWebhookUrl: "https://h/x" },
        ...{ alertWebhookProxy: "http://p:1", alertAdditionalInfo: "prod" },
      },
    ],
    [
      { AUTO_RELOAD_ALL: "true", RELOAD_STRATEGY: "annotations" },
      { autoReloadAll: true, reloadStrategy: "annotations" },
    ],
    [
      { NAMESPACES_TO_IGNORE: "a,b", IS_ARGO_ROLLOUTS: "false" },
      { namespacesToIgnore: ["a", "b"], argoRollouts: false },
    ],
    // Upstream describes itself in a ConfigMap with these, and refuses --enable-ha without a pod's name.
    [{ RELOADER_NAMESPACE: "ops", RELOADER_DEPLOYMENT_NAME: "reloader", POD_NAME: "reloader-1" }, {}],
  ])("%j", async (env, expected) => {
    expect(await reloaderBy([], env)).toEqual(expected);
  });

  it("limits the run to a namespace, unless --namespaces does", async () => {
    const env = { KUBERNETES_NAMESPACE: "one" };
    expect((await chosenBy([], env)).config.namespace).toEqual(["one"]);
    expect((await chosenBy(["--namespaces=two,three"], env)).config.namespace).toEqual(["two", "three"]);
    expect((await chosenBy([], { ...env, NAMESPACES: "two" })).config.namespace).toEqual(["two"]);
    expect((await chosenBy(["--namespaces="], env)).config.namespace).toEqual(["one"]);
    expect((await chosenBy([])).config.namespace).toBeUndefined();
  });

  it("names the namespace of the Lease", async () => {
    const env = { POD_NAME: "reloader-1", POD_NAMESPACE: "ops" };
    expect((await chosenBy(["--enable-ha"], env)).config).toMatchObject({
      leaderElect: true,
      leaseNamespace: "ops",
    });
  });
});

describe("the README of the operator", () => {
  it("lists all settings and all names of upstream", async () => {
    const readme = await readFile(
      new URL("../../../../operators/reloader/README.md", import.meta.url),
      "utf8",
    );
    const { settings } = await sourcesOf([]);
    if (reloader.replaces === undefined) throw new Error("the operator replaces stakater/Reloader");
    expect(readme).toContain(operatorTable(settings.filter(({ path }) => path.length > 1)));
    expect(readme).toContain(replacedTable(settings, reloader.replaces));
  });
});

describe("wrong values", () => {
  it.each([
    [["--reload-strategy=restart"], "--reload-strategy: must be one of env-vars, annotations, not restart"],
    [["--is-Argo-Rollouts=maybe"], "--is-Argo-Rollouts: must be a boolean, not maybe"],
    [["--namespace-selector=a in (b"], "--namespace-selector: is refused: parse label selector"],
    [
      ["--resources-to-ignore=pods"],
      "--resources-to-ignore: is refused: write configmaps or secrets, not pods",
    ],
    [["--coalesce-window=5"], "--coalesce-window: is refused: write a time with its unit, such as 500ms"],
    [["--metrics-addr=10.0.0.1:9090"], "--metrics-addr: must be a port from 1 to 65535"],
    [["--log-level=loud"], "--log-level: must be one of debug, info, warn, error, not loud"],
    [["--namespaces=A_b"], "--namespaces: must be names of namespaces, not A_b"],
    [["--namespaces=,"], "--namespaces: must be names of namespaces, not ,"],
    [["--alert-webhook-url=hooks/x"], "--alert-webhook-url: must be a URL (also"],
    [["--webhook-url=ftp://h/x"], "--webhook-url: must be a URL (also"],
    [["--alert-on-reload"], "--reloader.alert-webhook-url: must be set, by this flag"],
    [["--auto-annotation=a b"], "--auto-annotation: is refused: the name of an annotation must consist of"],
    [
      ["--is-argo-rollouts=true"],
      "--is-argo-rollouts: there is no such flag; did you mean --is-Argo-Rollouts?",
    ],
    [
      ["--namespaces=a", "--namespace=b"],
      "--namespace: is another name of --namespaces, which is given, too",
    ],
  ])("%j are refused with the name that was written", async (args, start) => {
    const [problem, ...rest] = await problemsOf(args);
    expect(problem).toContain(start);
    expect(rest).toEqual([]);
  });

  it("of URLs are never shown", async () => {
    const problems = await problemsOf([], { ALERT_WEBHOOK_URL: "secret-token" });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain("ALERT_WEBHOOK_URL");
    expect(problems.join()).not.toContain("secret-token");
  });
});
