import { readFile } from "node:fs/promises";
import { azimuthCapi } from "@keelson/azimuth-capi";
import { type Operator, z } from "keelson";
import type { ReplacedConfiguration, ReplacedProgram } from "keelson/manager";
import { describe, expect, it } from "vitest";
import { keysTable, operatorTable } from "../../test/support/operator-tables.ts";
import { writtenFiles } from "../../test/support/written-files.ts";
import { helpText } from "./help-text.ts";
import { configText } from "./print-config.ts";
import type { Environment } from "./read-environment.ts";
import { readSources, type Sources } from "./read-sources.ts";
import { ConfigurationError, type ResolvedConfig, resolveConfig } from "./resolve-config.ts";
import { runSettings } from "./run-config.ts";
import { type Setting, snakeCase } from "./setting.ts";

const { settings: schema = z.object({}), replaces: original } = azimuthCapi;
const configuration = configurationOf(original);

function configurationOf(program: ReplacedProgram | undefined): ReplacedConfiguration {
  if (program?.configuration === undefined) throw new Error("the original has a configuration file");
  return program.configuration;
}

/** The operator, which looks for the file of the original elsewhere. */
function operatorWith(defaultFile: string): Operator {
  const { name = "", aliases = [] } = original ?? {};
  return {
    ...azimuthCapi,
    replaces: { ...original, name, aliases, configuration: { ...configuration, defaultFile } },
  };
}

interface Given {
  readonly args?: readonly string[];
  readonly env?: Environment;
  /** The file of the original is `capi-operator.yaml`, that of Keelson `keelson.yaml`. */
  readonly files?: Readonly<Record<string, string>>;
  /** Whether the file of the original is where it always is, instead of where a variable says. */
  readonly isByDefault?: boolean;
}

interface Chosen {
  readonly sources: Sources;
  readonly resolved: ResolvedConfig;
  readonly azimuth: Readonly<Record<string, unknown>>;
  readonly warnings: readonly string[];
}

/** The configuration that a container has which was started in this way; paths in messages are those in the folder. */
async function read(given: Given): Promise<Chosen | ConfigurationError> {
  const { args = [], env = {}, files = {}, isByDefault = false } = given;
  await using folder = await writtenFiles(files);
  const file = folder.path("capi-operator.yaml");
  const operator = operatorWith(isByDefault ? file : folder.path("none.yaml"));
  const sources = await readSources({
    args: ["azimuth-capi", ...args],
    env: {
      ...("capi-operator.yaml" in files && !isByDefault && { AZIMUTH_CAPI_CONFIG: file }),
      ...("keelson.yaml" in files && { KEELSON_CONFIG: folder.path("keelson.yaml") }),
      ...env,
    },
    own: runSettings,
    load: async (names) => (names.length === 0 ? [] : [{ operator, origin: "azimuth-capi" }]),
  });
  const inFolder = (line: string): string => line.replaceAll(`${folder.path("")}/`, "");
  try {
    const resolved = resolveConfig(sources.readings, [operator]);
    const azimuth = schema.parse(resolved.operatorSettings.get("azimuth-capi"));
    const warnings = sources.readings.flatMap((reading) => reading.warnings ?? []).map(inFolder);
    return { sources, resolved, azimuth, warnings };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return new ConfigurationError("run", error.problems.map(inFolder));
  }
}

async function chosenBy(given: Given): Promise<Chosen> {
  const chosen = await read(given);
  if (chosen instanceof ConfigurationError) throw chosen;
  return chosen;
}

async function problemsOf(given: Given): Promise<readonly string[]> {
  const chosen = await read(given);
  return chosen instanceof ConfigurationError ? chosen.problems : [];
}

const originalFile = (text: string): Given => ({ files: { "capi-operator.yaml": text } });

/** A value that each setting of the schema takes, and that is not its default. */
const samples: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["apiGroup", "azimuth.example.com"],
  ["crdCategories", ["azimuth", "capi"]],
  ["annotationPrefix", "example.com"],
  ["timerInterval", 30],
  ["clusterTimeoutSeconds", 60],
  ["easykubeFieldManager", "manager"],
  ["helmClient.executable", "/usr/bin/helm"],
  ["helmClient.defaultTimeout", "5m"],
  ["helmClient.historyMaxRevisions", 3],
  ["helmClient.insecureSkipTlsVerify", true],
  ["helmClient.unpackDirectory", "/scratch"],
  ["capiHelm.chartName", "openstack-cluster"],
  ["capiHelm.chartRepository", "https://charts.example.com/"],
  ["capiHelm.chartVersion", "1.2.3"],
  ["capiHelm.defaultValues", { some_key: { otherKey: [1, "2"] } }],
  ["capiHelm.flavorSpecificNodeGroupOverrides", { "bm.*": { machine_count: 1 } }],
  ["clusterApi.version", "v1beta2"],
  ["clusterApi.infrastructureVersion", "v1"],
  ["zenith.registrarAdminUrl", "http://registrar/"],
  ["zenith.sshdHost", "sshd.example.com"],
  ["zenith.sshdPort", 2222],
  ["zenith.apiserverChartName", "zenith-apiserver"],
  ["zenith.operatorChartName", "zenith-operator"],
  ["zenith.chartRepository", "https://zenith.example.com/"],
  ["zenith.chartVersion", "0.18.1"],
  ["zenith.apiserverDefaults", { image: { tag: "a" } }],
  ["zenith.operatorDefaults", { image: { tag: "b" } }],
  ["zenith.monitoringIconUrl", "https://icons.example.com/a.png"],
  ["zenith.apiVersion", "zenith.example.com/v1"],
  ["identity.oidcEnabled", true],
  ["identity.apiVersion", "identity.example.com/v1"],
  ["identity.clusterOidcClientIdTemplate", "client-{cluster_name}"],
  ["identity.clusterPlatformNameTemplate", "platform-{cluster_name}"],
  ["identity.appPlatformNameTemplate", "app-{app_name}"],
  ["identity.defaultUserNamespaceRole.name", "users"],
  ["identity.defaultUserNamespaceRole.namespaces", ["default", "apps"]],
  ["identity.defaultUserNamespaceRole.rules", [{ apiGroups: [""], resources: ["pods"], verbs: ["*"] }]],
  ["identity.defaultUserClusterRole.name", "admins"],
  ["identity.defaultUserClusterRole.rules", [{ nonResourceURLs: ["*"], verbs: ["*"] }]],
]);

/** All samples, as the schema takes them, with each key spelled as the function says. */
function sampleTree(spell: (key: string) => string): object {
  const tree: Record<string, unknown> = {};
  for (const [name, value] of samples) {
    const keys = name.split(".").map(spell);
    let section = tree;
    for (const key of keys.slice(0, -1)) {
      const below = z.record(z.string(), z.unknown()).parse(section[key] ?? {});
      section[key] = below;
      section = below;
    }
    section[keys.at(-1) ?? ""] = value;
  }
  return tree;
}

const variableOf = (name: string): string =>
  `AZIMUTH_CAPI__${name.split(".").map(snakeCase).join("__").toUpperCase()}`;
const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
const expected = schema.parse(sampleTree((key) => key));

describe("the settings of azimuth-capi-operator", () => {
  it("H.1: have a sample each in this test", async () => {
    const { sources } = await chosenBy({});
    const names = sources.settings
      .filter(({ path }) => path.length > 1)
      .map(({ path }) => path.slice(1).join("."));
    expect([...samples.keys()].toSorted()).toEqual(names.toSorted());
  });

  it.each([
    ["camelCase", (key: string) => key],
    ["snake_case", snakeCase],
  ])("H.1: are read from its file in %s", async (_, spell) => {
    const { azimuth } = await chosenBy(originalFile(JSON.stringify(sampleTree(spell))));
    expect(azimuth).toEqual(expected);
  });

  it("H.1: are read from rules in snake_case", async () => {
    const rule = "{api_groups: [''], resource_names: [a], non_resource_urls: [b], verbs: ['*']}";
    const { azimuth } = await chosenBy(
      originalFile(`identity:\n  default_user_cluster_role:\n    rules: [${rule}]\n`),
    );
    expect(azimuth).toHaveProperty("identity.defaultUserClusterRole.rules", [
      { apiGroups: [""], resources: [], resourceNames: ["a"], nonResourceURLs: ["b"], verbs: ["*"] },
    ]);
  });

  it.each([
    ["upper", (name: string) => name],
    ["lower", (name: string) => name.toLowerCase()],
  ])("H.1: are read from its variables in %s case", async (_, spell) => {
    const env = Object.fromEntries(
      [...samples].map(([name, value]) => [spell(variableOf(name)), textOf(value)]),
    );
    expect((await chosenBy({ env })).azimuth).toEqual(expected);
  });

  it("H.1: are those of the file of its chart, which includes two others", async () => {
    const { azimuth, resolved, warnings } = await chosenBy({
      isByDefault: true,
      files: {
        "capi-operator.yaml": '!include "webhook.yaml,user-config.yaml"\n',
        "webhook.yaml":
          "webhook:\n  managed: false\n  certfile: /etc/azimuth/cert/tls.crt\n  keyfile: /etc/azimuth/cert/tls.key\n",
        "user-config.yaml":
          'identity:\n  defaultUserClusterRole:\n    rules:\n    - apiGroups: ["*"]\n      resources: ["*"]\n      verbs: ["*"]\n',
      },
    });
    expect(azimuth).toMatchObject({
      identity: {
        defaultUserClusterRole: {
          name: "oidc:default-users-cluster",
          rules: [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }],
        },
      },
    });
    expect(resolved.config).toMatchObject({
      ...{ webhookCertDir: "/etc/azimuth/cert", webhookPort: 8443, healthPort: 8000, installCrds: true },
    });
    expect(warnings).toEqual([]);
  });

  it("H.1: need a file only if its variable names one", async () => {
    expect((await chosenBy({})).azimuth).toEqual(schema.parse({}));
    expect(await problemsOf({ env: { AZIMUTH_CAPI_CONFIG: "/nowhere/capi.yaml" } })).toEqual([
      "/nowhere/capi.yaml: there is no such file; name another one by AZIMUTH_CAPI_CONFIG, or unset it",
    ]);
  });
});

describe("the sources of a setting", () => {
  /** From the strongest to the weakest. */
  const sources: readonly (readonly [string, Given])[] = [
    ["the flag", { args: ["--azimuth-capi.capi-helm.chart-name=flag"] }],
    ["the variable of Keelson", { env: { KEELSON_AZIMUTH_CAPI_CAPI_HELM_CHART_NAME: "own variable" } }],
    [
      "the file of Keelson",
      { files: { "keelson.yaml": "azimuth-capi: {capiHelm: {chartName: own file}}\n" } },
    ],
    ["the variable of the original", { env: { AZIMUTH_CAPI__CAPI_HELM__CHART_NAME: "variable" } }],
    ["the file of the original", originalFile("capiHelm: {chartName: file}\n")],
  ];
  const winners = ["flag", "own variable", "own file", "variable", "file", "/charts/openstack-cluster"];

  it.each(winners.map((winner, index) => [winner, index] as const))(
    "L23: win one over the other: %s is the value without the %i stronger ones",
    async (winner, index) => {
      const left = sources.slice(index).map(([, given]) => given);
      const { azimuth } = await chosenBy({
        args: left.flatMap(({ args = [] }) => args),
        env: Object.assign({}, ...left.map(({ env = {} }) => env)),
        files: Object.assign({}, ...left.map(({ files = {} }) => files)),
      });
      expect(azimuth).toHaveProperty("capiHelm.chartName", winner);
    },
  );

  it.each(["capiHelm: {chartName: file}", "capi_helm: {chart_name: file}"])(
    "L23: let the variable win over the file that says %s",
    async (text) => {
      const env = { AZIMUTH_CAPI__CAPI_HELM__CHART_NAME: "variable" };
      const { azimuth } = await chosenBy({ ...originalFile(text), env });
      expect(azimuth).toHaveProperty("capiHelm.chartName", "variable");
    },
  );

  it("L23: let variables change a part of what the file says", async () => {
    const { azimuth } = await chosenBy({
      ...originalFile("capiHelm: {defaultValues: {a: {b: 1, c: 1}}}\nzenith: {sshdHost: file}\n"),
      env: {
        AZIMUTH_CAPI__CAPI_HELM__DEFAULT_VALUES__A__B: "2",
        AZIMUTH_CAPI__ZENITH__REGISTRAR_ADMIN_URL: "http://registrar",
      },
    });
    expect(azimuth).toHaveProperty("capiHelm.defaultValues", { a: { b: "2", c: 1 } });
    expect(azimuth).toMatchObject({ zenith: { registrarAdminUrl: "http://registrar/", sshdHost: "file" } });
  });

  it("are shown, without what may hold secrets", async () => {
    const { resolved, sources: read } = await chosenBy({
      env: {
        AZIMUTH_CAPI__API_GROUP: "example.com",
        AZIMUTH_CAPI__ZENITH__OPERATOR_DEFAULTS: "{password: hunter2}",
        AZIMUTH_CAPI__CAPI_HELM__CHART_REPOSITORY: "https://user:hunter2@charts.example.com",
      },
    });
    const printed = configText(resolved, read.settings);
    expect(printed).toMatch(/^ {2}apiGroup: example\.com +# AZIMUTH_CAPI__API_GROUP$/m);
    expect(printed).toMatch(
      /^ {4}# operatorDefaults: +# AZIMUTH_CAPI__ZENITH__OPERATOR_DEFAULTS; sensitive, not shown$/m,
    );
    expect(printed).not.toContain("hunter2");
    const wrong = { AZIMUTH_CAPI__CAPI_HELM__CHART_REPOSITORY: "ftp://user:hunter2@charts.example.com" };
    expect((await problemsOf({ env: wrong })).join()).toMatch(
      /^AZIMUTH_CAPI__CAPI_HELM__CHART_REPOSITORY: ((?!hunter2).)*$/,
    );
  });
});

describe("what Keelson replaces", () => {
  it.each<readonly [string, object]>([
    ["webhook: {port: 9999}", { webhookPort: 9999 }],
    ["webhook: {certfile: /tls/tls.crt}", { webhookCertDir: "/tls" }],
    ["webhook: {keyfile: /tls/tls.key, certfile: /tls/tls.crt}", { webhookCertDir: "/tls" }],
  ])("H.1: %s configures the run", async (text, config) => {
    expect((await chosenBy(originalFile(text))).resolved.config).toMatchObject(config);
  });

  it("H.1: is accepted without an effect, and reported once", async () => {
    const { warnings } = await chosenBy(
      originalFile(
        "webhook: {host: operator, managed: true}\nwatch_timeout: 60\nzenith: {registrarAdminUrlInternal: http://r}\nlogging: {version: 1, loggers: {}}\n",
      ),
    );
    expect(warnings.map((warning) => warning.split(": ").slice(0, 2).join(": "))).toEqual([
      "capi-operator.yaml:1: webhook.host has no effect",
      "capi-operator.yaml:1: webhook.managed has no effect",
      "capi-operator.yaml:2: watchTimeout has no effect",
      "capi-operator.yaml:3: zenith.registrarAdminUrlInternal has no effect",
      "capi-operator.yaml:4: logging has no effect",
    ]);
  });

  it("H.1: yields to the settings of the run", async () => {
    const { config } = (
      await chosenBy({ ...originalFile("webhook: {port: 9999}"), args: ["--webhook-port=7777"] })
    ).resolved;
    expect(config.webhookPort).toBe(7777);
  });
});

describe("wrong settings", () => {
  it.each<readonly [Given, string]>([
    [
      originalFile("capiHelm:\n  chart_nam: a\n"),
      "capi-operator.yaml:2: capiHelm.chart_nam is not a setting; did you mean capiHelm.chartName?",
    ],
    [originalFile("zenit: {}\n"), "capi-operator.yaml:1: zenit is not a setting; did you mean zenith?"],
    [
      { env: { AZIMUTH_CAPI__ZENITH__SSHDHOST: "a" } },
      "AZIMUTH_CAPI__ZENITH__SSHDHOST: there is no such variable; did you mean AZIMUTH_CAPI__ZENITH__SSHD_HOST?",
    ],
    [
      originalFile("timerInterval: 0\n"),
      "capi-operator.yaml:1: azimuth-capi.timerInterval must be more than 0, not 0 (also --azimuth-capi.timer-interval, ",
    ],
    [
      { env: { AZIMUTH_CAPI__CAPI_HELM__CHART_VERSION: "newest" } },
      "AZIMUTH_CAPI__CAPI_HELM__CHART_VERSION: azimuth-capi.capiHelm.chartVersion is refused: write a version such as 1.2.3, not newest",
    ],
    [
      { env: { AZIMUTH_CAPI__ZENITH__SSHD_HOST: "a" } },
      "--azimuth-capi.zenith.registrar-admin-url: must be set, by this flag, by ",
    ],
    [
      originalFile("webhook: {certfile: /tls/server.pem}\n"),
      "capi-operator.yaml:1: webhook.certfile must be the path of a file called tls.crt; mount it by that name",
    ],
    [
      originalFile("webhook: {certfile: /a/tls.crt, keyfile: /b/tls.key}\n"),
      "capi-operator.yaml:1: webhook.keyfile does not fit what is at capi-operator.yaml:1; make them agree",
    ],
    [
      { files: { "capi-operator.yaml": "!include a.toml\n", "a.toml": "timer_interval = 5\n" } },
      "a.toml: is TOML, which is not read; write the same as YAML",
    ],
    [
      {
        files: {
          "capi-operator.yaml": "zenith: !include a.yaml\n",
          "a.yaml": "!include capi-operator.yaml\n",
        },
      },
      "a.yaml: includes capi-operator.yaml, which includes it in turn; remove one of both",
    ],
  ])("H.1: %j are refused with what to do", async (given, start) => {
    const [problem, ...rest] = await problemsOf(given);
    expect(problem?.slice(0, start.length)).toBe(start);
    expect(rest).toEqual([]);
  });
});

describe("the documentation", () => {
  it("lists all settings and all names of the original", async () => {
    const { sources } = await chosenBy({});
    const own = sources.settings.filter(({ path }: Setting) => path.length > 1);
    const readme = await readFile(
      new URL("../../../../operators/azimuth-capi/README.md", import.meta.url),
      "utf8",
    );
    expect(readme).toContain(operatorTable(own));
    expect(readme).toContain(keysTable(sources.settings, configuration));
    const help = helpText(
      sources.settings,
      sources.operators.map(({ operator }) => operator),
    );
    for (const { name } of own) expect(help).toContain(variableOf(name.replace("azimuth-capi.", "")));
    for (const { key } of configuration.keys ?? []) expect(help).toContain(key);
  });
});
