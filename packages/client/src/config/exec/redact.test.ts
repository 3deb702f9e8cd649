import { describe, expect, it } from "vitest";
import { readExecSettings } from "./exec-settings.ts";
import { redact, secretsOfEnvironment, secretsOfOutput, secretsOfSettings } from "./redact.ts";

describe("redacting", () => {
  it("takes out known values and what looks like a token", () => {
    const jwt = `eyJhbGciOiJSUzI1NiJ9.${"a1".repeat(30)}.${"b-_".repeat(20)}`;
    expect(redact(`+ echo hunter2hunter2 ${jwt}`, ["hunter2hunter2"])).toBe(
      "+ echo <redacted> eyJhbGciOiJSUzI1NiJ9.<redacted>.<redacted>",
    );
  });

  it("leaves what helps: short words, paths, addresses, request ids", () => {
    const text =
      "true: /home/ann/.config/some/very/long/path/of/folders/credentials.json not found, see " +
      "https://login.example.com/oauth2/device/activate/with/a/long/path (3f2504e0-4f89-11d3-9a0c-0305e82c3301)";
    expect(redact(text, ["true", ""])).toBe(text);
  });

  it("takes out keys in base64, slashes and all", () => {
    expect(redact("key wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY1 is wrong", [])).toBe(
      "key <redacted> is wrong",
    );
  });

  it("knows the secrets in the environment by their names", () => {
    expect(secretsOfEnvironment({ AWS_SECRET_ACCESS_KEY: "s", PATH: "/bin", DB_PASSWORD: "p" })).toEqual([
      "s",
      "p",
    ]);
  });

  it("knows the secrets in a plugin's settings", () => {
    const settings = readExecSettings({
      apiVersion: "client.authentication.k8s.io/v1",
      interactiveMode: "Never",
      command: "plugin",
      args: ["get-token", "--client-secret=abc=", "--password", "pw", "--server-id", "id"],
      env: [{ name: "A", value: "from-env" }],
    });
    expect(secretsOfSettings(settings).filter(Boolean)).toEqual(["from-env", "abc=", "pw"]);
  });

  it("knows the secrets in a plugin's output", () => {
    expect(secretsOfOutput('{"kind":"K","status":{"token":"t","n":1}}')).toEqual(["t"]);
    expect(secretsOfOutput("oops\n  t0ken ")).toEqual(["oops", "t0ken"]);
  });
});
