import { freeze } from "@keelson/core";
import { describe, expect, it } from "vitest";
import { toLoggable } from "./loggable.ts";
import { sensitive } from "./sensitive.ts";

const secret = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: {
    name: "db",
    annotations: {
      "kubectl.kubernetes.io/last-applied-configuration": '{"data":{"password":"aHVudGVyMg=="}}',
    },
  },
  data: { user: "aHVudGVyMg==" },
  stringData: { note: "hunter2" },
};
const shownSecret = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: {
    name: "db",
    annotations: { "kubectl.kubernetes.io/last-applied-configuration": "[redacted]" },
  },
  data: "[redacted]",
  stringData: "[redacted]",
};

describe("what is secret by its type", () => {
  it("the content of a Secret is not shown, alone, nested and in lists", () => {
    expect(toLoggable(secret)).toEqual(shownSecret);
    expect(toLoggable({ objects: [{ old: freeze(secret) }] })).toEqual({ objects: [{ old: shownSecret }] });
    expect(toLoggable(new Map([["a", new Set([secret])]]))).toEqual({ a: [shownSecret] });
  });

  it("nor that of Secrets without a kind", () => {
    const { kind, apiVersion, ...kindless } = secret;
    const list = { kind: "SecretList", items: [{ metadata: { name: "x" }, data: { a: "b" } }] };
    expect(JSON.stringify(toLoggable([kindless, list]))).not.toMatch(/hunter2|aHVudGVyMg|"b"/);
    expect(toLoggable({ type: "kubernetes.io/tls", data: { "tls.key": "k" } })).toEqual({
      type: "kubernetes.io/tls",
      data: "[redacted]",
    });
    expect(toLoggable({ type: "cluster.x-k8s.io/secret", data: { value: "k" } })).toEqual({
      type: "cluster.x-k8s.io/secret",
      data: "[redacted]",
    });
  });

  it("the content of other kinds is shown, also beside a Secret", () => {
    const map = { kind: "ConfigMap", data: { a: "b" } };
    expect(toLoggable([secret, map])).toEqual([shownSecret, map]);
    expect(toLoggable({ data: { a: "b" } })).toEqual({ data: { a: "b" } });
  });

  it("sensitive values are not shown", () => {
    expect(toLoggable({ wrapped: sensitive({ a: "hunter2" }) })).toEqual({ wrapped: "[redacted]" });
  });

  it("bytes are counted instead of shown", () => {
    expect(toLoggable({ body: Buffer.from("hunter2") })).toEqual({ body: "[7 bytes]" });
  });
});

describe("what is secret by the name of its key", () => {
  it.each([
    "token",
    "password",
    "dbPassword",
    "DB_PASSWORD",
    "Authorization",
    "client-key-data",
    "set-cookie",
    "apiKey",
    "clientSecret",
    "secretAccessKey",
  ])("%s is not shown", (key) => {
    expect(toLoggable({ [key]: "hunter2" })).toEqual({ [key]: "[redacted]" });
    expect(toLoggable({ [key]: ["hunter2"] })).toEqual({ [key]: "[redacted]" });
    expect(toLoggable({ [key]: { value: "hunter2" } })).toEqual({ [key]: "[redacted]" });
  });

  it("nor is the value beside such a name, as variables of containers and patches have it", () => {
    const shown = toLoggable([
      { name: "DB_PASSWORD", value: "hunter2" },
      { op: "replace", path: "/data/password", value: "aHVudGVyMg==" },
      { op: "add", path: "/stringData/note", value: "hunter2" },
      { op: "add", path: "/stringData", value: { note: "hunter2" } },
    ]);
    expect(JSON.stringify(shown)).not.toMatch(/hunter2|aHVudGVyMg/);
    expect(shown).toHaveLength(4);
    const harmless = [
      { name: "DB_HOST", value: "db" },
      { name: "DB_PASSWORD", valueFrom: { secretKeyRef: { name: "db", key: "x" } } },
      { op: "replace", path: "/spec/replicas", value: 3 },
    ];
    expect(toLoggable(harmless)).toEqual(harmless);
  });

  it("the name of an object, a flag and nothing are", () => {
    const fields = {
      Token: { namespace: "shop", name: "web" },
      hasToken: true,
      password: null,
      secretName: "db",
    };
    expect(toLoggable(fields)).toEqual(fields);
  });
});

describe("values that JSON does not know", () => {
  it("have a text", () => {
    expect(
      toLoggable([10n, Number.NaN, Symbol("s"), () => 1, undefined, new Date(0), new URL("http://a/b")]),
    ).toEqual(["10", "NaN", "Symbol(s)", "[function]", null, "1970-01-01T00:00:00.000Z", "http://a/b"]);
  });

  it("cycles, getters that throw and revoked proxies are named as such", () => {
    const cycle: Record<string, unknown> = { a: 1 };
    cycle.self = cycle;
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const broken = {
      get a() {
        throw new Error("no");
      },
      b: 2,
    };
    const badJson = {
      toJSON() {
        throw new Error("no");
      },
    };
    expect(toLoggable({ cycle, proxy, broken, badJson })).toEqual({
      cycle: { a: 1, self: "[circular]" },
      proxy: "[unreadable]",
      broken: { a: "[unreadable]", b: 2 },
      badJson: "[unreadable]",
    });
  });

  it("the same object twice is no cycle", () => {
    const shared = { a: 1 };
    expect(toLoggable([shared, shared])).toEqual([shared, shared]);
  });

  it("a tree that is too deep or too large is cut", () => {
    let deep: unknown = "bottom";
    for (let level = 0; level < 50; level++) deep = { deep };
    expect(JSON.stringify(toLoggable(deep))).toContain("[…]");
    // Forty levels of two references each: a walk without a limit would never end.
    let wide: unknown = "leaf";
    for (let level = 0; level < 9; level++) wide = Array.from({ length: 10 }, () => wide);
    expect(JSON.stringify(toLoggable(wide)).length).toBeLessThan(50_000);
    expect(JSON.stringify(toLoggable("x".repeat(1_000_000))).length).toBeLessThan(40_000);
  });

  it("keys of the prototype are data", () => {
    const shown = toLoggable(JSON.parse('{"__proto__":{"a":1}}'));
    expect(JSON.stringify(shown)).toBe('{"__proto__":{"a":1}}');
  });
});

describe("errors", () => {
  it("have their message, code, stack, facts and causes", () => {
    const cause = new TypeError("the cause");
    const error = Object.assign(new Error("failed", { cause }), { code: "E_FAIL", attempt: 3 });
    expect(toLoggable(error)).toMatchObject({
      name: "Error",
      message: "failed",
      code: "E_FAIL",
      attempt: 3,
      stack: expect.stringContaining("Error: failed"),
      cause: { name: "TypeError", message: "the cause" },
    });
  });

  it("of an aggregate are all shown, and one that is its own cause ends", () => {
    const error: Error = new AggregateError([new Error("one"), new Error("two")], "both");
    error.cause = error;
    expect(toLoggable(error)).toMatchObject({
      errors: [{ message: "one" }, { message: "two" }],
      cause: "[circular]",
    });
  });

  it("lose the credentials that their text quotes", () => {
    const shown = JSON.stringify(toLoggable(new Error("header Authorization: Bearer abcdef123456")));
    expect(shown).not.toContain("abcdef123456");
    expect(shown).toContain("Bearer [redacted]");
  });
});
