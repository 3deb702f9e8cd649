import type { Stored } from "keelson";
import { describe, expect, it } from "vitest";
import { reloadAlert } from "../../test/support/alerts.ts";
import type { ReloaderConfig } from "../api/reloader-config.ts";
import type { ReloaderConfigSpecInput } from "../api/spec.ts";
import { spec } from "../api/spec.ts";
import { configChannels, settingsChannels } from "./alert-channel.ts";

type AlertsInput = NonNullable<ReloaderConfigSpecInput["alerts"]>;

function configWith(alerts: AlertsInput): Stored<ReloaderConfig> {
  return {
    ...{ apiVersion: "reloader.stakater.com/v1alpha1", kind: "ReloaderConfig" },
    metadata: {
      ...{ namespace: "shop", name: "web", uid: "1", resourceVersion: "1", generation: 1 },
      creationTimestamp: "2026-01-01T00:00:00Z",
    },
    spec: spec.parse({ alerts }),
  };
}

const strict = { allowHttp: false, allowPrivateAddresses: false };
const url = "https://hooks.example.com/x";

describe("the channels of a ReloaderConfig", () => {
  it("are those of its fields", () => {
    const channels = configChannels(
      configWith({ slack: { url }, teams: { url }, googleChat: { url }, customWebhook: { url } }),
      strict,
    );
    expect(channels.map(({ id }) => id)).toEqual([
      "shop/web slack",
      "shop/web teams",
      "shop/web googleChat",
      "shop/web customWebhook",
    ]);
  });

  it.each<[string, AlertsInput, string]>([
    ["an attachment for Slack", { slack: { url } }, '"attachments"'],
    ["a MessageCard for Teams", { teams: { url } }, '"@type":"MessageCard"'],
    ["an Adaptive Card for Teams", { teams: { url, format: "AdaptiveCard" } }, '"type":"AdaptiveCard"'],
    ["cards for Google Chat", { googleChat: { url } }, '"cards"'],
    ["Slack's format for a webhook", { customWebhook: { url } }, '"attachments"'],
    ["JSON for a webhook", { customWebhook: { url, format: "JSON" } }, '"event":"reload"'],
    [
      "a template for a webhook",
      { customWebhook: { url, format: "Template", template: '{"t":"{{workloadName}}"}' } },
      '{"t":"web"}',
    ],
  ])("send %s", (_, alerts, expected) => {
    const [channel] = configChannels(configWith(alerts), strict);
    expect(channel?.payloadOf(reloadAlert, {}).body).toContain(expected);
  });

  it.each<[string, NonNullable<AlertsInput["slack"]>, unknown]>([
    ["the field", { url }, { type: "value", url }],
    [
      "a Secret of the same namespace",
      { secretRef: { name: "hooks" } },
      { type: "secret", secret: { namespace: "shop", name: "hooks", key: "url" } },
    ],
    [
      "a key of a Secret",
      { secretRef: { name: "hooks", key: "slack", namespace: "shop" } },
      { type: "secret", secret: { namespace: "shop", name: "hooks", key: "slack" } },
    ],
    [
      "no Secret of another namespace",
      { secretRef: { name: "hooks", namespace: "kube-system" } },
      { type: "invalid", problem: expect.stringContaining("only Secrets of shop") },
    ],
    ["nothing", {}, { type: "invalid", problem: expect.stringContaining("neither url nor secretRef") }],
  ])("take their URLs from %s", (_, slack, expected) => {
    expect(configChannels(configWith({ slack }), strict)).toMatchObject([{ url: expected }]);
  });

  it("are none without alerts", () => {
    expect(configChannels({ ...configWith({}), spec: spec.parse({}) }, strict)).toEqual([]);
  });
});

describe("the channel of the settings", () => {
  const settings = {
    alertOnReload: undefined,
    alertSink: "slack",
    alertWebhookUrl: url,
    alertStructured: false,
  } as const;

  it("exists if there is a URL and alerts are not off; the administrator's URL may lead anywhere", () => {
    expect(settingsChannels(settings)).toMatchObject([
      {
        type: "settings",
        url: { type: "value", url },
        urls: { allowHttp: true, allowPrivateAddresses: true },
      },
    ]);
    expect(settingsChannels({ ...settings, alertOnReload: true })).toHaveLength(1);
    expect(settingsChannels({ ...settings, alertOnReload: false })).toEqual([]);
    expect(settingsChannels({ ...settings, alertWebhookUrl: undefined })).toEqual([]);
  });
});
