import { formatLabelSelector } from "keelson/low-level";
import { describe, expect, it } from "vitest";
import { annotationKeys } from "./api/annotation-keys.ts";
import { annotationKeysOf, type ReloaderSettings, settings, windowsOf } from "./settings.ts";

const chosen = (given: object = {}): ReloaderSettings => settings.parse(given);

/** What is wrong, with the setting that it is said of. */
const problems = (given: object): readonly string[] =>
  settings.safeParse(given).error?.issues.map(({ path, message }) => `${String(path[0])}: ${message}`) ?? [];

describe("the settings", () => {
  it("have defaults of their own where upstream's lose changes or need a switch, and upstream's otherwise", () => {
    expect(chosen()).toEqual({
      ...{ autoReloadAll: false, reloadStrategy: "env-vars", rolloutStrategy: "rollout", mode: "reload" },
      ...{ reloadOnCreate: false, reloadOnDelete: false },
      ...{ argoRollouts: true, csi: true, openshift: true },
      ...{ namespacesToIgnore: [], resourcesToIgnore: [], ignoredWorkloadTypes: [] },
      ...{ coalesceWindow: 1000, defaultPausePeriod: 0 },
      ...{ maxReloadsPerMinute: 0, maxReloadsPerMinutePerNamespace: 0 },
      ...{ circuitBreakerReloads: 30, circuitBreakerWindow: 600_000 },
      ...{ windowDuration: 3_600_000, windowTimeZone: "Etc/UTC" },
      ...{ alertSink: "webhook", alertStructured: false, alertTimeout: 10_000, alertAttempts: 5 },
      ...{
        allowPrivateAlertAddresses: false,
        allowHttpAlerts: false,
        metricsByNamespace: false,
        recordHashOnResources: false,
      },
      annotationPrefix: "reloader.stakater.com",
    });
  });

  it.each(["1", "t", "T", "TRUE", "true", "True", true])("read %j as on, as Go does", (reloadOnCreate) => {
    expect(chosen({ reloadOnCreate }).reloadOnCreate).toBe(true);
  });

  it.each(["0", "f", "F", "FALSE", "false", "False", false])("read %j as off, as Go does", (argoRollouts) => {
    expect(chosen({ argoRollouts }).argoRollouts).toBe(false);
  });

  it.each(["yes", "on", "", "tRUE", 2, null])("refuse %j for on or off", (autoReloadAll) => {
    expect(problems({ autoReloadAll })).toHaveLength(1);
  });

  it.each([
    ["500ms", 500],
    ["1h30m", 5_400_000],
    ["1.5s", 1500],
    ["0", 0],
    [0, 0],
  ])("read the time %j", (coalesceWindow, ms) => {
    expect(chosen({ coalesceWindow }).coalesceWindow).toBe(ms);
  });

  it.each(["5", "-1s", "1 s", "", "1d"])("refuse the time %j and show how to write one", (coalesceWindow) => {
    expect(problems({ coalesceWindow })).toEqual([
      "coalesceWindow: write a time with its unit, such as 500ms, 30s, 5m or 1h30m",
    ]);
  });
});

describe("lists", () => {
  it.each([
    ["a flag with commas", ["kube-system,argocd"]],
    ["several flags", ["kube-system", "argocd"]],
    ["quotes that the chart passes", ['"kube-system","argocd"']],
    ["blanks", [" kube-system , argocd ,"]],
    ["repetitions", ["kube-system,argocd", "argocd"]],
  ])("are read from %s", (_, namespacesToIgnore) => {
    expect(chosen({ namespacesToIgnore }).namespacesToIgnore).toEqual(["kube-system", "argocd"]);
  });

  it("of kinds of workloads take every kind, in any case", () => {
    const ignoredWorkloadTypes = ["jobs,CronJobs", "deployment", "statefulsets,daemonsets"];
    expect(chosen({ ignoredWorkloadTypes }).ignoredWorkloadTypes).toEqual([
      ...["Job", "CronJob", "Deployment", "StatefulSet", "DaemonSet"],
    ]);
    expect(chosen({ ignoredWorkloadTypes: ["rollouts,deploymentconfigs"] }).ignoredWorkloadTypes).toEqual([
      ...["Rollout", "DeploymentConfig"],
    ]);
  });

  it("of kinds of resources take one, in any case", () => {
    expect(chosen({ resourcesToIgnore: ["configMaps"] }).resourcesToIgnore).toEqual(["ConfigMap"]);
    expect(chosen({ resourcesToIgnore: ["sEcrets"] }).resourcesToIgnore).toEqual(["Secret"]);
  });

  it.each([
    [
      { resourcesToIgnore: ["secrets,configmaps"] },
      "resourcesToIgnore: write configmaps or secrets, not both: nothing would be watched",
    ],
    [{ resourcesToIgnore: ["pods"] }, "resourcesToIgnore: write configmaps or secrets"],
    [
      { ignoredWorkloadTypes: ["pods"] },
      "ignoredWorkloadTypes: write some of deployments, statefulsets, daemonsets, rollouts, deploymentconfigs, cronjobs, jobs",
    ],
    [{ namespacesToIgnore: ["A_b"] }, "namespacesToIgnore: write names of namespaces"],
    [
      { namespacesToIgnore: ['"a'] },
      'namespacesToIgnore: close the quotes, and write "" for a quote within quotes',
    ],
  ])("of %j are refused", (given, problem) => {
    expect(problems(given)).toEqual([problem]);
  });
});

describe("selectors", () => {
  it.each([
    ["a plain one", ["team=shop"], "team=shop"],
    ["upstream's key:value", ["team:shop"], "team=shop"],
    ["upstream's key:*", ["team:*"], "team"],
    ["upstream's key=*", ["team=*"], "team"],
    ["several, which must all hold", ["team=shop,tier:web", "zone=*"], "team=shop,tier=web,zone"],
    ["a set in quotes, as the chart passes it", ['"tier in (web,api)"'], "tier in (api,web)"],
    ["a set without quotes", ["tier in (web,api)"], "tier in (api,web)"],
    ["a set split at its comma, as variables are", ["tier in (web", "api)"], "tier in (api,web)"],
    ["quotes split at a comma, as variables are", ['"tier in (web', 'api)"'], "tier in (api,web)"],
    ["keys with a domain", ["kubernetes.io/metadata.name=shop"], "kubernetes.io/metadata.name=shop"],
    ["two sets with a common value", ["a in (x,y),b in (x,y)"], "a in (x,y),b in (x,y)"],
    ["absence", ["!legacy"], "!legacy"],
    ["==", ["team==shop"], "team=shop"],
  ])("are read from %s", (_, namespaceSelector, text) => {
    const { namespaceSelector: query } = chosen({ namespaceSelector });
    expect(query === undefined ? undefined : formatLabelSelector(query)).toBe(text);
    expect(chosen({ resourceLabelSelector: namespaceSelector }).resourceLabelSelector).toEqual(query);
  });

  it("of nothing select everything", () => {
    expect(chosen({ namespaceSelector: [""] }).namespaceSelector).toBeUndefined();
  });

  it("are refused with the place of the problem and an example", () => {
    expect(problems({ resourceLabelSelector: ["team in (a"] })).toEqual([
      expect.stringMatching(
        /^resourceLabelSelector: parse label selector "team in \(a": at position \d+.*; write a label selector such as/,
      ),
    ]);
  });
});

describe("alerts and windows", () => {
  it("take upstream's names of sinks", () => {
    for (const alertSink of ["slack", "Teams", "teams-workflow", "gchat", "webhook"])
      expect(chosen({ alertSink }).alertSink).toBe(alertSink.toLowerCase());
    expect(chosen({ alertSink: "raw" }).alertSink).toBe("webhook");
    expect(problems({ alertSink: "pager" })).toHaveLength(1);
  });

  it("need a URL to be switched on, and URLs of HTTP", () => {
    expect(problems({ alertOnReload: true })).toEqual(["alertWebhookUrl: must be set for --alert-on-reload"]);
    expect(chosen({ alertOnReload: "true", alertWebhookUrl: "http://hook.shop/x" })).toMatchObject({
      ...{ alertOnReload: true, alertWebhookUrl: "http://hook.shop/x" },
    });
    for (const url of ["hooks", "ftp://host", ""])
      expect(problems({ alertWebhookUrl: url })).toEqual([
        "alertWebhookUrl: write a URL such as https://host/path",
      ]);
  });

  it("make one restart window of schedule, length and time zone", () => {
    expect(windowsOf(chosen())).toEqual([]);
    expect(windowsOf(chosen({ windowSchedule: "0 2 * * *", windowTimeZone: "Europe/Berlin" }))).toEqual([
      { schedule: "0 2 * * *", duration: "3600000ms", timeZone: "Europe/Berlin" },
    ]);
    for (const windowSchedule of ["at night", "@every 6h", "0 0 30 2 *"])
      expect(problems({ windowSchedule })).toEqual([
        "windowSchedule: write a schedule of cron that names times, such as 0 2 * * *, or @daily",
      ]);
    expect(problems({ windowTimeZone: "Mars/Base" })).toEqual([
      "windowTimeZone: write a time zone such as Europe/Berlin",
    ]);
    expect(problems({ windowSchedule: "@daily", windowDuration: "0s" })).toEqual([
      "windowDuration: write a time of at least 1s",
    ]);
  });
});

describe("names of annotations", () => {
  const all = (given: object) => {
    const { pausePeriod, ...keys } = annotationKeysOf(chosen(given));
    return { ...keys, deployment: pausePeriod("Deployment"), daemonSet: pausePeriod("DaemonSet") };
  };

  it("are upstream's", () => {
    const { pausePeriod, ...keys } = annotationKeys();
    expect(all({})).toEqual({
      ...keys,
      ...{ deployment: pausePeriod("Deployment"), daemonSet: pausePeriod("DaemonSet") },
    });
  });

  it("begin with another prefix, if there is one", () => {
    expect(all({ annotationPrefix: "acme.dev" })).toMatchObject({
      auto: "acme.dev/auto",
      typedAuto: { Secret: "secret.acme.dev/auto" },
      excluded: { SecretProviderClass: "secretproviderclasses.exclude.acme.dev/reload" },
      deployment: "deployment.acme.dev/pause-period",
    });
    expect(problems({ annotationPrefix: "acme.dev/x" })).toEqual([
      "annotationPrefix: write a domain such as example.com",
    ]);
  });

  it.each([
    ["autoAnnotation", { auto: "x/y" }],
    ["configmapAutoAnnotation", { typedAuto: { ConfigMap: "x/y" } }],
    ["secretAutoAnnotation", { typedAuto: { Secret: "x/y" } }],
    ["secretproviderclassAutoAnnotation", { typedAuto: { SecretProviderClass: "x/y" } }],
    ["configmapAnnotation", { named: { ConfigMap: "x/y" } }],
    ["secretAnnotation", { named: { Secret: "x/y" } }],
    ["secretproviderclassAnnotation", { named: { SecretProviderClass: "x/y" } }],
    ["configmapExcludeAnnotation", { excluded: { ConfigMap: "x/y" } }],
    ["secretExcludeAnnotation", { excluded: { Secret: "x/y" } }],
    ["secretproviderclassExcludeAnnotation", { excluded: { SecretProviderClass: "x/y" } }],
    ["autoSearchAnnotation", { search: "x/y" }],
    ["searchMatchAnnotation", { match: "x/y" }],
    ["ignoreAnnotation", { ignore: "x/y" }],
    ["pauseDeploymentAnnotation", { deployment: "x/y", daemonSet: "daemonset.acme.dev/pause-period" }],
    ["pauseDeploymentTimeAnnotation", { pausedAt: "x/y" }],
  ])("are set one by one, whatever the prefix: %s", (name, expected) => {
    expect(all({ annotationPrefix: "acme.dev", [name]: "x/y" })).toMatchObject(expected);
    expect(problems({ [name]: "x/y/z" })).toEqual([
      `${name}: the name of an annotation must not contain more than one "/"; write one such as example.com/reload`,
    ]);
  });
});
