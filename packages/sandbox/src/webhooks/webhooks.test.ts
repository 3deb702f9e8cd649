import type { GenericObject, OutgoingPost } from "@keelson/core";
import { describe, expect, it } from "vitest";
import { type AdmissionWorld, admissionWorld } from "../../test/support/admission-world.ts";
import { refusal } from "../../test/support/writer-world.ts";
import type { WebhookResponse } from "../resource/webhook-caller.ts";

type Json = Record<string, unknown>;
/** The reply of a webhook: fields of the response, a whole HTTP response, or an error. */
type Reply = (review: { readonly request: Json }) => Json | WebhookResponse | Error | Promise<never>;

interface Setup extends AdmissionWorld {
  readonly calls: { readonly name: string; readonly request: Json; readonly sent: OutgoingPost }[];
  /** Configures webhooks of the kind, in one configuration. */
  configure(
    kind: "mutating" | "validating",
    hooks: Readonly<Record<string, Hook>>,
    configuration?: string,
  ): void;
  configMap(name: string, fields?: object, options?: object): Promise<GenericObject>;
}

interface Hook {
  readonly reply?: Reply;
  readonly [field: string]: unknown;
}

const everything = [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"] }];

function setup(): Setup {
  const replies = new Map<string, Reply>();
  const calls: Setup["calls"] = [];
  const world = admissionWorld(async (sent) => {
    const name = new URL(sent.url).pathname.slice(1);
    const review: { request: Json } = JSON.parse(sent.body);
    calls.push({ name, request: review.request, sent });
    const reply = await Promise.resolve(replies.get(name)?.(review) ?? {});
    if (reply instanceof Error) throw reply;
    if (isResponse(reply)) return reply;
    const response = { uid: review.request.uid, allowed: true, ...reply };
    const body = JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response });
    return { status: 200, contentType: "application/json", body };
  });
  return {
    ...world,
    calls,
    configure(kind, hooks, configuration = "config") {
      const webhooks = Object.entries(hooks).map(([name, { reply, ...fields }]) => {
        if (reply !== undefined) replies.set(name, reply);
        return {
          name: `${name}.example.com`,
          admissionReviewVersions: ["v1"],
          sideEffects: "None",
          timeoutSeconds: 2,
          failurePolicy: "Fail",
          clientConfig: { url: `https://hooks.test/${name}` },
          rules: everything,
          ...fields,
        };
      });
      world.put(`${kind}webhookconfigurations`, { metadata: { name: configuration }, webhooks });
    },
    configMap: (name, fields = {}, options = {}) =>
      world.create("configmaps", { metadata: { name, namespace: "shop" }, ...fields }, options),
  };
}

function isResponse(reply: Json | WebhookResponse): reply is WebhookResponse {
  return typeof reply.status === "number";
}

function patch(...operations: readonly object[]): Json {
  const text = JSON.stringify(operations);
  return { patchType: "JSONPatch", patch: Buffer.from(text).toString("base64") };
}

const add = (path: string, value: unknown): Json => patch({ op: "add", path, value });

describe("a mutating webhook", () => {
  it("is sent the write, and changes the object", async () => {
    const { configure, configMap, calls } = setup();
    configure("mutating", { hook: { reply: () => add("/data", { a: "b" }) } });
    expect(
      (await configMap("one", { metadata: { name: "one", namespace: "shop", labels: { x: "y" } } })).data,
    ).toEqual({
      a: "b",
    });
    const kind = { group: "", version: "v1", kind: "ConfigMap" };
    const resource = { group: "", version: "v1", resource: "configmaps" };
    expect(calls).toHaveLength(1);
    expect(calls[0]?.sent.url).toBe("https://hooks.test/hook?timeout=2s");
    expect(calls[0]?.request).toEqual({
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      kind,
      resource,
      requestKind: kind,
      requestResource: resource,
      name: "one",
      namespace: "shop",
      operation: "CREATE",
      userInfo: { username: "admin", groups: ["system:masters", "system:authenticated"] },
      object: expect.objectContaining({ kind: "ConfigMap", apiVersion: "v1" }),
      oldObject: null,
      dryRun: false,
      options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1" },
    });
  });

  it("may add unknown fields without effect, and may not break the types of known ones", async () => {
    const { configure, configMap } = setup();
    configure("mutating", { hook: { reply: () => add("/foo", 5) } });
    expect(await configMap("one")).not.toHaveProperty("foo");
    configure("mutating", { hook: { reply: () => add("/data", { a: 5 }) } });
    expect(await refusal(configMap("two"))).toMatchObject({
      code: 500,
      reason: "InternalError",
      message:
        "Internal error occurred: json: cannot unmarshal number into Go struct field ConfigMap.data of type string",
    });
  });

  it("is called for a deletion, but cannot change the object", async () => {
    const { configure, writer, resource, options, calls, put } = setup();
    put("configmaps", { metadata: { name: "one", namespace: "shop", uid: "u" } });
    configure("mutating", { hook: { reply: () => add("/data", {}) } });
    const target = {
      resource: resource("configmaps"),
      name: "one",
      namespace: "shop",
      subresource: undefined,
    };
    expect((await refusal(writer.delete(target, options))).message).toBe(
      'Internal error occurred: admission webhook "hook.example.com" attempted to modify the object, ' +
        "which is not supported for this operation",
    );
    expect(calls[0]?.request).toMatchObject({
      operation: "DELETE",
      object: null,
      oldObject: { kind: "ConfigMap" },
    });
  });

  it("is called in the order of the configurations and of the list in each", async () => {
    const { configure, configMap, calls } = setup();
    configure("mutating", { b1: {}, b2: {} }, "b");
    configure("mutating", { a1: {} }, "a");
    await configMap("one");
    expect(calls.map(({ name }) => name)).toEqual(["a1", "b1", "b2"]);
  });

  it("is called again once after a later change with IfNeeded", async () => {
    const { configure, configMap, calls } = setup();
    let turn = 0;
    configure("mutating", {
      first: { reinvocationPolicy: "IfNeeded" },
      never: { reinvocationPolicy: "Never" },
      changes: { reinvocationPolicy: "IfNeeded", reply: () => add("/data", { turn: String(turn++) }) },
      last: { reinvocationPolicy: "IfNeeded" },
    });
    await configMap("one");
    expect(calls.map(({ name }) => name)).toEqual(["first", "never", "changes", "last", "first"]);
  });

  it("runs before a second run of the plugins", async () => {
    const { configure, create, put } = setup();
    put("serviceaccounts", { metadata: { name: "other", namespace: "shop" } });
    const container = { name: "side", image: "y" };
    configure("mutating", { hook: { reply: () => add("/spec/containers/-", container) } });
    const spec = { containers: [{ name: "main", image: "x" }] };
    const { spec: made } = await create("pods", { metadata: { name: "p", namespace: "shop" }, spec });
    const mount = { mountPath: "/var/run/secrets/kubernetes.io/serviceaccount" };
    expect(made).toMatchObject({
      containers: [{ volumeMounts: [mount] }, { name: "side", volumeMounts: [mount] }],
    });
  });
});

describe("a webhook for scales", () => {
  it("sees a Scale, and may change the number", async () => {
    const { configure, put, writer, resource, options, calls, read } = setup();
    const rules = [
      { operations: ["*"], apiGroups: ["apps"], apiVersions: ["v1"], resources: ["deployments/scale"] },
    ];
    configure("mutating", { hook: { rules, reply: () => add("/spec/replicas", 2) } });
    const selector = { matchLabels: { app: "web" } };
    const template = {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "a", image: "x", imagePullPolicy: "Always" }] },
    };
    const metadata = { name: "web", namespace: "shop", uid: "u", labels: { app: "web" } };
    const stored = put("deployments", {
      metadata,
      spec: { replicas: 0, selector, template },
      status: { replicas: 1 },
    });
    const wanted = { ...structuredClone({ ...stored }), spec: { replicas: 5, selector, template } };
    const target = {
      resource: resource("deployments"),
      name: "web",
      namespace: "shop",
      subresource: "scale",
    };
    await writer.update(target, JSON.parse(JSON.stringify(wanted)), options);
    const scale = {
      kind: "Scale",
      apiVersion: "autoscaling/v1",
      metadata: {
        name: "web",
        namespace: "shop",
        uid: "u",
        resourceVersion: stored.metadata.resourceVersion,
        creationTimestamp: stored.metadata.creationTimestamp,
      },
      status: { replicas: 1, selector: "app=web" },
    };
    expect(calls[0]?.request).toMatchObject({
      kind: { group: "autoscaling", version: "v1", kind: "Scale" },
      resource: { group: "apps", version: "v1", resource: "deployments" },
      subResource: "scale",
    });
    expect(calls[0]?.request.object).toEqual({ ...scale, spec: { replicas: 5 } });
    expect(calls[0]?.request.oldObject).toEqual({ ...scale, spec: {} });
    expect(read.get(resource("deployments"), "web", "shop")?.spec).toMatchObject({ replicas: 2 });
  });
});

describe("a patch that does not fit", () => {
  const cases: readonly (readonly [object, string])[] = [
    [
      { op: "remove", path: "/nope/x" },
      'remove operation does not apply: doc is missing path: "/nope/x": missing value',
    ],
    [
      { op: "remove", path: "/metadata/zzz" },
      "error in remove for path: '/metadata/zzz': Unable to remove nonexistent key: zzz: missing value",
    ],
    [{ op: "zap", path: "/x" }, "Unexpected kind: zap"],
    [{ op: "test", path: "/metadata/name", value: "z" }, "testing value /metadata/name failed: test failed"],
  ];
  it.each(cases)("is reported: %o", async (operation, message) => {
    const { configure, configMap } = setup();
    configure("mutating", { hook: { reply: () => patch(operation) } });
    expect((await refusal(configMap("one"))).message).toBe(`Internal error occurred: ${message}`);
  });
});

describe("a refusal", () => {
  const cases: readonly (readonly [Json, object])[] = [
    [{}, { code: 400, message: "denied the request without explanation" }],
    [
      { status: { message: "no way", code: 418, reason: "Teapot" } },
      { code: 418, reason: "Teapot", message: "denied the request: no way" },
    ],
    [
      { status: { reason: "Because" } },
      { code: 400, reason: "Because", message: "denied the request: Because" },
    ],
    [
      { status: { message: "x", code: 200, status: "Success" } },
      { code: 400, message: "denied the request: x" },
    ],
    [
      { status: { message: "x", code: 422, details: { causes: [{ field: "a", message: "m" }] } } },
      { code: 422, message: "denied the request: x", details: { causes: [{ field: "a", message: "m" }] } },
    ],
  ];
  it.each(cases)("has the message of the webhook: %o", async (reply, expected) => {
    for (const kind of ["mutating", "validating"] as const) {
      const { configure, configMap } = setup();
      configure(kind, { hook: { reply: () => ({ allowed: false, ...reply }) } });
      const {
        message,
        status,
        kind: _kind,
        apiVersion: _version,
        metadata: _meta,
        ...rest
      } = await refusal(configMap("one"));
      const short = message?.replace('admission webhook "hook.example.com" ', "");
      expect({ ...rest, message: short }).toEqual(expected);
      expect(status).toBe("Failure");
    }
  });
});

describe("an invalid response", () => {
  const text = (body: unknown, status = 200): WebhookResponse => ({
    status,
    contentType: typeof body === "string" ? "text/plain" : "application/json",
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" };
  const cases: readonly (readonly [string, Reply, string])[] = [
    [
      "another uid",
      () => ({ uid: "other" }),
      'received invalid webhook response: expected response.uid="UID", got "other"',
    ],
    [
      "nothing",
      () => text(""),
      "failed to call webhook: 0-length response with status code: 200 and content type: text/plain",
    ],
    [
      "no JSON",
      () => text("{garbage"),
      "failed to call webhook: couldn't get version/kind; json parse error: invalid character 'g' looking for beginning of object key string",
    ],
    [
      "no kind",
      ({ request }) => text({ response: { uid: request.uid, allowed: true } }),
      "received invalid webhook response: expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind=",
    ],
    [
      "another version",
      () => text({ ...review, apiVersion: "admission.k8s.io/v1beta1" }),
      "failed to call webhook: converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion",
    ],
    [
      "another kind",
      () => text({ apiVersion: "v1", kind: "Pod" }),
      'failed to call webhook: no kind "Pod" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
    ["no response", () => text(review), "received invalid webhook response: webhook response was absent"],
    [
      "a wrong type",
      () => ({ allowed: "yes" }),
      "failed to call webhook: json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool",
    ],
    [
      "500",
      () => text("boom\n", 500),
      'failed to call webhook: an error on the server ("boom") has prevented the request from succeeding',
    ],
    [
      "404",
      () => text("nope", 404),
      "failed to call webhook: the server could not find the requested resource",
    ],
    ["403", () => text("hmm", 403), "failed to call webhook: hmm"],
    [
      "418",
      () => text("tea", 418),
      "failed to call webhook: the server responded with the status code 418 but did not return more information",
    ],
    [
      "a Status",
      () => text({ apiVersion: "v1", kind: "Status", status: "Failure", message: "from status" }, 409),
      "failed to call webhook: from status",
    ],
    [
      "no connection",
      () => new Error("dial tcp: connection refused"),
      'failed to call webhook: Post "https://hooks.test/hook?timeout=2s": dial tcp: connection refused',
    ],
    [
      "a patch that is none",
      () => ({ patchType: "JSONPatch", patch: Buffer.from("{}").toString("base64") }),
      "received undecodable patch in webhook response: json: cannot unmarshal object into Go value of type jsonpatch.Patch",
    ],
    [
      "no base64",
      () => ({ patchType: "JSONPatch", patch: "***" }),
      "failed to call webhook: illegal base64 data at input byte 0",
    ],
    [
      "a patch without type",
      () => ({ patch: "W10=" }),
      "received invalid webhook response: webhook returned response.patch but not response.patchType",
    ],
    [
      "a type without patch",
      () => ({ patchType: "JSONPatch" }),
      "received invalid webhook response: webhook returned response.patchType but not response.patch",
    ],
    [
      "an empty type",
      () => ({ patchType: "", patch: "W10=" }),
      'received invalid webhook response: webhook returned invalid response.patchType of ""',
    ],
    ["an unknown type", () => ({ ...add("/data", {}), patchType: "Foo" }), 'unsupported patch type "Foo"'],
  ];
  it.each(cases)("is an error of the server: %s", async (_what, reply, reason) => {
    const { configure, configMap, calls } = setup();
    configure("mutating", { hook: { reply } });
    const { code, message = "", details } = await refusal(configMap("one"));
    const shown = message.replace(String(calls[0]?.request.uid), "UID");
    expect(shown).toBe(`Internal error occurred: failed calling webhook "hook.example.com": ${reason}`);
    expect(code).toBe(500);
    expect(details?.causes?.[0]?.message).toBe(message.replace("Internal error occurred: ", ""));
  });

  it("is nothing if the webhook may fail", async () => {
    const { configure, configMap } = setup();
    const hook = { failurePolicy: "Ignore", reply: () => text("boom", 500) };
    configure("mutating", { hook });
    configure("validating", { hook });
    expect((await configMap("one")).metadata.name).toBe("one");
  });

  it("is one that does not come in time", async () => {
    const { configure, configMap, clock } = setup();
    configure("validating", { hook: { reply: () => new Promise<never>(() => undefined) } });
    const refused = refusal(configMap("one"));
    await clock.advance(0);
    await clock.advance(2000);
    expect((await refused).message).toContain(
      'failed to call webhook: Post "https://hooks.test/hook?timeout=2s": context deadline exceeded',
    );
  });
});

describe("a validating webhook", () => {
  it("sees the object that will be stored, after the mutating webhooks", async () => {
    const { configure, configMap, calls } = setup();
    configure("mutating", { changes: { reply: () => add("/data", { a: "b" }) } });
    configure("validating", { checks: {} });
    await configMap("one");
    expect(calls.map(({ name }) => name)).toEqual(["changes", "checks"]);
    expect(calls[1]?.request).toMatchObject({
      object: { data: { a: "b" }, metadata: { uid: expect.any(String) } },
    });
  });

  it("may not change anything", async () => {
    const { configure, configMap } = setup();
    configure("validating", { hook: { reply: () => add("/data", {}) } });
    expect((await refusal(configMap("one"))).message).toContain(
      "received invalid webhook response: validating webhook may not return response.patch",
    );
  });

  it("may warn", async () => {
    const { configure, configMap, warnings } = setup();
    configure("validating", { hook: { reply: () => ({ warnings: ["careful", "two"] }) } });
    await configMap("one");
    expect(warnings).toEqual(["careful", "two"]);
  });
});

describe("a dry run", () => {
  it("is refused if a webhook has side effects", async () => {
    const { configure, configMap } = setup();
    configure("mutating", { hook: { sideEffects: "NoneOnDryRun" } });
    expect((await configMap("one", {}, { dryRun: true })).metadata.name).toBe("one");
    configure("mutating", { hook: { sideEffects: "Some" } });
    expect(await refusal(configMap("one", {}, { dryRun: true }))).toMatchObject({
      code: 400,
      message: 'admission webhook "hook.example.com" does not support dry run',
    });
  });
});
