import type { Service } from "keelson/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { type NewWebApp, WebApp } from "../api/web-app.ts";
import { urlOf } from "./url.ts";

function url(
  spec: Partial<NewWebApp["spec"]>,
  ...addresses: readonly { ip?: string; hostname?: string }[]
): string {
  const webapp: WebApp = {
    apiVersion: "example.com/v1",
    kind: "WebApp",
    metadata: { namespace: "shop", name: "web" },
    spec: WebApp.schemas.spec.parse({ image: "web:1", ...spec }),
  };
  const service: Service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: {},
    status: { loadBalancer: { ingress: addresses } },
  };
  return urlOf(webapp, service);
}

describe("the address of a WebApp", () => {
  it("is that of its Service, with the port unless it is 80", () => {
    expect(url({})).toBe("http://web.shop.svc");
    expect(url({ port: 8080 })).toBe("http://web.shop.svc:8080");
  });

  it("is that of its Ingress, with https if that has a certificate", () => {
    expect(url({ port: 8080, ingress: { host: "a.example.com" } })).toBe("http://a.example.com");
    const tls = { secretName: "a" };
    expect(url({ ingress: { host: "a.example.com", path: "/b", tls } })).toBe("https://a.example.com/b");
  });

  it("is that of its load balancer as soon as that has an address", () => {
    expect(url({ serviceType: "LoadBalancer" })).toBe("http://web.shop.svc");
    expect(url({ serviceType: "LoadBalancer" }, { ip: "192.0.2.1" })).toBe("http://192.0.2.1");
    expect(url({ serviceType: "LoadBalancer", port: 81 }, { ip: "2001:db8::1" })).toBe(
      "http://[2001:db8::1]:81",
    );
    expect(url({ serviceType: "LoadBalancer" }, { hostname: "lb.example.com" })).toBe(
      "http://lb.example.com",
    );
    expect(url({}, { ip: "192.0.2.1" })).toBe("http://web.shop.svc");
  });
});
