import { errorOf, type ReloadAlert, textOf } from "./alert.ts";

/** The body of a POST and its content type. */
export interface Payload {
  readonly contentType: "application/json" | "text/plain";
  readonly body: string;
}

/** What else goes into every payload. */
export interface PayloadOptions {
  /** The administrator's text, such as the name of the cluster. */
  readonly additionalInfo?: string | undefined;
}

/** Makes the payload of one kind of channel. */
export type PayloadOf = (alert: ReloadAlert, options: PayloadOptions) => Payload;

const footer = "Reloader Operator";

/** By outcome, as Slack and Teams show them. */
const slackColors = { reloaded: "#36a64f", notified: "#ffcc00", failed: "#ff0000" } as const;
const teamsColors = { reloaded: "00ff00", notified: "ffcc00", failed: "ff0000" } as const;
const adaptiveColors = { reloaded: "Good", notified: "Warning", failed: "Attention" } as const;

/** An attachment of Slack, which other chats accept as well. */
export const slackPayload: PayloadOf = (alert, { additionalInfo }) => {
  const { title, text, facts } = textOf(alert, additionalInfo);
  return json({
    attachments: [
      {
        fallback: escapeMarkup(`${title}: ${text}`),
        color: slackColors[alert.outcome],
        title,
        text: escapeMarkup(text),
        fields: facts
          .filter(({ name }) => name !== "Time")
          .map(({ name, value, isLong = false }) => ({
            title: name,
            value: escapeMarkup(value),
            short: !isLong,
          })),
        footer,
        ts: Math.floor(Date.parse(alert.time) / 1000),
      },
    ],
  });
};

/** The MessageCard of the connectors of Microsoft Teams. */
export const messageCardPayload: PayloadOf = (alert, { additionalInfo }) => {
  const { title, text, facts } = textOf(alert, additionalInfo);
  return json({
    "@type": "MessageCard",
    "@context": "https://schema.org/extensions",
    summary: `${title}: ${text}`,
    themeColor: teamsColors[alert.outcome],
    sections: [
      {
        activityTitle: title,
        activitySubtitle: text,
        facts: facts.map(({ name, value }) => ({ name, value })),
        markdown: false,
      },
    ],
  });
};

/** The Adaptive Card of the workflows of Microsoft Teams, which replace its connectors. */
export const adaptiveCardPayload: PayloadOf = (alert, { additionalInfo }) => {
  const { title, text, facts } = textOf(alert, additionalInfo);
  return json({
    type: "message",
    attachments: [
      {
        contentType: "application/vnd.microsoft.card.adaptive",
        contentUrl: null,
        content: {
          $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
          type: "AdaptiveCard",
          version: "1.4",
          body: [
            {
              type: "TextBlock",
              size: "Medium",
              weight: "Bolder",
              color: adaptiveColors[alert.outcome],
              text: title,
            },
            { type: "TextBlock", text, wrap: true },
            { type: "FactSet", facts: facts.map(({ name, value }) => ({ title: name, value })) },
          ],
        },
      },
    ],
  });
};

/** The cards of Google Chat. */
export const googleChatPayload: PayloadOf = (alert, { additionalInfo }) => {
  const { title, text, facts } = textOf(alert, additionalInfo);
  return json({
    cards: [
      {
        header: { title, subtitle: text },
        sections: [
          {
            widgets: facts.map(({ name, value, isLong = false }) => ({
              keyValue: {
                topLabel: name,
                content: escapeMarkup(value),
                ...(isLong && { contentMultiline: true }),
              },
            })),
          },
        ],
      },
    ],
  });
};

/** The values of an alert by name, as upstream's next version writes them to webhooks; `resources` has all changes. */
function alertValues(alert: ReloadAlert, { additionalInfo = "" }: PayloadOptions) {
  const { outcome, workload, changes, strategy, time, configs } = alert;
  const error = errorOf(alert);
  const [first] = changes;
  return {
    event: outcome === "reloaded" ? "reload" : outcome,
    outcome,
    workloadKind: workload.kind,
    workloadName: workload.name,
    workloadNamespace: workload.namespace,
    resourceKind: first?.kind ?? "",
    resourceName: first?.name ?? "",
    resourceNamespace: first?.namespace ?? "",
    resources: changes.map(({ kind, namespace, name }) => ({ kind, namespace, name })),
    strategy,
    timestamp: time,
    configs: configs.map(({ namespace = "", name }) => ({ namespace, name })),
    ...(error !== "" && { error }),
    ...(additionalInfo !== "" && { additional: additionalInfo }),
  };
}

/** One flat JSON object. */
export const jsonPayload: PayloadOf = (alert, options) => json(alertValues(alert, options));

/** A payload of JSON. */
export function json(value: unknown): Payload {
  return { contentType: "application/json", body: JSON.stringify(value) };
}

/** Text in which Slack and Google Chat see no markup. */
function escapeMarkup(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
