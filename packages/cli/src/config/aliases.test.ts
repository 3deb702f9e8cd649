import { z } from "keelson";
import type { ReplacedProgram } from "keelson/manager";
import { describe, expect, it } from "vitest";
import { aliasedSettings, ignoredFlags, replacedDefaults } from "./aliases.ts";
import { helpText } from "./help-text.ts";
import { type ConfigurableOperator, operatorSettings } from "./operator-settings.ts";
import { type Environment, readEnvironment } from "./read-environment.ts";
import { readConfigText } from "./read-file.ts";
import { type FlagReading, plainFlags, readFlags, runFlags } from "./read-flags.ts";
import { ConfigurationError, resolveConfig } from "./resolve-config.ts";
import { runSettings } from "./run-config.ts";
import type { Setting } from "./setting.ts";

const replaces: ReplacedProgram = {
  name: "old/mailer",
  aliases: [
    { setting: "leaderElect", flag: "--enable-ha", variable: "ENABLE_HA" },
    { setting: "namespace", flag: "--namespaces", variable: "NAMESPACES", value: (text) => text.split(";") },
    { setting: "namespace", variable: "POD_SCOPE" },
    { setting: "logLevel", flag: "--log-level", value: (text) => (text === "warning" ? "warn" : text) },
    { setting: "logFormat", flag: "--log-format", value: (text) => (text === "" ? undefined : text) },
    { setting: "mailer.webhookUrl", flag: "--webhook-url" },
    { setting: "mailer.teams", variable: "TEAMS" },
  ],
  ignored: [
    { flag: "--fast", because: "it is always fast" },
    { flag: "--address", placeholder: "ADDRESS", because: "there is one port" },
  ],
  defaults: { metricsPort: "9090" },
};
const mailer: ConfigurableOperator = {
  name: "mailer",
  settings: z.object({
    webhookUrl: z.string().optional().describe("where mail is announced"),
    teams: z.array(z.string()).default([]),
  }),
  replaces,
};
const other: ConfigurableOperator = { name: "other", settings: z.object({}) };

interface Sources {
  readonly operators?: readonly ConfigurableOperator[];
  readonly flags?: readonly string[];
  readonly env?: Environment;
  readonly file?: string;
}

const settingsFor = (operators: readonly ConfigurableOperator[]): readonly Setting[] => {
  const reserved = [...runSettings.map(({ flag }) => flag), ...plainFlags];
  return aliasedSettings([...runSettings, ...operatorSettings(operators, reserved)], operators);
};

const flagsOf = (flags: readonly string[], operators = [mailer]): FlagReading =>
  readFlags(flags, settingsFor(operators), { ...runFlags, ignored: ignoredFlags(operators) });

function resolve({ operators = [mailer], flags = [], env = {}, file = "" }: Sources) {
  const settings = settingsFor(operators);
  const readings = [
    readFlags(flags, settings, { ...runFlags, ignored: ignoredFlags(operators) }),
    readEnvironment(env, settings),
    readConfigText(file, "keelson.yaml", settings),
    replacedDefaults(operators),
  ];
  const { config, operatorSettings: values } = resolveConfig(readings, operators);
  return { config, mailer: values.get("mailer") };
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

describe("names of a program that an operator replaces", () => {
  it("stand for settings of the command and of the operator", () => {
    const flags = ["--enable-ha", "--namespaces", "a;b", "--namespaces=c", "--log-level", "warning"];
    expect(resolve({ flags }).config).toMatchObject({
      ...{ leaderElect: true, namespace: ["a", "b", "c"], logLevel: "warn" },
    });
    const env = { ENABLE_HA: "true", NAMESPACES: "a;b", TEAMS: "x, y" };
    expect(resolve({ env })).toMatchObject({
      config: { leaderElect: true, namespace: ["a", "b"] },
      mailer: { teams: ["x", "y"] },
    });
  });

  it("take the flag of the command that has the same name, which gets another one", () => {
    const flags = ["--webhook-url=http://mail/x", "--keelson.webhook-url", "https://host:1"];
    expect(resolve({ flags })).toMatchObject({
      config: { webhookUrl: "https://host:1" },
      mailer: { webhookUrl: "http://mail/x" },
    });
    expect(resolve({ operators: [other], flags: ["--webhook-url=https://host:1"] }).config.webhookUrl).toBe(
      "https://host:1",
    );
  });

  it("may have values that are as if they were not given", () => {
    expect(resolve({ flags: ["--log-format="], file: "logFormat: json" }).config.logFormat).toBe("json");
  });

  it("yield to flags, then to variables of the settings; the first of two variables counts", () => {
    const env = { KEELSON_NAMESPACE: "own", NAMESPACES: "first", POD_SCOPE: "second" };
    expect(resolve({ env, flags: ["--namespaces=flag"] }).config.namespace).toEqual(["flag"]);
    expect(resolve({ env }).config.namespace).toEqual(["own"]);
    expect(resolve({ env: { ...env, KEELSON_NAMESPACE: "" } }).config.namespace).toEqual(["first"]);
    expect(resolve({ env: { POD_SCOPE: "second" }, file: "namespace: [x]" }).config.namespace).toEqual([
      "second",
    ]);
  });

  it("are refused beside the own flag of the setting", () => {
    expect(problemsOf({ flags: ["--namespace=a", "--namespaces=b"] })).toEqual([
      "--namespaces: is another name of --namespace, which is given, too; leave one out",
    ]);
    expect(problemsOf({ flags: ["--enable-ha", "--no-leader-elect"] })).toEqual([
      "--no-leader-elect: is another name of --enable-ha, which is given, too; leave one out",
    ]);
  });

  it("are named in problems, and suggested for misspelled ones", () => {
    expect(problemsOf({ flags: ["--log-level=loud", "--enable-hq"], env: { POD_SCOPE: "A_b" } })).toEqual([
      "--enable-hq: there is no such flag; did you mean --enable-ha?",
      "POD_SCOPE: namespace must be names of namespaces, not A_b",
      "--log-level: must be one of debug, info, warn, error, not loud",
    ]);
  });

  it("may be accepted without an effect, with a warning", () => {
    const { warnings, problems, given } = flagsOf(["--fast=true", "--address", ":1", "--fast", "mailer"]);
    expect(problems).toEqual([]);
    expect(given.get("operators")?.value).toEqual(["mailer"]);
    expect(warnings).toEqual([
      "--fast has no effect: it is always fast",
      "--address has no effect: there is one port",
      "--fast has no effect: it is always fast",
    ]);
  });

  it("are shown in the help", () => {
    const help = helpText(settingsFor([mailer]), [mailer]).replaceAll(/\s+/g, " ");
    expect(help).toContain("[KEELSON_LEADER_ELECT, --enable-ha, ENABLE_HA]");
    expect(help).toContain(
      "--mailer.webhook-url TEXT where mail is announced [KEELSON_MAILER_WEBHOOK_URL, --webhook-url]",
    );
    expect(help).toContain("--keelson.webhook-url URL");
    expect(help).toContain("[KEELSON_METRICS_PORT, default 9090]");
    expect(help).toContain(
      "Flags of old/mailer that mailer accepts without an effect: --fast it is always fast --address ADDRESS there is one port",
    );
  });

  it("and their defaults count only if the operator runs alone", () => {
    expect(resolve({}).config.metricsPort).toBe(9090);
    expect(resolve({ file: "metricsPort: 1" }).config.metricsPort).toBe(1);
    expect(resolve({ operators: [mailer, other] }).config.metricsPort).toBe(8080);
  });

  it("that stand for nothing, or for two settings, are problems", () => {
    const wrong = { name: "x", aliases: [{ setting: "leader", flag: "--lead" }] };
    const twin: ConfigurableOperator = {
      ...other,
      replaces: { name: "y", aliases: [{ setting: "debug", flag: "--enable-ha" }] },
    };
    expect(problemsOf({ operators: [{ ...other, replaces: wrong }] })).toEqual([
      "--lead: stands for leader, which is no setting; correct the operator",
    ]);
    expect(problemsOf({ operators: [mailer, twin] })).toEqual([
      "--enable-ha: stands for both leaderElect and debug; run the operators in processes of their own",
    ]);
  });
});

describe("a switch", () => {
  it("takes true or false from the next argument, and leaves operators alone", () => {
    expect(flagsOf(["--leader-elect", "false", "mailer"]).given.get("leaderElect")?.value).toBe("false");
    const { given } = flagsOf(["--leader-elect", "mailer"]);
    expect(given.get("leaderElect")?.value).toBe("true");
    expect(given.get("operators")?.value).toEqual(["mailer"]);
  });
});
