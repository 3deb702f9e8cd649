import { describe, expect, it } from "vitest";
import { parseImageReference } from "./image-reference.ts";

const hex = "0123456789abcdef".repeat(4);

describe("parseImageReference", () => {
  it.each([
    ["nginx", { repository: "nginx" }],
    ["nginx:1.25", { repository: "nginx", tag: "1.25" }],
    ["acme/shop:v1_2-rc.1", { repository: "acme/shop", tag: "v1_2-rc.1" }],
    ["ghcr.io/acme/shop", { registry: "ghcr.io", repository: "acme/shop" }],
    ["localhost/web:1", { registry: "localhost", repository: "web", tag: "1" }],
    ["localhost:5000/web", { registry: "localhost:5000", repository: "web" }],
    ["host:5000", { repository: "host", tag: "5000" }],
    ["[2001:db8::1]:5000/web:1", { registry: "[2001:db8::1]:5000", repository: "web", tag: "1" }],
    ["Registry/web:1", { registry: "Registry", repository: "web", tag: "1" }],
    [`web@sha256:${hex}`, { repository: "web", digest: `sha256:${hex}` }],
    [`web:1@sha256:${hex}`, { repository: "web", tag: "1", digest: `sha256:${hex}` }],
  ])("parses %s", (text, parts) => {
    const none = { registry: undefined, tag: undefined, digest: undefined };
    expect(parseImageReference(text)).toEqual({ ...none, ...parts });
  });

  it.each([
    "",
    "Nginx",
    "nginx:",
    "nginx:1 25",
    "nginx:1\n",
    "/nginx",
    "nginx/",
    "a//b",
    "a..b",
    "-nginx",
    "nginx:.1",
    `nginx:${"1".repeat(129)}`,
    "nginx@",
    "nginx@sha256:abc",
    `nginx@sha256:${hex.toUpperCase()}`,
    `nginx@md5:${hex}`,
    "https://ghcr.io/nginx:1",
  ])("refuses %j", (text) => {
    expect(parseImageReference(text)).toBeUndefined();
  });
});
