import { isRecord } from "@keelson/core";
import { type CaseGroup, type ConformanceCase, conforms } from "../conformance-case.ts";
import type { Stage } from "../stage.ts";
import {
  admitted,
  converted,
  startWebhookServer,
  type WebhookCall,
  type WebhookReply,
  type WebhookServer,
} from "../webhook-server.ts";
import { defineWidgets, removeDefinition, untilServed, widget, widgets } from "./custom-kinds.ts";
import { configMap, type Fields, manifest } from "./manifests.ts";

type Reply = (call: WebhookCall) => WebhookReply;
type ClientConfig = (server: WebhookServer) => Fields;

interface Hook {
  readonly reply?: Reply;
  readonly clientConfig?: ClientConfig;
  /** Of the serving certificate. */
  readonly addresses?: readonly string[];
}

const hooksPath = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";

/** What envtest writes: the address of the server in this process, and its own certificate. */
const ofEnvtest: ClientConfig = ({ url, caBundle }) => ({ url: `${url}/mutate`, caBundle });

const at =
  (path: string): ClientConfig =>
  ({ url, caBundle }) => ({ url: `${url}${path}`, caBundle });

const label = Buffer.from(
  JSON.stringify([{ op: "add", path: "/metadata/labels", value: { seen: "yes" } }]),
).toString("base64");

const labels: Reply = (call) => admitted(call, { patchType: "JSONPatch", patch: label });

/** Sends requests for `/mutate` on to where `location` says, and labels what arrives at another path. */
function redirects(status: number, location: string | undefined): Reply {
  return (call) =>
    call.path.startsWith("/mutate")
      ? { status, headers: location === undefined ? {} : { location } }
      : labels(call);
}

/** Creates a ConfigMap while a webhook is configured, and records the response and what the webhook server received. */
function admissionCase(
  name: string,
  { reply = labels, clientConfig = ofEnvtest, addresses }: Hook,
): ConformanceCase {
  return conforms(name, async (stage) => {
    await using server = await startWebhookServer(reply, addresses);
    const webhook = {
      name: "labels.example.com",
      clientConfig: clientConfig(server),
      rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": stage.namespace } },
      admissionReviewVersions: ["v1"],
      sideEffects: "None",
      timeoutSeconds: 10,
    };
    const configuration = `${stage.namespace}-calls`;
    await stage.prepare(
      hooksPath,
      manifest("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", configuration, {
        webhooks: [webhook],
      }),
    );
    const probe = JSON.stringify(configMap("probe"));
    await stage.untilAnswer(
      { method: "POST", path: stage.path("configmaps?dryRun=All"), body: probe },
      (response) => server.calls.length > 0 || JSON.stringify(response).includes("failed calling webhook"),
    );
    const before = server.calls.length;
    await stage.create(stage.path("configmaps"), configMap("a"));
    recordCalls(stage, server, before);
    await stage.remove(`${hooksPath}/${configuration}`);
  });
}

/** Each kind of call once: a server may convert an object also for its own sake. */
function recordCalls(stage: Stage, { calls }: WebhookServer, before: number): void {
  const shown = calls
    .slice(before)
    .map(({ method, path, review }) => `${method} ${path} ${review.apiVersion} ${review.kind}`);
  stage.record("calls of the webhook", [...new Set(shown)]);
}

const served = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const version = (name: string, storage: boolean): Fields => ({
  name,
  storage,
  served: true,
  schema: { openAPIV3Schema: served },
});

const toVersion: Reply = (call) =>
  converted(call, (object, apiVersion) => ({ ...object, apiVersion, convertedTo: apiVersion.split("/")[1] }));

/** Reads a widget in another version than the stored one, and records the response and the calls. */
function conversionCase(
  name: string,
  { reply = toVersion, clientConfig = ofEnvtest }: Hook,
): ConformanceCase {
  return conforms(name, async (stage) => {
    await using server = await startWebhookServer(reply);
    const conversion = {
      strategy: "Webhook",
      webhook: { conversionReviewVersions: ["v1"], clientConfig: clientConfig(server) },
    };
    await defineWidgets(stage, {
      definition: { conversion, versions: [version("v1", true), version("v2", false)] },
    });
    await untilServed(stage, "v2");
    await stage.prepare(widgets(stage), widget(stage, "a"));
    const before = server.calls.length;
    await stage.get(widgets(stage, "/a", "v2"));
    recordCalls(stage, server, before);
    await stage.get(widgets(stage, "", "v2"));
    await removeDefinition(stage);
  });
}

const mutateTwice: Reply = (call) =>
  call.path.includes("//")
    ? { status: 307, headers: { location: call.path.replaceAll("//", "/") } }
    : labels(call);

export const webhookCallCases: CaseGroup = {
  title: "webhook calls",
  cases: [
    admissionCase("a serving certificate is trusted if the CA bundle is this certificate", {}),
    admissionCase("a serving certificate is trusted if the CA bundle is its authority", {
      clientConfig: ({ url, authorityBundle }) => ({ url: `${url}/mutate`, caBundle: authorityBundle }),
    }),
    admissionCase("a serving certificate is not trusted without a CA bundle", {
      clientConfig: ({ url }) => ({ url: `${url}/mutate` }),
    }),
    admissionCase("a serving certificate for another address is not trusted", { addresses: ["127.0.0.9"] }),
    admissionCase("a serving certificate for names only is not trusted at an address", { addresses: [] }),
    admissionCase("a path with two slashes is cleaned before the call", {
      clientConfig: at("//mutate"),
      reply: mutateTwice,
    }),
    admissionCase("a path with dots and a slash at its end is cleaned before the call", {
      clientConfig: at("/a/../b/./c//"),
    }),
    admissionCase("a webhook without a path is called at the root", { clientConfig: at("") }),
    ...[307, 308].map((status) =>
      admissionCase(`a redirect with ${status} is followed with the review`, {
        reply: redirects(status, "/elsewhere?again=yes"),
      }),
    ),
    ...[301, 302, 303].map((status) =>
      admissionCase(`a redirect with ${status} is followed without the review`, {
        reply: redirects(status, "/elsewhere"),
      }),
    ),
    ...[300, 304, 305].map((status) =>
      admissionCase(`a response with ${status} is a failure`, { reply: redirects(status, "/elsewhere") }),
    ),
    admissionCase("a redirect without a location is a failure", { reply: redirects(307, undefined) }),
    admissionCase("a redirect to a server that does not listen is a failure", {
      reply: redirects(307, "https://127.0.0.1:1/elsewhere"),
    }),
    admissionCase("a redirect to an unknown scheme is a failure", { reply: redirects(307, "gopher://a/b") }),
    admissionCase("at most ten redirects are followed", { reply: redirects(307, "/mutate/again") }),
    admissionCase("a connection that ends without a response is a failure", {
      reply: () => {
        throw new Error("end");
      },
    }),
    conversionCase("a conversion webhook is trusted by its own certificate", {}),
    conversionCase("a path of a conversion webhook is cleaned", { clientConfig: at("//convert/") }),
    conversionCase("a redirect of a conversion webhook is followed", {
      reply: (call) =>
        call.path === "/mutate" ? { status: 307, headers: { location: "/convert" } } : toVersion(call),
    }),
    conversionCase("a conversion webhook that cannot be reached", {
      clientConfig: ({ caBundle }) => ({ url: "https://127.0.0.1:1/convert", caBundle }),
    }),
    ...[403, 404, 500].map((status) =>
      conversionCase(`a conversion webhook responds with ${status}`, {
        reply: () => ({ status, body: { some: "text" } }),
      }),
    ),
    conversionCase("a conversion webhook responds with a failure", {
      reply: ({ review: { apiVersion, kind, request } }) => ({
        status: 200,
        body: {
          apiVersion,
          kind,
          response: { uid: isRecord(request) ? request.uid : "", result: { status: "Failure" } },
        },
      }),
    }),
  ],
};
