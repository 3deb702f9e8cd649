import type { Stored } from "keelson";
import type { ReloaderConfig } from "../api/reloader-config.ts";
import { configChannels } from "./alert-channel.ts";
import { type AlertUrlPolicy, type ReadSecret, resolveUrl } from "./alert-url.ts";
import { templateProblem } from "./body-template.ts";

/** What keeps the channels of a ReloaderConfig from being used, each naming the field. No text contains a URL. */
export async function channelProblems(
  config: Stored<ReloaderConfig>,
  urls: AlertUrlPolicy,
  readSecret: ReadSecret,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const problems = configChannels(config, urls).map(async ({ type, url }) => {
    const { problem } = await resolveUrl(url, urls, readSecret, signal);
    return problem === undefined ? [] : [`spec.alerts.${type}: ${problem}`];
  });
  const { format, template = "" } = config.spec.alerts?.customWebhook ?? {};
  const problem = format === "Template" ? templateProblem(template) : undefined;
  return [
    ...(await Promise.all(problems)).flat(),
    ...(problem === undefined ? [] : [`spec.alerts.customWebhook.template: ${problem}`]),
  ];
}
