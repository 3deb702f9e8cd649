import type { LabelSelector, Resource } from "@keelson/core";
import { describe, expect, it } from "vitest";
import { type Admission, admission } from "./admission.ts";
import {
  makeConversion,
  makeMutatingConfiguration,
  makeValidatingConfiguration,
} from "./webhook-configurations.ts";

const WebApp: Resource = {
  group: "example.com",
  version: "v1",
  kind: "WebApp",
  plural: "webapps",
  scope: "Namespaced",
};
const caBundle = "PEM";
const encoded = Buffer.from(caBundle).toString("base64");
const inCluster = { name: "web", caBundle, endpoint: { service: { namespace: "ops", name: "hooks" } } };
const local = { name: "web", caBundle, endpoint: { url: "https://127.0.0.1:9443/" } };

describe("webhook configurations", () => {
  it("set every field of a webhook", () => {
    const webhooks = admission(WebApp).mutate(() => undefined);
    expect(makeMutatingConfiguration([webhooks], inCluster)).toEqual({
      metadata: { name: "web" },
      webhooks: [
        {
          name: "mutate.webapp.v1.example.com",
          admissionReviewVersions: ["v1"],
          clientConfig: {
            caBundle: encoded,
            service: { namespace: "ops", name: "hooks", port: 443, path: "/mutate-example-com-v1-webapp" },
          },
          failurePolicy: "Fail",
          matchConditions: [
            {
              name: "more-than-finalizers-during-deletion",
              expression: expect.stringContaining("oldObject"),
            },
          ],
          matchPolicy: "Equivalent",
          namespaceSelector: {},
          objectSelector: {},
          reinvocationPolicy: "Never",
          rules: [
            {
              apiGroups: ["example.com"],
              apiVersions: ["v1"],
              operations: ["CREATE", "UPDATE"],
              resources: ["webapps"],
              scope: "Namespaced",
            },
          ],
          sideEffects: "None",
          timeoutSeconds: 10,
        },
      ],
    });
    expect(makeValidatingConfiguration([webhooks], inCluster)).toBeUndefined();
  });

  it("follow the settings", () => {
    const settings = {
      failurePolicy: "Ignore",
      duringDeletion: "Call",
      matchConditions: [
        { name: "not-system", expression: "!request.userInfo.username.startsWith('system:')" },
      ],
      matchPolicy: "Exact",
      namespaceSelector: { matchLabels: { team: "a" } },
      objectSelector: { matchLabels: { checked: "yes" } },
      sideEffects: "NoneOnDryRun",
      timeoutSeconds: 3,
    } as const;
    const webhooks = admission(WebApp, { ...settings, subresource: "status", reinvocationPolicy: "IfNeeded" })
      .mutate(() => undefined, { operations: ["UPDATE"] })
      .validate(() => undefined, { operations: ["UPDATE"] })
      .validate(() => undefined, { operations: ["DELETE", "UPDATE"] });
    const [validating] = makeValidatingConfiguration([webhooks], local)?.webhooks ?? [];
    const { duringDeletion: _, ...fields } = settings;
    expect(validating).toMatchObject({
      ...fields,
      name: "validate.status.webapp.v1.example.com",
      clientConfig: {
        url: "https://127.0.0.1:9443/validate-example-com-v1-webapp-status",
        caBundle: encoded,
      },
      rules: [{ operations: ["DELETE", "UPDATE"], resources: ["webapps/status"] }],
    });
    const [mutating] = makeMutatingConfiguration([webhooks], local)?.webhooks ?? [];
    expect(mutating).toMatchObject({ reinvocationPolicy: "IfNeeded", rules: [{ operations: ["UPDATE"] }] });
  });

  it("select only the namespaces that the manager is limited to", () => {
    const selectorOf = (webhooks: Admission) =>
      makeValidatingConfiguration([webhooks], { ...local, namespaces: ["shop", "blog"] })?.webhooks?.[0]
        ?.namespaceSelector;
    const served = { key: "kubernetes.io/metadata.name", operator: "In", values: ["shop", "blog"] };
    const check = () => undefined;
    expect(selectorOf(admission(WebApp).validate(check))).toEqual({ matchExpressions: [served] });
    const namespaceSelector: LabelSelector = {
      matchLabels: { team: "a" },
      matchExpressions: [{ key: "old", operator: "DoesNotExist" }],
    };
    expect(selectorOf(admission(WebApp, { namespaceSelector }).validate(check))).toEqual({
      matchLabels: { team: "a" },
      matchExpressions: [{ key: "old", operator: "DoesNotExist" }, served],
    });
    expect(selectorOf(admission({ ...WebApp, scope: "Cluster" }).validate(check))).toEqual({});
  });

  it("[WH10] have a condition about deletion only for requests that can change finalizers", () => {
    const conditionsOf = (webhooks: Admission) =>
      makeValidatingConfiguration([webhooks], local)?.webhooks?.[0]?.matchConditions?.map(({ name }) => name);
    const check = () => undefined;
    expect(
      conditionsOf(admission(WebApp).validate(check, { operations: ["CREATE", "DELETE"] })),
    ).toBeUndefined();
    expect(conditionsOf(admission(WebApp, { subresource: "status" }).validate(check))).toBeUndefined();
    const skipping = { duringDeletion: "SkipUpdates", subresource: "status" } as const;
    expect(conditionsOf(admission(WebApp, skipping).validate(check))).toEqual(["not-being-deleted"]);
    const matchConditions = [{ name: "first", expression: "true" }];
    expect(conditionsOf(admission(WebApp, { matchConditions }).validate(check))).toEqual([
      "first",
      "more-than-finalizers-during-deletion",
    ]);
  });

  it("select the webhook as the converter of a CustomResourceDefinition", () => {
    expect(makeConversion(WebApp, local)).toEqual({
      metadata: { name: "webapps.example.com" },
      spec: {
        conversion: {
          strategy: "Webhook",
          webhook: {
            clientConfig: { caBundle: encoded, url: "https://127.0.0.1:9443/convert" },
            conversionReviewVersions: ["v1"],
          },
        },
      },
    });
  });
});
