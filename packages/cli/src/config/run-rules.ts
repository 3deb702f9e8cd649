import type { RunConfig } from "./run-config.ts";

const loopback = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/;

/** Whether only programs on this machine can reach what listens there. */
export function isLoopback(address: string | undefined): boolean {
  return address !== undefined && loopback.test(address);
}

/** What settings that are right by themselves contradict each other in, a line for each. */
export function ruleProblems(config: RunConfig): readonly string[] {
  const { debug, metricsPort } = config;
  const { webhookCertDir, webhookService, webhookUrl } = config;
  const { leaseDuration, renewDeadline, retryPeriod } = config;
  const webhookWays = [webhookCertDir, webhookService, webhookUrl].filter((way) => way !== undefined);
  const rules: readonly (readonly [isBroken: boolean, problem: string])[] = [
    [debug && metricsPort < 0, "--debug: is served beside the metrics; set --metrics-port"],
    [
      webhookWays.length > 1,
      "--webhook-service, --webhook-url, --webhook-cert-dir: only one of them can be; choose one",
    ],
    [leaseDuration <= renewDeadline, "--lease-duration: must be longer than --renew-deadline; lengthen it"],
    [leaseDuration % 1000 !== 0, "--lease-duration: must be whole seconds; round it"],
    [
      renewDeadline <= 1.2 * retryPeriod,
      "--renew-deadline: must be more than 1.2 times --retry-period; lengthen it",
    ],
  ];
  return rules.flatMap(([isBroken, problem]) => (isBroken ? [problem] : []));
}
