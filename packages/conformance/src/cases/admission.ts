import { type CaseGroup, type ConformanceCase, conforms } from "../conformance-case.ts";
import type { Stage } from "../stage.ts";
import { configMap, type Fields, manifest, pod } from "./manifests.ts";

const admission = "admissionregistration.k8s.io/v1";

/** A webhook at an address where no server listens, for the configmaps of the case's namespace. */
function webhook(stage: Stage, fields: Fields = {}): Fields {
  return {
    name: "unreachable.example.com",
    clientConfig: { url: "https://127.0.0.1:1/hook" },
    rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": stage.namespace } },
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
    timeoutSeconds: 5,
    ...fields,
  };
}

function configuration(stage: Stage, kind: string, fields: Fields = {}): Fields {
  return manifest(admission, kind, `${stage.namespace}-hooks`, { webhooks: [webhook(stage, fields)] });
}

/** Creates configmaps with a webhook in force, which is removed after that. */
function hookCase(
  name: string,
  kind: string,
  fields: Fields,
  run: (stage: Stage) => Promise<void>,
): ConformanceCase {
  return conforms(name, async (stage) => {
    const path = `/apis/${admission}/${kind.toLowerCase()}s`;
    await stage.create(path, configuration(stage, kind, fields));
    await stage.create(path, {
      ...configuration(stage, kind, {
        name: "probe.example.com",
        failurePolicy: "Fail",
        objectSelector: { matchLabels: { probe: "yes" } },
      }),
      metadata: { name: `${stage.namespace}-probe` },
    });
    const probe = configMap("probe", { metadata: { labels: { probe: "yes" } } });
    await stage.untilAnswer(
      { method: "POST", path: stage.path("configmaps?dryRun=All"), body: JSON.stringify(probe) },
      (response) => JSON.stringify(response).includes("InternalError"),
    );
    await run(stage);
    await stage.remove(`${path}/${stage.namespace}-hooks`);
    await stage.remove(`${path}/${stage.namespace}-probe`);
  });
}

const create = async (stage: Stage): Promise<void> => {
  await stage.create(stage.path("configmaps"), configMap("a"));
};

/** [sentence, kind, fields]: configurations that are refused or completed. */
const configurations: readonly (readonly [sentence: string, kind: string, fields: Fields])[] = [
  ["a webhook has side effects that are known", "ValidatingWebhookConfiguration", { sideEffects: "Some" }],
  [
    "a webhook lists the review versions that it reads",
    "ValidatingWebhookConfiguration",
    { admissionReviewVersions: [] },
  ],
  ["a webhook has a name with dots", "ValidatingWebhookConfiguration", { name: "simple" }],
  ["a webhook is reached in one way", "MutatingWebhookConfiguration", { clientConfig: {} }],
  [
    "a webhook is reached by HTTPS",
    "MutatingWebhookConfiguration",
    { clientConfig: { url: "http://127.0.0.1:1" } },
  ],
  [
    "the timeout of a webhook is at most 30 seconds",
    "ValidatingWebhookConfiguration",
    { timeoutSeconds: 31 },
  ],
  ["a webhook's failure policy is one of two", "ValidatingWebhookConfiguration", { failurePolicy: "Maybe" }],
  [
    "a webhook's conditions are expressions",
    "ValidatingWebhookConfiguration",
    { matchConditions: [{ name: "a", expression: "object." }] },
  ],
  [
    "a webhook's conditions are true or false, and know what a request has",
    "ValidatingWebhookConfiguration",
    {
      matchConditions: [
        ...["object.metadata.name", "request.name", "request.none == 1", "request.userInfo.groups == 1"],
        ...["authorizer.check('get').allowed()", "authorizer.requestResource.check('get')", "self == 1"],
        ...["object.spec.replicas > 1", "request.resource.group == '' && oldObject == null"],
        "authorizer.serviceAccount('a', 'b').group('').resource('pods').labelSelector('a').check('get').allowed()",
      ].map((expression, at) => ({ name: `c${at}`, expression })),
    },
  ],
  [
    "a webhook's conditions have names",
    "ValidatingWebhookConfiguration",
    { matchConditions: [{ name: "", expression: "true" }] },
  ],
  ["a webhook's rules are complete", "ValidatingWebhookConfiguration", { rules: [{ operations: ["READ"] }] }],
];

export const admissionCases: CaseGroup = {
  title: "admission",
  cases: [
    ...configurations.map(([sentence, kind, fields]) =>
      conforms(sentence, async (stage) => {
        const path = `/apis/${admission}/${kind.toLowerCase()}s?dryRun=All`;
        await stage.create(path, configuration(stage, kind, fields));
      }),
    ),
    hookCase(
      "a webhook that cannot be reached refuses by default",
      "ValidatingWebhookConfiguration",
      {},
      create,
    ),
    hookCase(
      "a webhook that cannot be reached is ignored if its failure policy is Ignore",
      "ValidatingWebhookConfiguration",
      { failurePolicy: "Ignore" },
      create,
    ),
    hookCase("a webhook that would change and cannot be reached", "MutatingWebhookConfiguration", {}, create),
    hookCase(
      "a webhook is called for its own operations only",
      "ValidatingWebhookConfiguration",
      {
        rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["DELETE"], resources: ["configmaps"] }],
      },
      async (stage) => {
        await create(stage);
        await stage.delete(stage.path("configmaps/a"));
      },
    ),
    hookCase(
      "a webhook is called for labelled objects only",
      "ValidatingWebhookConfiguration",
      { objectSelector: { matchLabels: { checked: "yes" } } },
      async (stage) => {
        await create(stage);
        await stage.create(
          stage.path("configmaps"),
          configMap("b", { metadata: { labels: { checked: "yes" } } }),
        );
      },
    ),
    hookCase(
      "a webhook is called if its match conditions hold",
      "ValidatingWebhookConfiguration",
      { matchConditions: [{ name: "named-b", expression: "object.metadata.name == 'b'" }] },
      async (stage) => {
        await create(stage);
        await stage.create(stage.path("configmaps"), configMap("b"));
      },
    ),
    hookCase(
      "a webhook is called if its user may do something, and a service account may not",
      "ValidatingWebhookConfiguration",
      {
        matchConditions: [
          { name: "user", expression: "authorizer.requestResource.check('delete').allowed()" },
          {
            name: "account",
            expression:
              "!authorizer.serviceAccount('default', 'default').group('').resource('configmaps').check('get').allowed()",
          },
        ],
      },
      create,
    ),
    hookCase(
      "a webhook without side effects is called in dry runs, and its failure is ignored",
      "ValidatingWebhookConfiguration",
      { sideEffects: "NoneOnDryRun", failurePolicy: "Ignore" },
      async (stage) => {
        await stage.create(stage.path("configmaps?dryRun=All"), configMap("a"));
      },
    ),
    conforms("nothing is created in a namespace that is not there", async (stage) => {
      await stage.create("/api/v1/namespaces/never-made/configmaps", configMap("a"));
      await stage.create("/api/v1/namespaces/never-made/pods", pod("a"));
      await stage.apply("/api/v1/namespaces/never-made/configmaps/a?fieldManager=ann", configMap("a"));
    }),
    conforms("a pod without a service account gets the default one", async (stage) => {
      await stage.create(stage.path("pods"), pod("a", { serviceAccountName: "" }));
    }),
    conforms("a pod has the pull secrets of its service account", async (stage) => {
      await stage.prepare(
        stage.path("serviceaccounts"),
        manifest("v1", "ServiceAccount", "puller", {
          imagePullSecrets: [{ name: "registry" }],
          automountServiceAccountToken: false,
        }),
      );
      await stage.create(stage.path("pods"), pod("a", { serviceAccountName: "puller" }));
    }),
    conforms("a pod has the priority of its class", async (stage) => {
      await stage.create(
        stage.path("pods?dryRun=All"),
        pod("a", { priorityClassName: "system-node-critical" }),
      );
    }),
    conforms("a pod gets the tolerations that every pod has", async (stage) => {
      await stage.create(
        stage.path("pods"),
        pod("a", {
          tolerations: [
            {
              key: "node.kubernetes.io/not-ready",
              operator: "Exists",
              effect: "NoExecute",
              tolerationSeconds: 5,
            },
          ],
        }),
      );
    }),
  ],
};
