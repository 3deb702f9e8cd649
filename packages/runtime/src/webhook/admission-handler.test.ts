import {
  type GenericObject,
  genericResource,
  isRecord,
  type JsonPatchOperation,
  type KubeObject,
  type Resource,
  type ServiceResponse,
} from "@keelson/core";
import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { webhookServer } from "../../test/support/webhook-server.ts";
import { type Admission, admission } from "./admission.ts";
import { AdmissionDeniedError } from "./errors.ts";

interface WebApp extends KubeObject {
  readonly spec: { readonly replicas?: number; readonly image?: string; readonly ports?: readonly number[] };
}
const WebApp: Resource<WebApp> = genericWebApp();
function genericWebApp(): Resource<WebApp> {
  return { group: "example.com", version: "v1", kind: "WebApp", plural: "webapps", scope: "Namespaced" };
}

const mutatePath = "/mutate-example-com-v1-webapp";
const validatePath = "/validate-example-com-v1-webapp";
const webApp = (spec: Record<string, unknown> = {}, more: Record<string, unknown> = {}) => ({
  apiVersion: "example.com/v1",
  kind: "WebApp",
  metadata: { name: "shop", namespace: "default" },
  spec,
  ...more,
});

const review = (request: Record<string, unknown> = {}, apiVersion = "admission.k8s.io/v1") => ({
  apiVersion,
  kind: "AdmissionReview",
  request: {
    uid: "u-1",
    kind: { group: "example.com", version: "v1", kind: "WebApp" },
    resource: { group: "example.com", version: "v1", resource: "webapps" },
    operation: "CREATE",
    userInfo: { username: "alice" },
    object: webApp(),
    ...request,
  },
});

interface PostedReview {
  readonly httpStatus: number;
  readonly apiVersion: string;
  readonly kind: string;
  readonly response: {
    readonly uid: string;
    readonly allowed: boolean;
    readonly status: Record<string, unknown>;
    readonly warnings?: readonly string[];
    readonly patchType?: string;
    readonly patch?: string;
  };
}

interface Call {
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly clock?: VirtualClock;
  readonly panics?: string[];
}

async function post(webhooks: Admission<WebApp>, body: unknown, call: Call = {}): Promise<PostedReview> {
  const { path = validatePath, headers = { "content-type": "application/json" }, clock, panics = [] } = call;
  const server = webhookServer({
    admissions: [webhooks],
    observer: {
      inFlightChanged: () => undefined,
      responded: () => undefined,
      panicked: (path) => void panics.push(path),
    },
    ...(clock !== undefined && { clock }),
  });
  const bytes =
    body instanceof Uint8Array || typeof body === "string"
      ? Buffer.from(body)
      : Buffer.from(JSON.stringify(body));
  const { signal } = new AbortController();
  const response = await server.service({ method: "POST", path, headers, body: chunksOf(bytes), signal });
  return { httpStatus: response.status, ...JSON.parse(String(response.body)) };
}

async function* chunksOf(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  for (let start = 0; start < bytes.length; start += 65_536) yield bytes.subarray(start, start + 65_536);
}

function patchIn({ response }: PostedReview): readonly JsonPatchOperation[] {
  return JSON.parse(Buffer.from(response.patch ?? "", "base64").toString("utf8"));
}

const yes = admission(WebApp).validate(() => undefined);

describe("an invalid request", () => {
  const mib = 1024 * 1024;

  it.each([
    ["an empty body", "", {}, 400, "its body is empty"],
    ["more than 7 MiB", Buffer.alloc(7 * mib + 1, " "), {}, 413, "its body is larger than 7340032 bytes"],
    ["another content type", review(), { "content-type": "text/yaml" }, 400, "its content type is text/yaml"],
    ["no content type", review(), { accept: "*/*" }, 400, "its content type is missing"],
    ["no JSON", "{secret", {}, 400, "it is not JSON"],
    ["not UTF-8", Buffer.from([0x22, 0xff, 0x22]), {}, 400, "it is not JSON"],
    ["another kind", { apiVersion: "v1", kind: "Pod" }, {}, 400, "it is no AdmissionReview"],
    [
      "an unknown version",
      review({}, "admission.k8s.io/v2"),
      {},
      400,
      "its version admission.k8s.io/v2 is not known",
    ],
    ["no request", { ...review(), request: undefined }, {}, 400, "it has no request"],
    ["an unknown operation", review({ operation: "EAT" }), {}, 400, "it has no request"],
  ])("[WH1] gets a review with the error: %s", async (_, body, headers, code, message) => {
    const call = Object.keys(headers).length > 0 ? { headers } : {};
    const { httpStatus, apiVersion, kind, response } = await post(yes, body, call);
    expect(httpStatus).toBe(200);
    expect({ apiVersion, kind }).toEqual({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" });
    expect(response).toMatchObject({ uid: "", allowed: false, status: { code, status: "Failure" } });
    expect(response.status.message).toContain(message);
    expect(response.status.message).not.toContain("secret");
  });

  it("[WH1] is neither one of 7 MiB nor one with a charset", async () => {
    const text = JSON.stringify(review());
    const body = text + " ".repeat(7 * mib - text.length);
    const headers = { "content-type": "application/json; charset=utf-8" };
    expect((await post(yes, body, { headers })).response.allowed).toBe(true);
  });

  it("[WH1] gets an error if it lacks its object", async () => {
    const { response } = await post(yes, review({ object: null }));
    expect(response).toMatchObject({
      uid: "u-1",
      allowed: false,
      status: { code: 400, reason: "BadRequest" },
    });
  });
});

describe("a body", () => {
  const headers = { "content-type": "application/json" };
  const { signal } = new AbortController();
  /** A body that never ends, and how many of its chunks were read. */
  function endless(chunk: Uint8Array, count = 1) {
    const read = { chunks: 0 };
    const body = (async function* () {
      for (; read.chunks < count; read.chunks++) yield chunk;
      await new Promise(() => undefined);
    })();
    return { read, body };
  }
  const reviewIn = ({ status, body }: ServiceResponse): PostedReview => ({
    httpStatus: status,
    ...JSON.parse(String(body)),
  });

  it.each([
    ["Fail", 200],
    ["Ignore", 500],
  ] as const)(
    "that does not end is waited for no longer than for a handler: %s",
    async (failurePolicy, status) => {
      const clock = new VirtualClock();
      const webhooks = admission(WebApp, { failurePolicy }).validate(() => undefined);
      const server = webhookServer({ admissions: [webhooks], clock });
      const { body } = endless(Buffer.from("{"));
      const responding = server.service({
        method: "POST",
        path: `${validatePath}?timeout=1s`,
        headers,
        body,
        signal,
      });
      await clock.advance(899);
      expect(clock.pendingTimers).toHaveLength(1);
      await clock.advance(1);
      expect(reviewIn(await responding)).toMatchObject({
        httpStatus: status,
        response: { uid: "", allowed: false, status: { code: 504, reason: "Timeout" } },
      });
      expect(clock.pendingTimers).toEqual([]);
    },
  );

  it("of another content type is not read", async () => {
    const server = webhookServer({ admissions: [yes] });
    const { read, body } = endless(Buffer.alloc(1), 1_000);
    const text = { "content-type": "text/plain" };
    await server.service({ method: "POST", path: validatePath, headers: text, body, signal });
    expect(read.chunks).toBe(0);
  });

  it("that exceeds the memory for bodies gets 503, until earlier requests have ended", async () => {
    const clock = new VirtualClock();
    const server = webhookServer({ admissions: [yes], clock, maxBufferedBytes: 10_000 });
    const send = (body: AsyncIterable<Uint8Array>) =>
      server.service({ method: "POST", path: validatePath, headers, body, signal });
    const slow = send(endless(Buffer.alloc(9_900)).body);
    await clock.settle();
    const whole = () => chunksOf(Buffer.from(JSON.stringify(review())));
    expect(reviewIn(await send(whole()))).toMatchObject({
      httpStatus: 200,
      response: { allowed: false, status: { code: 503, reason: "ServiceUnavailable" } },
    });
    await clock.advance(10_000);
    await slow;
    for (let times = 0; times < 100; times++) {
      expect(reviewIn(await send(whole())).response.allowed).toBe(true);
    }
  });
});

describe("a response", () => {
  it.each(["admission.k8s.io/v1", "admission.k8s.io/v1beta1"])(
    "[WH2] has the version and the uid of the request, and code 200: %s",
    async (version) => {
      const { apiVersion, response } = await post(yes, review({ uid: "u-2" }, version));
      expect(apiVersion).toBe(version);
      expect(response).toEqual({ uid: "u-2", allowed: true, status: { metadata: {}, code: 200 } });
    },
  );

  it("[WH2] that denies has code 403 and the message as it was given", async () => {
    const no = admission(WebApp).validate(({ deny }) => deny("too many replicas"));
    expect((await post(no, review())).response).toEqual({
      uid: "u-1",
      allowed: false,
      status: {
        metadata: {},
        status: "Failure",
        code: 403,
        reason: "Forbidden",
        message: "too many replicas",
      },
    });
  });

  it("[WH2] that denies for another reason has its code and the fields", async () => {
    const no = admission(WebApp).validate(({ deny }) =>
      deny("is taken", {
        reason: "Conflict",
        field: "spec.image",
        causes: [{ field: "spec.ports", message: "too" }],
      }),
    );
    const { status } = (await post(no, review())).response;
    expect(status).toMatchObject({
      code: 409,
      reason: "Conflict",
      details: {
        causes: [
          { field: "spec.image", message: "is taken" },
          { field: "spec.ports", message: "too" },
        ],
      },
    });
  });

  it("[WH4] denies as well if the error is thrown", async () => {
    const no = admission(WebApp).validate(async () => {
      throw new AdmissionDeniedError("no", { reason: "Invalid" });
    });
    expect((await post(no, review())).response.status).toMatchObject({ code: 422, message: "no" });
  });
});

describe("mutators", () => {
  it("[WH3] change the object in place, and leave unknown fields", async () => {
    const object = webApp({ image: "a", unknown: { deep: [1] } }, { extra: true });
    const webhooks = admission(WebApp).mutate(({ object }) => {
      object.spec.replicas ??= 3;
    });
    const posted = await post(webhooks, review({ object }), { path: mutatePath });
    expect(posted.response.patchType).toBe("JSONPatch");
    expect(patchIn(posted)).toEqual([{ op: "add", path: "/spec/replicas", value: 3 }]);
  });

  it("[WH3] may return another object", async () => {
    const webhooks = admission(WebApp).mutate(async ({ object }) => ({ ...object, spec: { image: "b" } }));
    const posted = await post(webhooks, review({ object: webApp({ image: "a", replicas: 1 }) }), {
      path: mutatePath,
    });
    expect(patchIn(posted)).toEqual([
      { op: "remove", path: "/spec/replicas" },
      { op: "replace", path: "/spec/image", value: "b" },
    ]);
  });

  it("[WH3] leave numbers alone that JavaScript cannot represent", async () => {
    const text = JSON.stringify(review({ object: webApp({ image: "a", huge: "HUGE" }) }));
    const webhooks = admission(WebApp).mutate(({ object }) => {
      object.spec.image = "b";
    });
    const body = text.replace('"HUGE"', "12345678901234567890");
    expect(patchIn(await post(webhooks, body, { path: mutatePath }))).toEqual([
      { op: "replace", path: "/spec/image", value: "b" },
    ]);
  });

  it("[WH3] that change nothing make no patch", async () => {
    const { response } = await post(
      admission(WebApp).mutate(() => undefined),
      review(),
      { path: mutatePath },
    );
    expect(response).not.toHaveProperty("patch");
    expect(response).not.toHaveProperty("patchType");
  });

  it("[WH4] run in order, each on the result of the one before, and make one patch", async () => {
    const webhooks = admission(WebApp)
      .mutate(({ object }) => {
        object.spec.ports = [1];
      })
      .mutate(({ object, warn }) => {
        object.spec.ports?.push(2);
        warn(`ports ${object.spec.ports}`);
      });
    const posted = await post(webhooks, review(), { path: mutatePath });
    expect(patchIn(posted)).toEqual([{ op: "add", path: "/spec/ports", value: [1, 2] }]);
    expect(posted.response.warnings).toEqual(["ports 1,2"]);
  });

  it("[WH4] stop at the first that denies, without a patch and with the warnings", async () => {
    const seen: string[] = [];
    const webhooks = admission(WebApp)
      .mutate(({ object, warn }) => {
        object.spec.replicas = 1;
        warn("first");
      })
      .mutate(({ deny }) => deny("stop"))
      .mutate(() => void seen.push("third"));
    const { response } = await post(webhooks, review(), { path: mutatePath });
    expect(response).toMatchObject({ allowed: false, warnings: ["first"], status: { message: "stop" } });
    expect(response).not.toHaveProperty("patch");
    expect(seen).toEqual([]);
  });

  it("see the stored object, which they cannot change", async () => {
    const webhooks = admission(WebApp).mutate(({ old, operation, warn }) => {
      warn(`${operation} ${old?.spec.image}`);
      Object.assign(old?.spec ?? {}, { image: "changed" });
    });
    const update = review({ operation: "UPDATE", oldObject: webApp({ image: "old" }) });
    const { response } = await post(webhooks, update, { path: mutatePath });
    expect(response.warnings).toEqual(["UPDATE old"]);
    expect(response.status.message).toContain("TypeError");
  });
});

describe("validators", () => {
  it("[WH4] run in order to the first that denies, and warnings add up", async () => {
    const webhooks = admission(WebApp)
      .validate(({ warn }) => warn("one"))
      .validate(({ warn, deny }) => {
        warn("two");
        return deny("no");
      })
      .validate(({ warn }) => warn("three"));
    const { response } = await post(webhooks, review());
    expect(response).toMatchObject({ allowed: false, warnings: ["one", "two"], status: { message: "no" } });
  });

  it("[WH4] get the object of a deletion from oldObject", async () => {
    const webhooks = admission(WebApp).validate(
      ({ object, old, operation, warn }) => warn(`${operation} ${object.spec.image} ${old?.spec.image}`),
      { operations: ["DELETE"] },
    );
    const deletion = review({ operation: "DELETE", object: null, oldObject: webApp({ image: "last" }) });
    expect((await post(webhooks, deletion)).response.warnings).toEqual(["DELETE last last"]);
  });

  it("run for their operations only", async () => {
    const webhooks = admission(WebApp)
      .validate(({ warn }) => warn("stored"))
      .validate(({ warn }) => warn("deleted"), { operations: ["DELETE"] });
    expect((await post(webhooks, review())).response.warnings).toEqual(["stored"]);
    const deletion = review({ operation: "DELETE", object: null, oldObject: webApp() });
    expect((await post(webhooks, deletion)).response.warnings).toEqual(["deleted"]);
  });

  it("know the user, the namespace and whether it is a dry run", async () => {
    const webhooks = admission(WebApp).validate(({ request, warn }) =>
      warn(`${request.userInfo.username} ${request.dryRun} ${request.namespace}`),
    );
    const request = review({ dryRun: true, namespace: "shop" });
    expect((await post(webhooks, request)).response.warnings).toEqual(["alice true shop"]);
  });
});

describe("a handler that fails", () => {
  const broken = admission(WebApp).validate(() => {
    throw new TypeError("x is undefined");
  });

  it("[WH5] leads to a review with 500, and is counted", async () => {
    const panics: string[] = [];
    const { httpStatus, response } = await post(broken, review(), { panics });
    expect(httpStatus).toBe(200);
    expect(response).toMatchObject({
      uid: "u-1",
      allowed: false,
      status: { code: 500, reason: "InternalError" },
    });
    expect(response.status.message).toBe(
      `call webhook ${validatePath}: its handler failed: TypeError: x is undefined`,
    );
    expect(panics).toEqual([validatePath]);
  });

  it("[WH5] leads to HTTP 500 where failures are ignored, since a review would refuse the request", async () => {
    const lenient = admission(WebApp, { failurePolicy: "Ignore" }).validate(() => {
      throw new Error("x");
    });
    expect(await post(lenient, review())).toMatchObject({
      httpStatus: 500,
      response: { status: { code: 500 } },
    });
  });

  it("that denies does so also where failures are ignored", async () => {
    const lenient = admission(WebApp, { failurePolicy: "Ignore" }).validate(({ deny }) => deny("no"));
    expect(await post(lenient, review())).toMatchObject({ httpStatus: 200, response: { allowed: false } });
  });

  it.each([
    ["?timeout=10s", 9_000],
    ["?timeout=1s", 900],
    ["?timeout=1s500ms", 1_350],
    ["?timeout=1m30s", 29_000],
    ["?timeout=soon", 9_000],
    ["", 9_000],
  ])("by never returning is ended before the timeout of the API server: %s", async (query, limitMs) => {
    const clock = new VirtualClock();
    const panics: string[] = [];
    let reason: unknown;
    const silent = admission(WebApp).validate(({ signal }) => {
      signal.addEventListener("abort", () => {
        reason = signal.reason;
      });
      return new Promise(() => undefined);
    });
    const posted = post(silent, review(), { path: validatePath + query, clock, panics });
    await clock.advance(limitMs - 1);
    expect(reason).toBeUndefined();
    await clock.advance(1);
    const { response } = await posted;
    expect(response).toMatchObject({ uid: "u-1", allowed: false, status: { code: 504, reason: "Timeout" } });
    expect(response.status.message).toBe(
      `call webhook ${validatePath}: no response within ${limitMs / 1000} s; try again, or raise its timeoutSeconds`,
    );
    expect(reason).toMatchObject({ code: "WEBHOOK_TIMEOUT", limitMs });
    expect(panics).toEqual([]);
    expect(clock.pendingTimers).toEqual([]);
  });

  it("in time leaves no timer", async () => {
    const clock = new VirtualClock();
    await post(broken, review(), { clock });
    expect(clock.pendingTimers).toEqual([]);
  });
});

describe("an admission", () => {
  it("is named after its kind, and after the subresource", () => {
    const pods = genericResource({
      group: "",
      version: "v1",
      kind: "Pod",
      plural: "pods",
      scope: "Namespaced",
    });
    const evictions = admission(pods, { subresource: "eviction", as: pods });
    expect(evictions.pathOf("validate")).toBe("/validate--v1-pod-eviction");
    expect(evictions.nameOf("validate")).toBe("validate.eviction.pod.v1.core");
    expect(admission(WebApp, { name: "web.example.com", paths: { mutate: "/m" } }).nameOf("mutate")).toBe(
      "mutate.web.example.com",
    );
    expect(admission(WebApp, { paths: { mutate: "/m" } }).pathOf("mutate")).toBe("/m");
  });

  it.each([0, 31, 1.5])("refuses a timeout that the API server would refuse: %d", (timeoutSeconds) => {
    expect(() => admission(WebApp, { timeoutSeconds })).toThrow("whole number from 1 to 30");
  });

  it("accepts an object of a generic resource", async () => {
    const generic = genericResource({ group: "", version: "v1", kind: "X", plural: "xs", scope: "Cluster" });
    const webhooks: Admission<GenericObject> = admission(generic).mutate(({ object }) => {
      if (isRecord(object.spec)) object.spec = { ...object.spec, a: 1 };
    });
    expect(webhooks.mutators).toHaveLength(1);
  });
});
