import { describe, expect, it } from "vitest";
import { alertUrlProblem, resolveUrl } from "./alert-url.ts";

const strict = { allowHttp: false, allowPrivateAddresses: false };
const { signal } = new AbortController();

describe("alertUrlProblem", () => {
  it.each([
    ["https://hooks.slack.com/services/T0/B0/x", strict],
    [" https://hooks.slack.com/services/T0/B0/x\n", strict],
    ["https://8.8.8.8/x", strict],
    ["http://hooks.shop.svc/x", { ...strict, allowHttp: true }],
    ["https://10.0.0.1/x", { ...strict, allowPrivateAddresses: true }],
  ])("accepts %s with %o", (url, policy) => {
    expect(alertUrlProblem(url, policy)).toBeUndefined();
  });

  it.each([
    ["hooks.slack.com", "it is not a URL"],
    ["", "it is not a URL"],
    ["http://hooks.slack.com/x", "it is an http URL; write an https URL, or allow http"],
    ["file:///etc/passwd", "it is neither an https nor an http URL"],
    ["https://user:token@hooks.example.com/", "it contains credentials"],
    ["https://127.0.0.1/x", "not public address"],
    ["https://2130706433/x", "not public address"],
    ["https://0177.0.0.1/x", "not public address"],
    ["https://0x7f000001/x", "not public address"],
    ["https://127.1/x", "not public address"],
    ["https://169.254.169.254/latest/meta-data", "not public address"],
    ["https://[::1]/x", "not public address"],
    ["https://[::ffff:10.0.0.1]/x", "not public address"],
    ["https://[fd00:ec2::254]/x", "not public address"],
  ])("refuses %s", (url, problem) => {
    const found = alertUrlProblem(url, strict);
    expect(found).toContain(problem);
    if (url !== "") expect(found).not.toContain(url);
  });
});

describe("resolveUrl", () => {
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  const secret = { namespace: "shop", name: "hooks", key: "url" };
  const readSecret = async ({ name }: { readonly name: string }) =>
    name === "hooks"
      ? { url: base64(" https://hooks.example.com/x\n"), bad: base64("token-123") }
      : undefined;
  const resolve = (more: Partial<typeof secret>) =>
    resolveUrl({ type: "secret", secret: { ...secret, ...more } }, strict, readSecret, signal);

  it("reads a URL from a Secret, without the space around it", async () => {
    expect(await resolve({})).toEqual({ url: "https://hooks.example.com/x" });
  });

  it.each([
    [{ name: "absent" }, "Secret absent does not exist; create it with the URL under the key url"],
    [{ key: "slack" }, "Secret hooks has no key slack; store the URL under that key"],
    [{ key: "bad" }, "the URL in key bad of Secret hooks cannot be used: it is not a URL"],
  ])("explains what is missing for %o, without content of the Secret", async (more, problem) => {
    const resolved = await resolve(more);
    expect(resolved.problem).toContain(problem);
    expect(resolved.problem).not.toContain("token-123");
  });
});
