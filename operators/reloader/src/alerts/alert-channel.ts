import { formatKey, type Stored } from "keelson";
import type { ReloaderConfig } from "../api/reloader-config.ts";
import type { Alerts } from "../api/spec.ts";
import type { ReloaderSettings } from "../settings.ts";
import { type AlertUrlPolicy, anyUrl, type UrlSource } from "./alert-url.ts";
import { templatePayload } from "./body-template.ts";
import {
  adaptiveCardPayload,
  googleChatPayload,
  jsonPayload,
  messageCardPayload,
  type PayloadOf,
  slackPayload,
} from "./payload.ts";
import { upstreamPayload } from "./upstream-payload.ts";

/** The channels of a ReloaderConfig by their fields, and that of the settings. The value of a label of metrics. */
export type ChannelType = "slack" | "teams" | "googleChat" | "customWebhook" | "settings";

/** One place where alerts are sent. */
export interface AlertChannel {
  readonly type: ChannelType;
  /** Identifies it: alerts of one channel are sent in order, and channels do not wait for each other. */
  readonly id: string;
  /** Whose channel it is; undefined for that of the settings. */
  readonly config: Stored<ReloaderConfig> | undefined;
  readonly url: UrlSource;
  /** Which URLs it may have. */
  readonly urls: AlertUrlPolicy;
  readonly payloadOf: PayloadOf;
}

/** The channel of the settings, if there is one. */
export function settingsChannels(
  settings: Pick<ReloaderSettings, "alertOnReload" | "alertSink" | "alertWebhookUrl" | "alertStructured">,
): readonly AlertChannel[] {
  const { alertOnReload, alertSink, alertWebhookUrl, alertStructured } = settings;
  if (alertOnReload === false || alertWebhookUrl === undefined) return [];
  return [
    {
      ...{ type: "settings", id: "settings", config: undefined },
      url: { type: "value", url: alertWebhookUrl },
      urls: anyUrl,
      payloadOf: upstreamPayload(alertSink, alertStructured),
    },
  ];
}

/** The channels of a ReloaderConfig. */
export function configChannels(
  config: Stored<ReloaderConfig>,
  urls: AlertUrlPolicy,
): readonly AlertChannel[] {
  const { slack, teams, googleChat, customWebhook } = config.spec.alerts ?? {};
  const { namespace = "" } = config.metadata;
  const channel = (type: ChannelType, at: Channel | undefined, payloadOf: PayloadOf): AlertChannel[] =>
    at === undefined
      ? []
      : [
          {
            type,
            id: `${formatKey(config.metadata)} ${type}`,
            config,
            urls,
            url: urlSource(at, namespace),
            payloadOf,
          },
        ];
  return [
    ...channel("slack", slack, slackPayload),
    ...channel("teams", teams, teams?.format === "AdaptiveCard" ? adaptiveCardPayload : messageCardPayload),
    ...channel("googleChat", googleChat, googleChatPayload),
    ...channel("customWebhook", customWebhook, webhookPayload(customWebhook)),
  ];
}

type Channel = NonNullable<Alerts["slack"]>;

function webhookPayload(webhook: Alerts["customWebhook"]): PayloadOf {
  if (webhook?.format === "Template") return templatePayload(webhook.template ?? "");
  return webhook?.format === "JSON" ? jsonPayload : slackPayload;
}

function urlSource({ url, secretRef }: Channel, namespace: string): UrlSource {
  if (url !== undefined) return { type: "value", url };
  if (secretRef === undefined)
    return { type: "invalid", problem: "it has neither url nor secretRef; write one of them" };
  if (secretRef.namespace !== undefined && secretRef.namespace !== namespace)
    return {
      type: "invalid",
      problem: `its secretRef names namespace ${secretRef.namespace}; only Secrets of ${namespace}, the namespace of the ReloaderConfig, are read`,
    };
  return { type: "secret", secret: { namespace, name: secretRef.name, key: secretRef.key } };
}
