import { describe, expect, it } from "vitest";
import { errorAlert, notifiedAlert, reloadAlert } from "../../test/support/alerts.ts";
import {
  adaptiveCardPayload,
  googleChatPayload,
  jsonPayload,
  messageCardPayload,
  type PayloadOf,
  slackPayload,
} from "./payload.ts";
import { upstreamPayload } from "./upstream-payload.ts";

const bodyOf = (payloadOf: PayloadOf, alert = reloadAlert, additionalInfo?: string): unknown =>
  JSON.parse(payloadOf(alert, { additionalInfo }).body);

const payloads = { slackPayload, messageCardPayload, adaptiveCardPayload, googleChatPayload, jsonPayload };

describe.each(Object.entries(payloads))("%s", (_, payloadOf) => {
  it("reports a reload", () => {
    expect(bodyOf(payloadOf)).toMatchSnapshot();
  });

  it("reports a failure, with the administrator's text", () => {
    expect(bodyOf(payloadOf, errorAlert, "cluster-1")).toMatchSnapshot();
  });

  it("reports a change in the mode notify", () => {
    expect(bodyOf(payloadOf, notifiedAlert)).toMatchSnapshot();
  });
});

it("writes no markup into Slack and Google Chat that an error contains", () => {
  const alert = { ...errorAlert, error: "<!channel> & <b>" };
  expect(slackPayload(alert, {}).body).toContain("&lt;!channel&gt; &amp; &lt;b&gt;");
  expect(googleChatPayload(alert, {}).body).toContain("&lt;!channel&gt; &amp; &lt;b&gt;");
});

it("cuts a long error", () => {
  const alert = { ...errorAlert, error: "x".repeat(100_000) };
  for (const payloadOf of Object.values(payloads))
    expect(payloadOf(alert, {}).body.length).toBeLessThan(4096);
});

describe("the payload of the settings", () => {
  const text =
    "Reloader detected changes in *db* of type *SECRET* in namespace *shop*. Hence reloaded *web* of type *Deployment* in namespace *shop*";

  it.each([
    ["slack", { attachments: [{ text, color: "good", author_name: "Reloader" }] }],
    [" Slack ", { attachments: [{ text, color: "good", author_name: "Reloader" }] }],
    ["teams", { text }],
    ["gchat", { text }],
  ])("is upstream's for the sink %s", (sink, expected) => {
    expect(bodyOf(upstreamPayload(sink, false))).toEqual(expected);
  });

  it("is upstream's plain text for any other sink", () => {
    const payload = upstreamPayload("raw", false)(reloadAlert, { additionalInfo: "cluster-1" });
    expect(payload).toEqual({
      contentType: "text/plain",
      body: `cluster-1 : ${text.replaceAll("*", "")}`,
    });
  });

  it("is JSON for a structured sink", () => {
    expect(bodyOf(upstreamPayload("raw", true), reloadAlert, "cluster-1")).toMatchObject({
      event: "reload",
      workloadKind: "Deployment",
      workloadName: "web",
      workloadNamespace: "shop",
      resourceKind: "Secret",
      resourceName: "db",
      resourceNamespace: "shop",
      timestamp: "2026-01-01T00:00:00.000Z",
      additional: "cluster-1",
    });
  });

  it("is an Adaptive Card for the workflows of Teams", () => {
    expect(upstreamPayload("teams-workflow", false)(reloadAlert, {})).toEqual(
      adaptiveCardPayload(reloadAlert, {}),
    );
  });

  it("says that a reload failed, and that a change is only reported", () => {
    const payloadOf = upstreamPayload("slack", false);
    expect([bodyOf(payloadOf, errorAlert), bodyOf(payloadOf, notifiedAlert)]).toMatchObject([
      { attachments: [{ color: "danger", text: expect.stringContaining("Failed to reload *web*") }] },
      { attachments: [{ color: "warning", text: expect.stringContaining("the mode is notify") }] },
    ]);
  });
});
