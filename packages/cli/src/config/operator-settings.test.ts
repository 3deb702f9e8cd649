import { z } from "keelson";
import { describe, expect, it } from "vitest";
import { helpText } from "./help-text.ts";
import { type ConfigurableOperator, operatorSettings } from "./operator-settings.ts";
import { configText } from "./print-config.ts";
import { type Environment, readEnvironment } from "./read-environment.ts";
import { readConfigText } from "./read-file.ts";
import { plainFlags, readFlags } from "./read-flags.ts";
import { ConfigurationError, type ResolvedConfig, resolveConfig } from "./resolve-config.ts";
import { runSettings } from "./run-config.ts";
import type { Setting } from "./setting.ts";

const webapp: ConfigurableOperator = {
  name: "webapp",
  settings: z.object({
    maxReplicas: z.int().min(1).default(10).describe("the most replicas that a WebApp may have."),
    dryRun: z.boolean().default(false).describe("only report"),
    mode: z.enum(["fast", "safe"]).default("safe"),
    registry: z.string().optional().meta({ description: "where images come from", placeholder: "HOST" }),
    team: z.array(z.string()).default([]),
    ports: z.array(z.int()).optional(),
    timeout: z
      .string()
      .regex(/^\d+s$/, "write seconds, such as 30s")
      .transform((text) => Number.parseInt(text, 10) * 1000)
      .default(30_000),
    limits: z.record(z.string(), z.number()).optional(),
    tls: z.object({
      certDir: z.string().default("/tls"),
      token: z.string().min(8).optional().meta({ sensitive: true }),
    }),
  }),
};
const backup: ConfigurableOperator = {
  name: "backup",
  settings: z.object({
    bucketURL: z.url(),
    dryRun: z.boolean().default(true),
    name: z.string().default("b"),
  }),
};
const plain: ConfigurableOperator = { name: "plain" };

interface Sources {
  readonly operators?: readonly ConfigurableOperator[];
  readonly flags?: readonly string[];
  readonly env?: Environment;
  readonly file?: string;
}

function settingsFor(operators: readonly ConfigurableOperator[]): readonly Setting[] {
  return [
    ...runSettings,
    ...operatorSettings(operators, [...runSettings.map(({ flag }) => flag), ...plainFlags]),
  ];
}

function resolve({ operators = [webapp, plain], flags = [], env = {}, file = "" }: Sources): ResolvedConfig {
  const settings = settingsFor(operators);
  const readings = [
    readFlags(flags, settings),
    readEnvironment(env, settings),
    readConfigText(file, "keelson.yaml", settings),
  ];
  return resolveConfig(readings, operators);
}

/** The settings of an operator, as its schema parses them. */
function settingsOf(operator: ConfigurableOperator, sources: Sources): Readonly<Record<string, unknown>> {
  const values = resolve(sources).operatorSettings.get(operator.name);
  return operator.settings === undefined ? {} : z.parse(operator.settings, values);
}

function problemsOf(sources: Sources): readonly string[] {
  try {
    resolve(sources);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
  return [];
}

describe("the settings of operators", () => {
  it("have the defaults of their schema", () => {
    expect(settingsOf(webapp, {})).toEqual({
      ...{
        maxReplicas: 10,
        dryRun: false,
        mode: "safe",
        team: [],
        timeout: 30_000,
        tls: { certDir: "/tls" },
      },
    });
  });

  it("come from flags, else from variables, else from the section of the operator in the file", () => {
    const sources = {
      flags: ["--webapp.max-replicas", "3", "--webapp.tls.cert-dir=/a"],
      env: {
        KEELSON_WEBAPP_MAX_REPLICAS: "4",
        KEELSON_WEBAPP_MODE: "fast",
        KEELSON_WEBAPP_TEAM: "red, blue",
      },
      file: "webapp:\n  maxReplicas: 5\n  mode: safe\n  registry: '123'\n  tls:\n    certDir: /b\n    token: abcdefgh\n",
    };
    expect(settingsOf(webapp, sources)).toMatchObject({
      ...{ maxReplicas: 3, mode: "fast", registry: "123", team: ["red", "blue"] },
      tls: { certDir: "/a", token: "abcdefgh" },
    });
    expect(resolve(sources).given.get("webapp.registry")?.origin).toBe("keelson.yaml:4");
  });

  it("are read as the types of their schema", () => {
    const flags = [
      "--webapp.ports",
      "1",
      "--webapp.ports",
      "2",
      "--webapp.registry",
      "7",
      "--no-webapp.dry-run",
    ];
    const more = ["--webapp.timeout", "5s", "--webapp.limits", "{cpu: 2}"];
    expect(settingsOf(webapp, { flags: [...flags, ...more] })).toMatchObject({
      ...{ ports: [1, 2], registry: "7", dryRun: false, timeout: 5_000, limits: { cpu: 2 } },
    });
    expect(settingsOf(webapp, { flags: ["--webapp.dry-run"] })).toMatchObject({
      dryRun: true,
    });
  });

  it("may be written without the operator's name where no other flag is called so", () => {
    const flags = ["--max-replicas", "2", "--tls.cert-dir", "/c"];
    expect(settingsOf(webapp, { flags })).toMatchObject({
      ...{ maxReplicas: 2, tls: { certDir: "/c" } },
    });
    const both = [webapp, backup];
    expect(problemsOf({ operators: both, flags: ["--dry-run", "--bucket-url", "https://b"] })).toEqual([
      "--dry-run: there is no such flag; see --help",
    ]);
    const { config, operatorSettings: settings } = resolve({
      ...{ operators: both, flags: ["--name", "own", "--backup.name", "its", "--bucket-url", "https://b"] },
    });
    expect([config.name, settings.get("backup")?.name]).toEqual(["own", "its"]);
  });

  it("name the nearest known one where a flag, a variable or a key does not exist", () => {
    expect(
      problemsOf({
        flags: ["--webapp.max-replica", "3"],
        env: { KEELSON_WEBAPP_MODES: "x", KEELSON_WEBAPP_SERVICE_HOST: "10.0.0.1" },
        file: "webapp:\n  max-replicas: 3\n  tls:\n    crtDir: x\n  what: 1\nplain:\n  a: 1\n",
      }),
    ).toEqual([
      "--webapp.max-replica: there is no such flag; did you mean --webapp.max-replicas?",
      "KEELSON_WEBAPP_MODES: there is no such variable; did you mean KEELSON_WEBAPP_MODE?",
      "keelson.yaml:2: webapp.max-replicas is not a setting; did you mean webapp.maxReplicas?",
      "keelson.yaml:4: webapp.tls.crtDir is not a setting; did you mean webapp.tls.certDir?",
      expect.stringMatching(
        /^keelson\.yaml:5: webapp\.what is not a setting; there are maxReplicas, dryRun, /,
      ),
      expect.stringMatching(/^keelson\.yaml:6: plain is not a setting; there are operators, /),
    ]);
    expect(problemsOf({ file: "webapp: 3\n" })).toEqual([
      expect.stringMatching(/^keelson\.yaml:1: webapp must be a mapping of maxReplicas, /),
    ]);
  });

  it("report all that is wrong together, each problem with flag, variable and key", () => {
    expect(
      problemsOf({
        operators: [webapp, backup],
        flags: [
          "--metrics-port",
          "x",
          "--webapp.max-replicas",
          "0",
          "--webapp.ports",
          "1",
          "--webapp.ports",
          "b",
        ],
        env: { KEELSON_WEBAPP_MODE: "slow" },
        file: "webapp:\n  timeout: soon\n",
      }),
    ).toEqual([
      expect.stringMatching(/^--metrics-port: must be a port/),
      "--webapp.max-replicas: must be at least 1, not 0 (also KEELSON_WEBAPP_MAX_REPLICAS, webapp.maxReplicas in a file)",
      "KEELSON_WEBAPP_MODE: must be one of fast, safe, not slow (also --webapp.mode, webapp.mode in a file)",
      "--webapp.ports: must be a number, not 1,b (also KEELSON_WEBAPP_PORTS, webapp.ports in a file)",
      "keelson.yaml:2: webapp.timeout is refused: write seconds, such as 30s, not soon (also --webapp.timeout, KEELSON_WEBAPP_TIMEOUT)",
      "--backup.bucket-url: must be set, by this flag, by KEELSON_BACKUP_BUCKET_URL, or by backup.bucketURL in a file",
    ]);
  });

  it("show a rule of the whole schema under the operator's name", () => {
    const strict: ConfigurableOperator = {
      name: "strict",
      settings: z
        .object({ low: z.int().default(1), high: z.int().default(2) })
        .refine(({ low, high }) => low < high, {
          message: "low must be below high",
        }),
    };
    expect(problemsOf({ operators: [strict], flags: ["--low", "3"] })).toEqual([
      "strict: low must be below high",
    ]);
  });

  it("cannot share a name with a setting of keelson", () => {
    const debug = { name: "debug", settings: z.object({ level: z.int().default(1) }) };
    const metrics = { name: "metrics", settings: z.object({ port: z.int().default(1) }) };
    expect(problemsOf({ operators: [debug, metrics] })).toEqual([
      "operator debug: its settings need the key debug, which keelson uses; rename the operator",
      "KEELSON_METRICS_PORT: is the variable of both metricsPort and metrics.port; rename the second one",
    ]);
  });

  it("never print a sensitive value", () => {
    const secret = "hunter2";
    const flags = ["--webapp.tls.token", secret];
    const problems = problemsOf({ flags });
    expect(problems).toEqual([
      "--webapp.tls.token: must have at least 8 characters (also KEELSON_WEBAPP_TLS_TOKEN, webapp.tls.token in a file)",
    ]);
    const resolved = resolve({ flags: ["--webapp.tls.token", `${secret}-long`] });
    const printed = configText(resolved, settingsFor([webapp]));
    expect(printed).not.toContain(secret);
    expect(printed).toMatch(/^ {4}# token: +# --webapp\.tls\.token; sensitive, not shown$/m);
  });

  it("print as a section of a file that gives the same settings again", () => {
    const sources = {
      flags: ["--webapp.ports", "1", "--registry", "7"],
      env: { KEELSON_WEBAPP_TEAM: "a,b" },
    };
    const printed = configText(resolve(sources), settingsFor([webapp]));
    expect(printed).toMatch(/^webapp:\n {2}maxReplicas: 10 +# default\n/m);
    expect(printed).toMatch(/^ {2}team: \[ ?a, b ?\] +# KEELSON_WEBAPP_TEAM$/m);
    expect(printed).toMatch(/^ {2}# timeout: +# not set: 30000$/m);
    expect(settingsOf(webapp, { file: printed })).toEqual(settingsOf(webapp, sources));
  });

  it("of a section that need not exist have defaults only once one of them is given", () => {
    const limited: ConfigurableOperator = {
      name: "limited",
      settings: z.object({
        role: z
          .object({ title: z.string().default("user"), verbs: z.array(z.string()).default([]) })
          .optional(),
      }),
    };
    const operators = [limited];
    const printed = configText(resolve({ operators }), settingsFor(operators));
    expect(printed).toMatch(/^ {4}# title: +# not set: user$/m);
    expect(settingsOf(limited, { operators, file: printed })).toEqual({});
    expect(settingsOf(limited, { operators, flags: ["--role.verbs", "get"] })).toEqual({
      role: { title: "user", verbs: ["get"] },
    });
  });

  it("of lists of maps may be YAML lists in variables", () => {
    const ruled: ConfigurableOperator = {
      name: "ruled",
      settings: z.object({
        rules: z.array(z.object({ verbs: z.array(z.string()) })).default([]),
        names: z.array(z.string()).default([]),
      }),
    };
    const env = {
      KEELSON_RULED_RULES: '[{"verbs": ["get", "list"]}, {"verbs": []}]',
      KEELSON_RULED_NAMES: "[a-z],b",
    };
    expect(settingsOf(ruled, { operators: [ruled], env })).toEqual({
      rules: [{ verbs: ["get", "list"] }, { verbs: [] }],
      names: ["[a-z]", "b"],
    });
  });

  it("of names with abbreviations have flags and variables with those as words", () => {
    const urls: ConfigurableOperator = {
      name: "urls",
      settings: z.object({
        nonResourceURLs: z.array(z.string()),
        aURL: z.string(),
        allowURLsOnly: z.string(),
      }),
    };
    expect(operatorSettings([urls]).map(({ flag }) => flag)).toEqual([
      "--urls.non-resource-urls",
      "--urls.a-url",
      "--urls.allow-urls-only",
    ]);
  });

  it("are listed in the help with type, description, variable and default", () => {
    const help = helpText(settingsFor([webapp, backup]));
    expect(help.slice(help.indexOf("Settings of webapp:"))).toMatchSnapshot();
    expect(Math.max(...help.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100);
  });
});
