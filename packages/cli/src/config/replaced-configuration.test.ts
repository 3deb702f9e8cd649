import { z } from "keelson";
import type { ReplacedConfiguration } from "keelson/manager";
import { describe, expect, it } from "vitest";
import { writtenFiles } from "../../test/support/written-files.ts";
import { aliasedSettings } from "./aliases.ts";
import { helpText } from "./help-text.ts";
import { type ConfigurableOperator, operatorSettings } from "./operator-settings.ts";
import type { Environment } from "./read-environment.ts";
import { readReplacedConfigurations } from "./replaced-configuration.ts";
import { ConfigurationError, resolveConfig } from "./resolve-config.ts";
import { runSettings } from "./run-config.ts";

const configuration: ReplacedConfiguration = {
  fileVariable: "MAILER_CONFIG",
  defaultFile: "/nowhere/mailer.yaml",
  variablePrefix: "MAILER",
  keys: [
    { key: "server.port", setting: "metricsPort" },
    { key: "server.socket", setting: "metricsPort", value: portOf },
    { key: "server.threads", because: "there is one" },
    { key: "server.fast", because: "it is always fast", default: "true" },
    { key: "logging", because: "it logs by itself" },
  ],
};
const mailer: ConfigurableOperator = {
  name: "mailer",
  settings: z.object({
    mailBox: z.string().default("in"),
    retries: z.int().default(3),
    isLoud: z.boolean().default(false),
    teams: z.array(z.string()).default([]),
    smtpRelay: z
      .object({ hostName: z.string().optional(), headers: z.record(z.string(), z.unknown()).default({}) })
      .prefault({}),
    rules: z.array(z.strictObject({ mailFrom: z.string(), allowedURLs: z.array(z.string()) })).default([]),
    token: z.string().min(8).optional().meta({ sensitive: true }),
  }),
  replaces: { name: "old/mailer", aliases: [], configuration },
};

function portOf(written: unknown): unknown {
  const [, port] = /^:(\d+)$/.exec(String(written)) ?? [];
  if (port === undefined) throw new Error("must be a port after a colon; write :8080");
  return Number(port);
}

interface Sources {
  readonly env?: Environment;
  /** The files, of which `main.yaml` is read. */
  readonly files?: Readonly<Record<string, string>>;
}

interface Outcome {
  readonly mailer: unknown;
  readonly metricsPort: number;
  readonly warnings: readonly string[];
  readonly origins: Readonly<Record<string, string>>;
}

/** Paths in messages are those in the folder. */
async function read({ env = {}, files = {} }: Sources): Promise<Outcome | ConfigurationError> {
  await using folder = await writtenFiles(files);
  const hasFile = "main.yaml" in files;
  const readings = await readReplacedConfigurations([mailer], operatorSettings([mailer]), {
    ...env,
    ...(hasFile && { MAILER_CONFIG: folder.path("main.yaml") }),
  });
  const inFolder = (line: string): string => line.replaceAll(`${folder.path("")}/`, "");
  try {
    const { config, operatorSettings: values, given } = resolveConfig(readings, [mailer]);
    return {
      mailer: values.get("mailer"),
      metricsPort: config.metricsPort,
      warnings: readings.flatMap(({ warnings = [] }) => warnings.map(inFolder)),
      origins: Object.fromEntries([...given].map(([name, { origin }]) => [name, inFolder(origin)])),
    };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return new ConfigurationError("run", error.problems.map(inFolder));
  }
}

async function resolve(sources: Sources): Promise<Outcome> {
  const outcome = await read(sources);
  if (outcome instanceof ConfigurationError) throw outcome;
  return outcome;
}

async function problemsOf(sources: Sources): Promise<readonly string[]> {
  const outcome = await read(sources);
  return outcome instanceof ConfigurationError ? outcome.problems : [];
}

const mainYaml = (...lines: readonly string[]): Sources => ({
  files: { "main.yaml": lines.map((line) => `${line}\n`).join("") },
});

describe("the file of a replaced program", () => {
  it("has keys in camel case and in snake case, except within values that are free", async () => {
    const { mailer: values, origins } = await resolve(
      mainYaml(
        "mail_box: out",
        "smtpRelay:",
        "  host_name: smtp",
        "  headers: {reply_to: a, replyTo: b}",
        "rules:",
        "  - {mail_from: x, allowed_urls: [u]}",
        "  - {mailFrom: y, allowedURLs: []}",
      ),
    );
    expect(values).toEqual({
      mailBox: "out",
      smtpRelay: { hostName: "smtp", headers: { reply_to: "a", replyTo: "b" } },
      rules: [
        { mailFrom: "x", allowedURLs: ["u"] },
        { mailFrom: "y", allowedURLs: [] },
      ],
    });
    expect(origins).toEqual({
      "mailer.mailBox": "main.yaml:1",
      "mailer.smtpRelay.hostName": "main.yaml:3",
      "mailer.smtpRelay.headers": "main.yaml:4",
      "mailer.rules": "main.yaml:5",
    });
  });

  it("merges what it includes however keys are spelled there", async () => {
    const { mailer: values, origins } = await resolve({
      files: {
        "main.yaml": '!include "1.yaml, 2.yaml"\n',
        "1.yaml": "smtp_relay:\n  host_name: one\n  headers: {a: 1, b: {c: 1}}\nretries: 1\nteams: [red]\n",
        "2.yaml": "smtpRelay: !include sub/*.yaml\nretries: ~\nteams: [blue]\n",
        "sub/relay.yaml": "hostName: two\nheaders:\n  b: {d: 2}\n",
      },
    });
    expect(values).toEqual({
      retries: 1,
      teams: ["blue"],
      smtpRelay: { hostName: "two", headers: { a: 1, b: { c: 1, d: 2 } } },
    });
    expect(origins).toMatchObject({
      "mailer.smtpRelay.hostName": "sub/relay.yaml:1",
      "mailer.retries": "1.yaml:4",
    });
  });

  it("may have numbers and switches in quotes, and YAML's words for switches", async () => {
    expect((await resolve(mainYaml("retries: '5'", "isLoud: 'yes'"))).mailer).toEqual({
      ...{ retries: 5, isLoud: true },
    });
    expect((await resolve(mainYaml("isLoud: on"))).mailer).toEqual({ isLoud: true });
    expect((await resolve(mainYaml('{"retries": 7, "teams": ["a"]}'))).mailer).toEqual({
      ...{ retries: 7, teams: ["a"] },
    });
  });

  it("need not exist unless a variable names it", async () => {
    expect((await resolve({})).mailer).toEqual({});
    expect((await resolve({ env: { MAILER_CONFIG: "" } })).mailer).toEqual({});
    expect(await problemsOf({ env: { MAILER_CONFIG: "/nowhere/else.yaml" } })).toEqual([
      "/nowhere/else.yaml: there is no such file; name another one by MAILER_CONFIG, or unset it",
    ]);
  });

  it("is refused with the line, and with what may be meant", async () => {
    expect(
      await problemsOf(
        mainYaml(
          "mail_bx: a",
          "smtpRelay:",
          "  hostNme: a",
          "  what: b",
          "retries: few",
          "mailBox: a",
          "mail_box: b",
          "rules: [{mailFrom: a, allowed_urls: [], more: 1}]",
        ),
      ),
    ).toEqual([
      "main.yaml:1: mail_bx is not a setting; did you mean mailBox?",
      "main.yaml:3: smtpRelay.hostNme is not a setting; did you mean smtpRelay.hostName?",
      "main.yaml:4: smtpRelay.what is not a setting; there are hostName, headers",
      "main.yaml:7: mail_box is the same key as mailBox; leave one out",
      "main.yaml:5: mailer.retries must be a number, not few (also --mailer.retries, KEELSON_MAILER_RETRIES)",
      expect.stringMatching(/^main\.yaml:8: mailer\.rules is refused: Unrecognized key: "more"/),
    ]);
    expect(await problemsOf(mainYaml("- a"))).toEqual([
      "main.yaml: must be a mapping of mailBox, retries, isLoud, teams, smtpRelay, rules, token, server, logging",
    ]);
    expect(await problemsOf(mainYaml("smtpRelay: smtp"))).toEqual([
      "main.yaml:1: smtpRelay must be a mapping of hostName, headers",
    ]);
  });

  it("never has a sensitive value shown", async () => {
    const problems = await problemsOf(mainYaml("token: hunter2"));
    expect(problems).toEqual([
      "main.yaml:1: mailer.token must have at least 8 characters (also --mailer.token, KEELSON_MAILER_TOKEN)",
    ]);
  });
});

describe("the variables of a replaced program", () => {
  it("are read by the types of the settings, in any case", async () => {
    const { mailer: values, origins } = await resolve({
      env: {
        MAILER__MAIL_BOX: "007",
        mailer__retries: "5",
        Mailer__Is_Loud: "Yes",
        MAILER__TEAMS: "red, blue",
        MAILER__RULES: '[{"mail_from": "x", "allowed_urls": ["u", "v"]}]',
        MAILER__SMTP_RELAY__HEADERS: "{a: 1}",
        MAILER__SMTP_RELAY__HOST_NAME: "",
      },
    });
    expect(values).toEqual({
      mailBox: "007",
      retries: 5,
      isLoud: true,
      teams: ["red", "blue"],
      rules: [{ mailFrom: "x", allowedURLs: ["u", "v"] }],
      smtpRelay: { headers: { a: 1 } },
    });
    expect(origins["mailer.retries"]).toBe("mailer__retries");
    expect((await resolve({ env: { MAILER__TEAMS: '["a,b", "c"]' } })).mailer).toEqual({
      teams: ["a,b", "c"],
    });
  });

  it("win over the file however it spells the keys, and are merged into its maps", async () => {
    const file = "mailBox: file\nretries: 1\nsmtpRelay:\n  headers: {a: 1, b: {c: 1}}\n";
    const env = {
      MAILER__MAIL_BOX: "variable",
      MAILER__SMTP_RELAY__HEADERS__B__D: "2",
      MAILER__SMTP_RELAY__HEADERS: '{"a": 2}',
    };
    expect((await resolve({ env, files: { "main.yaml": file } })).mailer).toEqual({
      mailBox: "variable",
      retries: 1,
      smtpRelay: { headers: { a: 2, b: { c: 1, d: "2" } } },
    });
  });

  it("may hold a section, whose keys have variables that win over it", async () => {
    const env = { MAILER__SMTP_RELAY: "{host_name: a, headers: {x: 1}}", MAILER__SMTP_RELAY__HOST_NAME: "b" };
    expect((await resolve({ env })).mailer).toEqual({ smtpRelay: { hostName: "b", headers: { x: 1 } } });
  });

  it("are refused with what may be meant", async () => {
    const env = {
      MAILER__MAIL_BX: "a",
      MAILER__SMTPRELAY__HOST_NAME: "a",
      MAILER__WHAT: "a",
      MAILER__SMTP_RELAY: "smtp",
      MAILER__RETRIES: "few",
      mailer__retries: "2",
      MAILER__MAIL_BOX__DEEP: "a",
      MAILERS__MAIL_BX: "another program's",
      MAILER_MAIL_BX: "another program's",
    };
    expect(await problemsOf({ env })).toEqual([
      "MAILER__MAIL_BX: there is no such variable; did you mean MAILER__MAIL_BOX?",
      "MAILER__WHAT: there is no such variable; see --help",
      "MAILER__SMTP_RELAY: smtpRelay must be a mapping of hostName, headers",
      "mailer__retries: is the same variable as MAILER__RETRIES; leave one out",
      "MAILER__SMTPRELAY__HOST_NAME: there is no such variable; did you mean MAILER__SMTP_RELAY__HOST_NAME?",
      expect.stringMatching(/^MAILER__MAIL_BOX__DEEP: mailer\.mailBox must be a string, not /),
      expect.stringMatching(/^MAILER__RETRIES: mailer\.retries must be a number, not few/),
    ]);
  });
});

describe("keys that are no settings of the operator", () => {
  it("stand for settings of the command", async () => {
    expect((await resolve(mainYaml("server: {port: 1234}"))).metricsPort).toBe(1234);
    expect((await resolve(mainYaml("server: {port: 1234, socket: ':1234'}"))).metricsPort).toBe(1234);
    expect((await resolve({ env: { MAILER__SERVER__SOCKET: ":99" } })).metricsPort).toBe(99);
    expect(await problemsOf(mainYaml("server:", "  port: 1", "  socket: ':2'"))).toEqual([
      "main.yaml:3: server.socket does not fit what is at main.yaml:2; make them agree",
    ]);
    expect(await problemsOf(mainYaml("server: {socket: here}"))).toEqual([
      "main.yaml:1: server.socket must be a port after a colon; write :8080",
    ]);
    expect(await problemsOf(mainYaml("server: {port: x}"))).toEqual([
      expect.stringMatching(/^main\.yaml:1: metricsPort must be a port .*, not x$/),
    ]);
  });

  it("have no effect, with a warning unless the value has none either", async () => {
    const { warnings, mailer: values } = await resolve({
      ...mainYaml("server: {threads: 4, fast: true}", "logging:", "  loggers: {a: {level: INFO}}"),
      env: { MAILER__SERVER__FAST: "True", MAILER__LOGGING__VERSION: "1" },
    });
    expect(values).toEqual({});
    expect(warnings).toEqual([
      "main.yaml:1: server.threads has no effect: there is one",
      "MAILER__LOGGING__VERSION: logging has no effect: it logs by itself",
    ]);
    expect((await resolve(mainYaml("server: {fast: false}"))).warnings).toEqual([
      "main.yaml:1: server.fast has no effect: it is always fast",
    ]);
  });

  it("have to stand for a setting", async () => {
    const keys = [{ key: "a.b", setting: "speed" }];
    const wrong = {
      ...mailer,
      replaces: { name: "x", aliases: [], configuration: { ...configuration, keys } },
    };
    expect(() => resolveConfig([], [wrong])).toThrow(
      "a.b: stands for speed, which is no setting; correct the operator",
    );
  });
});

describe("the help", () => {
  it("shows variables beside settings, the file, and the keys that are no settings", () => {
    const settings = aliasedSettings([...runSettings, ...operatorSettings([mailer])], [mailer]);
    const help = helpText(settings, [mailer]).replaceAll(/\s+/g, " ");
    expect(help).toContain("[KEELSON_MAILER_SMTP_RELAY_HOST_NAME, MAILER__SMTP_RELAY__HOST_NAME]");
    expect(help).toContain(
      "[KEELSON_METRICS_PORT, MAILER__SERVER__PORT, MAILER__SERVER__SOCKET, default 8080]",
    );
    expect(help).toContain(
      "Configuration file of old/mailer: /nowhere/mailer.yaml or the file that MAILER_CONFIG names: settings of mailer; variables that begin with MAILER__ win over it, and all other sources over both server.port stands for --metrics-port",
    );
    expect(help).toContain("server.threads has no effect: there is one");
  });
});
