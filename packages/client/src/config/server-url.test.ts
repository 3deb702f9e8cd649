import { describe, expect, it } from "vitest";
import { parseProxy, parseServer } from "./server-url.ts";

describe("the server of a cluster", () => {
  it.each([
    ["https://k:6443", false, "https://k:6443"],
    ["https://k:6443/", false, "https://k:6443"],
    ["https://rancher/k8s/clusters/c-1/?a=b#c", false, "https://rancher/k8s/clusters/c-1"],
    ["HTTPS://K:443", false, "https://k"],
    ["https://[::1]:6443", false, "https://[::1]:6443"],
    ["http://localhost:8080", true, "http://localhost:8080"],
    ["localhost:8080", false, "http://localhost:8080"],
    ["10.0.0.1:6443", true, "https://10.0.0.1:6443"],
  ])("%s, with TLS settings: %s, is %s", (server, speaksOfTls, expected) => {
    expect(parseServer(server, speaksOfTls)).toBe(expected);
  });

  it.each([
    ["", "its cluster has no server"],
    ["https://", "is not a URL"],
    ["ftp://k", "has the scheme ftp"],
    ["https://ann:s3cr3t@k", "has credentials in its URL"],
  ])("is not %j", (server, problem) => {
    expect(() => parseServer(server, true)).toThrow(problem);
    expect(() => parseServer(server, true)).not.toThrow("s3cr3t");
  });
});

describe("a proxy", () => {
  it.each(["http://proxy:3128/", "https://ann:pw@proxy/"])("may be %s", (url) => {
    expect(parseProxy(url)).toBe(url);
  });

  it.each([
    ["socks5://ann:s3cr3t@proxy:1080", "SOCKS proxies are not supported"],
    ["proxy:3128", "has the scheme proxy"],
    ["s3cr3t", "is not a URL"],
  ])("may not be %s", (url, problem) => {
    expect(() => parseProxy(url)).toThrow(problem);
    expect(() => parseProxy(url)).not.toThrow("s3cr3t");
  });
});
