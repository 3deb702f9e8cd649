import type { ResourceRef } from "../resource/watched-resource.ts";
import type { WorkloadRef } from "../workload/workload-kind.ts";
import { errorOf, type ReloadAlert } from "./alert.ts";
import { adaptiveCardPayload, json, jsonPayload, type PayloadOf } from "./payload.ts";

/** Names by which Slack knows colours. */
const slackColors = { reloaded: "good", notified: "warning", failed: "danger" } as const;

/**
 * The payload of the channel of the settings, as upstream sends it: its text in the simplest message of the sink, and as
 * plain text to a sink that it does not know. `teams-workflow` and `isStructured` are beyond upstream's released version.
 */
export function upstreamPayload(sink: string, isStructured: boolean): PayloadOf {
  switch (sink.trim().toLowerCase()) {
    case "slack":
      return (alert, { additionalInfo }) =>
        json({
          attachments: [
            {
              text: upstreamText(alert, additionalInfo),
              color: slackColors[alert.outcome],
              author_name: "Reloader",
            },
          ],
        });
    case "teams":
    case "gchat":
      return (alert, { additionalInfo }) => json({ text: upstreamText(alert, additionalInfo) });
    case "teams-workflow":
      return adaptiveCardPayload;
    default:
      return isStructured
        ? jsonPayload
        : (alert, { additionalInfo }) => ({
            contentType: "text/plain",
            body: upstreamText(alert, additionalInfo).replaceAll("*", ""),
          });
  }
}

/** Upstream's text for a reload; upstream has none for a failure or a change that is only reported. */
function upstreamText(alert: ReloadAlert, additionalInfo = ""): string {
  const { outcome, workload, changes } = alert;
  const detected = `Reloader detected changes in ${changes.map((change) => described({ ...change, kind: change.kind.toUpperCase() })).join(", ")}.`;
  const ends = {
    reloaded: `Hence reloaded ${described(workload)}`,
    failed: `Failed to reload ${described(workload)}: ${errorOf(alert)}`,
    notified: `Did not reload ${described(workload)}: the mode is notify`,
  };
  const prefix = additionalInfo === "" ? "" : `${additionalInfo} : `;
  return `${prefix}${detected} ${ends[outcome]}`;
}

function described({
  kind,
  namespace,
  name,
}: {
  readonly kind: WorkloadRef["kind"] | ResourceRef["kind"] | string;
  readonly namespace: string;
  readonly name: string;
}): string {
  return `*${name}* of type *${kind}* in namespace *${namespace}*`;
}
