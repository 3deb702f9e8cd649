import { describe, expect, it } from "vitest";
import { helpText } from "./help-text.ts";
import { configText } from "./print-config.ts";
import { type Environment, readEnvironment } from "./read-environment.ts";
import { readConfigFile, readConfigText } from "./read-file.ts";
import { readFlags } from "./read-flags.ts";
import { ConfigurationError, type ResolvedConfig, resolveConfig } from "./resolve-config.ts";
import { runSettings } from "./run-config.ts";

interface Sources {
  readonly flags?: readonly string[];
  readonly env?: Environment;
  readonly file?: string;
}

function resolve({ flags = [], env = {}, file = "" }: Sources): ResolvedConfig {
  return resolveConfig([
    readFlags(flags, runSettings),
    readEnvironment(env, runSettings),
    readConfigText(file, "keelson.yaml", runSettings),
  ]);
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

describe("the configuration of keelson run", () => {
  it("is its defaults if nothing is set", () => {
    expect(resolve({}).config).toEqual({
      concurrency: { default: 1, byKind: {} },
      gracePeriod: 30_000,
      installCrds: false,
      allowIncompatibleCrds: false,
      permissionCheck: "fail",
      leaderElect: false,
      leaseDuration: 15_000,
      renewDeadline: 10_000,
      retryPeriod: 2_000,
      metricsPort: 8080,
      metricsAuth: false,
      metricsAlias: "seed",
      metricsDetails: false,
      healthPort: 8081,
      debug: false,
      webhookPort: 9443,
      logLevel: "info",
      logFormat: "auto",
    });
  });

  it("takes each setting from its flag, else from its variable, else from the file", () => {
    const { config, given } = resolve({
      flags: ["./a.ts", "--metrics-port", "1", "--leader-elect", "b"],
      env: { KEELSON_METRICS_PORT: "2", KEELSON_HEALTH_PORT: "2", KEELSON_NAMESPACE: "shop, bank" },
      file: "metricsPort: 3\nhealthPort: 3\nwebhookPort: 3\nleaderElect: false\n",
    });
    expect(config).toMatchObject({ metricsPort: 1, healthPort: 2, webhookPort: 3, leaderElect: true });
    expect(config).toMatchObject({ namespace: ["shop", "bank"], operators: ["./a.ts", "b"] });
    expect(Object.fromEntries([...given].map(([name, { origin }]) => [name, origin]))).toMatchObject({
      metricsPort: "--metrics-port",
      healthPort: "KEELSON_HEALTH_PORT",
      webhookPort: "keelson.yaml:3",
      operators: "the command line",
    });
  });

  it("reads flags in all their forms", () => {
    const flags = [
      ...["--log-level=debug", "--no-leader-elect", "--debug=false", "--health-port", "-1"],
      ...["--namespace", "a", "--namespace=b", "--grace-period", "1s", "--grace-period", "2s", "--", "--odd"],
    ];
    expect(resolve({ flags, file: "leaderElect: true\ndebug: true" }).config).toMatchObject({
      logLevel: "debug",
      leaderElect: false,
      debug: false,
      healthPort: -1,
      namespace: ["a", "b"],
      gracePeriod: 2_000,
      operators: ["--odd"],
    });
  });

  it("reports all mistakes of all sources together, a line for each", () => {
    const problems = problemsOf({
      flags: ["--metrc-port", "--health-port", "99999", "--sail", "--kubeconfig", "--context"],
      env: { KEELSON_LOG_LEVEL: "loud", KEELSON_METRIC_PORT: "1" },
      file: "gracePeriod: 30\nmetrics-prt: 1\nreplicas: 2\n",
    });
    expect(problems).toEqual([
      "--metrc-port: there is no such flag; did you mean --metrics-port?",
      "--sail: there is no such flag; see --help",
      "--kubeconfig: has no value; write --kubeconfig FILE",
      "--context: has no value; write --context NAME",
      "KEELSON_METRIC_PORT: there is no such variable; did you mean KEELSON_METRICS_PORT?",
      "keelson.yaml:2: metrics-prt is not a setting; did you mean metricsPort?",
      expect.stringMatching(/^keelson\.yaml:3: replicas is not a setting; there are operators, name, /),
      "keelson.yaml:1: gracePeriod must be a time with its unit, such as 500ms, 30s, 5m or 1h30m, not 30",
      "--health-port: must be a port from 1 to 65535, 0 for any free one, or -1 for none, not 99999",
      "KEELSON_LOG_LEVEL: must be one of debug, info, warn, error, not loud",
    ]);
    expect(new ConfigurationError("run", problems.slice(0, 2)).message).toBe(
      "configure run:\n  --metrc-port: there is no such flag; did you mean --metrics-port?\n  --sail: there is no such flag; see --help",
    );
  });

  it("ignores the variables that Kubernetes sets for Services, and those of other programs", () => {
    const env = {
      KEELSON_METRICS_PORT: "tcp://10.0.0.1:8080",
      KEELSON_METRICS_SERVICE_PORT: "8080",
      KEELSON_METRICS_PORT_8080_TCP_ADDR: "10.0.0.1",
      KEELSON_REQUIRE_CLUSTER: "1",
      KEELSON_LOG_LEVEL: "",
      METRICS_PORT: "x",
    };
    expect(resolve({ env }).given.size).toBe(0);
  });

  it("finds what settings contradict each other in", () => {
    expect(problemsOf({ flags: ["--debug"] })).toEqual([]);
    expect(problemsOf({ flags: ["--debug", "--metrics-port", "-1"] })).toEqual([
      expect.stringMatching(/^--debug: is served beside the metrics/),
    ]);
    expect(
      problemsOf({
        flags: ["--webhook-url", "https://a", "--webhook-service", "a/b", "--lease-duration", "1500ms"],
      }),
    ).toEqual([
      expect.stringContaining("only one of them"),
      expect.stringContaining("longer than --renew-deadline"),
      expect.stringContaining("whole seconds"),
    ]);
    expect(problemsOf({ flags: ["--retry-period", "9s"] })).toEqual([
      expect.stringMatching(/^--renew-deadline: /),
    ]);
  });

  it("names the line of a file that is not what it should be", async () => {
    expect(problemsOf({ file: "metricsPort: 1\nmetricsPort: 2\n" })).toEqual([
      expect.stringMatching(/^keelson\.yaml:2: is not YAML: .*unique/),
    ]);
    expect(problemsOf({ file: "- a\n" })).toEqual([expect.stringContaining("is not a mapping")]);
    expect(problemsOf({ file: "debug: false\n---\ndebug: true\n" })).toEqual([
      expect.stringMatching(/^keelson\.yaml:\d: a second document/),
    ]);
    expect(problemsOf({ file: "# nothing\n" })).toEqual([]);
    expect(problemsOf({ file: "metricsPort:\n" })).toEqual([]);
    expect((await readConfigFile("/nowhere/keelson.yaml", runSettings)).problems).toEqual([
      "/nowhere/keelson.yaml: there is no such file; give the path of one by --config or KEELSON_CONFIG",
    ]);
  });

  it("prints as a file that gives the same configuration again", () => {
    const resolved = resolve({
      flags: ["./my op.ts", "--concurrency", "4", "--concurrency", "WebApp.example.com=2", "--leader-elect"],
      env: { KEELSON_CONTEXT: "yes # no", KEELSON_NAME: "123" },
      file: "gracePeriod: 1m\nconcurrency: 9\n",
    });
    const printed = configText(resolved, runSettings);
    expect(printed).toMatch(/^gracePeriod: 1m +# keelson\.yaml:1$/m);
    expect(printed).toMatch(/^leaderElect: true +# --leader-elect$/m);
    expect(printed).toMatch(/^metricsPort: 8080 +# default$/m);
    expect(printed).toMatch(/^# leaseName: +# not set: /m);
    expect(resolve({ file: printed }).config).toEqual(resolved.config);
  });

  it("has a help with every setting, its variable and its default, in 100 columns", () => {
    const help = helpText(runSettings);
    expect(Math.max(...help.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100);
    for (const { flag, variable } of runSettings) {
      expect(help).toContain(`  ${flag}`);
      expect(help).toContain(`[${variable}`);
    }
    expect(help).toMatchSnapshot();
  });
});
