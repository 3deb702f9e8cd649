import { describe, expect, it } from "vitest";
import { withoutSecrets } from "./redaction.ts";

const jwt = `eyJ${"a".repeat(20)}.eyJ${"b".repeat(20)}.${"c".repeat(30)}`;
const pem = `-----BEGIN RSA PRIVATE KEY-----\n${"QUJD\n".repeat(5)}-----END RSA PRIVATE KEY-----`;

describe("a text with credentials", () => {
  it.each([
    ["authorization: Bearer abcdef123456 was refused", "authorization: Bearer [redacted] was refused"],
    ["basic dXNlcjpwYXNz", "basic [redacted]"],
    [`token is ${jwt}!`, "token is [redacted]!"],
    [`key: ${pem} end`, "key: [redacted] end"],
    [pem.slice(0, 60), "[redacted]"],
    [
      "users:\n- name: me\n  user:\n    token: s3cret\n",
      "users:\n- name: me\n  user:\n    token: [redacted]\n",
    ],
    ['{"token":"s3cret","a":1}', '{"token":[redacted],"a":1}'],
    ["    client-key-data: QUJDREVG", "    client-key-data: [redacted]"],
    ["get https://bob:hunter2@host/path", "get https://[redacted]@host/path"],
    [
      '{"kind":"Secret","data":{"a":"YWJj"},"stringData":{"b":"c"}}',
      '{"kind":"Secret","data":"[redacted]","stringData":"[redacted]"}',
    ],
    ['{"data":{"a":"YW', '{"data":{"a":"YW'],
    ["GET /v1?token=s.abcdef&x=1 failed", "GET /v1?token=[redacted]&x=1 failed"],
    ["dsn host=x DB_PASSWORD=hunter2 port=1", "dsn host=x DB_PASSWORD=[redacted] port=1"],
    ['apiKey="two words" x', "apiKey=[redacted] x"],
    ["login with password: hunter2 failed", "login with password: [redacted] failed"],
    ["sent token: s.abc123, got 403", "sent token: [redacted], got 403"],
    ['{"dbPassword": "hun\\"ter2", "a": 1}', '{"dbPassword": [redacted], "a": 1}'],
    [JSON.stringify({ a: '{"token":"s3cret"}' }), '{"a":"{\\"token\\":[redacted]}"}'],
    ['{"name":"DB_PASSWORD","value":"hunter2"}', '{"name":"DB_PASSWORD","value":[redacted]}'],
    [
      'spec.password: Invalid value: "hunter2": too short',
      "spec.password: Invalid value: [redacted]: too short",
    ],
    [`tls.key: ${Buffer.from(pem).toString("base64")} end`, "tls.key: [redacted] end"],
    [
      '{"type":"cluster.x-k8s.io/secret","data":{"value":"YWJj"}}',
      '{"type":"cluster.x-k8s.io/secret","data":"[redacted]"}',
    ],
    [
      JSON.stringify({ applied: '{"kind":"Secret","data":{"a":"YWJj"}}' }),
      '{"applied":"{\\"kind\\":\\"Secret\\",\\"data\\":"[redacted]"}"}',
    ],
    ['{"kind":"Secret","data":{"a":"YW', '{"kind":"Secret","data":"[redacted]"'],
  ])("%j is shown without them", (text, shown) => {
    expect(withoutSecrets(text)).toBe(shown);
  });

  it.each([
    "unexpected token: } in JSON",
    "the basic idea",
    "watch secrets in shop: no resourceVersion",
    "mail ann@example.com",
    "see https://example.com:8443/x",
    "get token: connection refused",
    "spec.password: Required value",
    "--metrics-auth needs a token; see --help",
    `certificate ${Buffer.from("-----BEGIN CERTIFICATE-----").toString("base64")}`,
  ])("%j has none and stays as it is", (text) => {
    expect(withoutSecrets(text)).toBe(text);
  });

  it("takes time in proportion to the length of the text", () => {
    const nasty = [
      "eyJ-",
      "-----BEGIN PRIVATE KEY-----",
      "{ ",
      "//a:",
      "Bearer ",
      '{"kind":"Secret","data":{',
      "password=",
      'password="',
      "token: '",
      'token\\\\":\\\\"',
      '"name":"a-token","value":"',
      '"type":"a/',
      "\\\\",
    ];
    for (const part of nasty) {
      // The CPU time of this thread, since the machine may be busy.
      const started = process.threadCpuUsage();
      withoutSecrets(part.repeat(200_000 / part.length));
      const { user, system } = process.threadCpuUsage(started);
      expect((user + system) / 1000).toBeLessThan(500);
    }
  });
});
