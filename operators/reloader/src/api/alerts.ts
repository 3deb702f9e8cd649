import { rule, z } from "keelson";
import { namespaceName, objectName } from "./fields.ts";

const url = rule(z.string().min(1).max(2048), {
  rule: "self.matches('^https?://[^/?#]+')",
  message: "must be a URL that begins with https://",
}).describe(
  "The URL; everyone who may read the ReloaderConfig can read it, so a secretRef is the better choice",
);

const secretRef = z.object({
  name: objectName.describe("The name of the Secret"),
  key: z.string().min(1).max(253).default("url").describe("The key of the Secret whose value is the URL"),
  namespace: namespaceName
    .exactOptional()
    .describe("Only the namespace of the ReloaderConfig is accepted, which is the default"),
});

const channelFields = {
  url: url.exactOptional(),
  secretRef: secretRef.exactOptional().describe("A Secret that has the URL"),
};

const oneSource = {
  rule: "has(self.url) != has(self.secretRef)",
  message: "must have exactly one of url and secretRef",
};

const channel = rule(z.object(channelFields), oneSource);

const teams = rule(
  z.object({
    ...channelFields,
    format: z
      .enum(["MessageCard", "AdaptiveCard"])
      .default("MessageCard")
      .describe("AdaptiveCard for workflows, MessageCard for connectors"),
  }),
  oneSource,
);

const customWebhook = [
  {
    rule: "!has(self.template) || self.format == 'Template'",
    message: "template has no effect with this format; write format: Template, or remove the template",
  },
  {
    rule: "self.format != 'Template' || has(self.template)",
    message: 'format Template needs a template, such as \'{"text": "{{text}}"}\'',
  },
].reduce(
  (schema, each) => rule(schema, each),
  rule(
    z.object({
      ...channelFields,
      format: z
        .enum(["Slack", "JSON", "Template"])
        .default("Slack")
        .describe("The body: as for Slack, the facts as JSON, or the template"),
      template: z.string().min(1).max(8192).exactOptional().describe("With format Template: the body"),
    }),
    oneSource,
  ),
);

/** Where reloads are reported. */
export const alerts = z.object({
  slack: channel.exactOptional().describe("An incoming webhook of Slack"),
  teams: teams.exactOptional().describe("A workflow or a connector of Microsoft Teams"),
  googleChat: channel.exactOptional().describe("A webhook of a space of Google Chat"),
  customWebhook: customWebhook.exactOptional().describe("Any other URL that accepts POST"),
});
