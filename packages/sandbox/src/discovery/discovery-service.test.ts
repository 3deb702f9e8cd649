import { isRecord } from "@keelson/core";
import { describe, expect, it } from "vitest";
import { builtinResourceFacts } from "../builtin/builtin-resources.ts";
import { createRegistry, type ResourceRegistry } from "../resource/resource-registry.ts";
import { compareVersions, type ServedResource } from "../resource/served-resource.ts";
import type { Strategy } from "../resource/strategy.ts";
import { aggregatedType } from "./aggregated-document.ts";
import { type DiscoveryResponse, discoveryService } from "./discovery-service.ts";

const strategy: Strategy = {
  setDefaults: () => {},
  prepareForCreate: () => {},
  prepareForUpdate: () => {},
  validate: () => [],
  validateUpdate: () => [],
  countsGenerations: true,
  allowsCreateOnUpdate: false,
  allowsUnconditionalUpdate: true,
};
const rest = { strategy, columns: [], selectableFields: [] };

const lab: ServedResource = {
  ...rest,
  group: "lab.example.com",
  version: "v1",
  kind: "Lab",
  listKind: "LabList",
  plural: "labs",
  singular: "lab",
  scope: "Namespaced",
  shortNames: ["lb"],
  categories: ["all"],
  verbs: ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"],
  collection: "labs.lab.example.com",
  storageVersion: "v1",
  schema: {
    type: "object",
    description: "A lab.",
    properties: {
      spec: {
        type: "object",
        description: "What it is for.",
        properties: { size: { "x-kubernetes-int-or-string": true } },
      },
    },
  },
  subresources: new Map([
    ["status", { name: "status", verbs: ["get", "patch", "update"], kind: "Lab" }],
    [
      "scale",
      {
        name: "scale",
        verbs: ["get", "patch", "update"],
        kind: "Scale",
        group: "autoscaling",
        version: "v1",
      },
    ],
  ]),
  isCustom: true,
  prunesUnknownFields: true,
};

function world(): {
  registry: ResourceRegistry;
  get: (path: string, headers?: Record<string, string>) => ApiResponse;
} {
  const registry = createRegistry();
  registry.replace(
    "builtin",
    builtinResourceFacts().map((facts) => ({ ...facts, ...rest })),
  );
  registry.replace("labs.lab.example.com", [lab]);
  const service = discoveryService(registry, { serverAddress: "127.0.0.1:6443" });
  const get = (url: string, headers: Record<string, string> = {}): ApiResponse => {
    const { pathname, searchParams } = new URL(url, "http://server");
    const response = service(pathname, headers, searchParams);
    expect.assert(response !== undefined);
    return {
      ...response,
      json: response.headers["content-type"]?.includes("json")
        ? JSON.parse(String(response.body))
        : undefined,
    };
  };
  return { registry, get };
}

type ApiResponse = DiscoveryResponse & { readonly json: unknown };

/** What a document has at a path, which must be there. */
function part(document: unknown, ...path: readonly string[]): unknown {
  return path.reduce((value, name) => {
    expect.assert(isRecord(value) && Object.hasOwn(value, name), `there is no ${name}`);
    return value[name];
  }, document);
}

function listIn(document: unknown, ...path: readonly string[]): readonly unknown[] {
  const list = part(document, ...path);
  expect.assert(Array.isArray(list));
  return list;
}

function namesIn(document: unknown, ...path: readonly string[]): readonly unknown[] {
  return listIn(document, ...path).map((each) => part(each, "name"));
}

describe("legacy discovery", () => {
  const { get } = world();

  it("lists the versions of the core group", () => {
    expect(get("/api").json).toEqual({
      kind: "APIVersions",
      versions: ["v1"],
      serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: "127.0.0.1:6443" }],
    });
    expect(get("/api/v1").json).toMatchObject({ kind: "APIResourceList", groupVersion: "v1" });
    expect(get("/api/v1").json).not.toHaveProperty("apiVersion");
  });

  it("lists groups in the order of the server, custom ones last, with the preferred version first", () => {
    const { json } = get("/apis");
    const names = namesIn(json, "groups");
    expect(names.slice(0, 3)).toEqual(["apiregistration.k8s.io", "apps", "events.k8s.io"]);
    expect(names.at(-1)).toBe("lab.example.com");
    expect(listIn(json, "groups")[names.indexOf("autoscaling")]).toMatchObject({
      preferredVersion: { groupVersion: "autoscaling/v2", version: "v2" },
    });
  });

  it("lists the resources of a version with their subresources", () => {
    expect(get("/apis/lab.example.com/v1").json).toEqual({
      kind: "APIResourceList",
      apiVersion: "v1",
      groupVersion: "lab.example.com/v1",
      resources: [
        {
          name: "labs",
          singularName: "lab",
          namespaced: true,
          kind: "Lab",
          verbs: lab.verbs,
          shortNames: ["lb"],
          categories: ["all"],
          storageVersionHash: expect.stringMatching(/^[\w+/]{11}=$/),
        },
        {
          name: "labs/status",
          singularName: "",
          namespaced: true,
          kind: "Lab",
          verbs: ["get", "patch", "update"],
        },
        {
          name: "labs/scale",
          singularName: "",
          namespaced: true,
          group: "autoscaling",
          version: "v1",
          kind: "Scale",
          verbs: ["get", "patch", "update"],
        },
      ],
    });
    expect(listIn(get("/apis/apps/v1/").json, "resources")[0]).toMatchObject({
      name: "controllerrevisions",
      storageVersionHash: "85nkx63pcBU=",
    });
  });

  it("has no other groups and versions", () => {
    expect(get("/apis/nope")).toMatchObject({ status: 404, body: "404 page not found\n" });
    expect(get("/apis/lab.example.com/v9")).toMatchObject({ status: 404, body: "404 page not found\n" });
    expect(get("/apis/apps/v9")).toMatchObject({ status: 404, json: { reason: "NotFound", details: {} } });
  });

  it("ignores paths of objects and other paths", () => {
    const service = discoveryService(createRegistry());
    for (const path of ["/", "/healthz", "/api/v1/pods", "/apis/apps/v1/deployments"])
      expect(service(path, {}, new URLSearchParams())).toBeUndefined();
  });
});

describe("aggregated discovery", () => {
  const accept = `${aggregatedType},application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json`;

  it("serves aggregated discovery on request", () => {
    const { get } = world();
    const response = get("/apis", { accept });
    expect(response.headers).toMatchObject({
      "content-type": aggregatedType,
      "cache-control": "public",
      vary: "Accept",
    });
    expect(listIn(response.json, "items").at(-1)).toEqual({
      metadata: { name: "lab.example.com" },
      versions: [
        {
          version: "v1",
          resources: [
            {
              resource: "labs",
              responseKind: { group: "lab.example.com", version: "v1", kind: "Lab" },
              scope: "Namespaced",
              singularResource: "lab",
              verbs: lab.verbs,
              shortNames: ["lb"],
              categories: ["all"],
              subresources: [
                {
                  subresource: "status",
                  responseKind: { group: "lab.example.com", version: "v1", kind: "Lab" },
                  verbs: ["get", "patch", "update"],
                },
                {
                  subresource: "scale",
                  responseKind: { group: "autoscaling", version: "v1", kind: "Scale" },
                  verbs: ["get", "patch", "update"],
                },
              ],
            },
          ],
          freshness: "Current",
        },
      ],
    });
    expect(part(get("/api", { accept }).json, "items")).toMatchObject([
      { metadata: {}, versions: [{ version: "v1" }] },
    ]);
  });

  it("is not sent again as long as nothing changes", () => {
    const { get, registry } = world();
    const { etag = "" } = get("/apis", { accept }).headers;
    expect(get("/apis", { accept, "if-none-match": etag })).toMatchObject({ status: 304, body: "" });
    registry.replace("labs.lab.example.com", []);
    const response = get("/apis", { accept, "if-none-match": etag });
    expect(response.status).toBe(200);
    expect(response.body).not.toContain("lab.example.com");
  });
});

describe("OpenAPI", () => {
  it("may be kept for ever under its hash, and leads from an old hash to the present one", () => {
    const { get } = world();
    const { paths } = JSON.parse(String(get("/openapi/v3").body));
    const url = paths["apis/apps/v1"].serverRelativeURL;
    expect(url).toMatch(/^\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]{128}$/);
    expect(get(url)).toMatchObject({ status: 200, headers: { "cache-control": "public, immutable" } });
    expect(get("/openapi/v3/apis/apps/v1?hash=ABC")).toMatchObject({
      status: 301,
      headers: { location: url },
    });
    expect(get("/openapi/v3/apis/apps/v1")).toMatchObject({
      status: 200,
      headers: { "cache-control": "no-cache, private" },
    });
    expect(get(url, { accept: "application/com.github.proto-openapi.spec.v3.v1.0+protobuf" }).status).toBe(
      406,
    );
    expect(get("/openapi/v3/apis/nope/v1").status).toBe(404);
  });

  it("has a schema for everything that it refers to", () => {
    const { get } = world();
    const { paths } = JSON.parse(String(get("/openapi/v3").body));
    for (const path of Object.keys(paths)) {
      const { body, json } = get(`/openapi/v3/${path}`);
      for (const [, reference] of String(body).matchAll(/"#\/components\/schemas\/([^"]+)"/g))
        expect(part(json, "components", "schemas")).toHaveProperty([String(reference)]);
    }
  });

  it("publishes the schema of a custom kind, and the media types of its patches", () => {
    const { json } = world().get("/openapi/v3/apis/lab.example.com/v1");
    expect(part(json, "components", "schemas", "com.example.lab.v1.Lab")).toEqual({
      type: "object",
      description: "A lab.",
      properties: {
        apiVersion: { type: "string" },
        kind: { type: "string" },
        metadata: { $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" },
        spec: {
          type: "object",
          description: "What it is for.",
          properties: {
            size: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] },
          },
        },
      },
      "x-kubernetes-group-version-kind": [{ group: "lab.example.com", version: "v1", kind: "Lab" }],
    });
    const one = "/apis/lab.example.com/v1/namespaces/{namespace}/labs/{name}";
    const patch = part(json, "paths", one, "patch");
    expect(namesIn(patch, "parameters")).toEqual(["dryRun", "fieldManager", "fieldValidation", "force"]);
    const content = part(patch, "requestBody", "content");
    expect(content).toHaveProperty(["application/merge-patch+json"]);
    expect(content).not.toHaveProperty(["application/strategic-merge-patch+json"]);
    expect(part(patch, "x-kubernetes-group-version-kind")).toEqual({
      group: "lab.example.com",
      version: "v1",
      kind: "Lab",
    });
    expect(part(json, "components", "schemas")).toHaveProperty(["io.k8s.api.autoscaling.v1.Scale"]);
  });

  it("serves OpenAPI v2 in the format that kubectl requests, and as JSON", () => {
    const accept = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
    const { status, headers, body } = world().get("/openapi/v2", { accept });
    expect({ status, type: headers["content-type"] }).toEqual({
      status: 200,
      type: accept.replace("@", "."),
    });
    expect.assert(typeof body !== "string");
    // Field 1 of the document is its version; the definitions name what they are of.
    expect(Buffer.from(body).subarray(0, 5).toString("latin1")).toBe("\n\u00032.0");
    expect(Buffer.from(body).includes("#/definitions/io.k8s.api.apps.v1.DeploymentSpec")).toBe(true);
    expect(world().get("/openapi/v2").json).toMatchObject({
      swagger: "2.0",
      definitions: { "io.k8s.api.apps.v1.Deployment": { type: "object" } },
    });
    expect(world().get("/openapi/v2", { accept: "text/html" }).status).toBe(406);
  });
});

it("reports the version of Kubernetes", () => {
  expect(world().get("/version").json).toMatchObject({
    major: "1",
    minor: "36",
    gitVersion: "v1.36.2+keelson",
  });
});

it("prefers stable versions to beta, beta to alpha, and newer to older ones", () => {
  const versions = ["v1alpha1", "foo", "v2", "v1beta2", "v10", "v1beta10", "v2alpha1", "bar", "v1"];
  expect(versions.sort(compareVersions)).toEqual([
    "v10",
    "v2",
    "v1",
    "v1beta10",
    "v1beta2",
    "v2alpha1",
    "v1alpha1",
    "bar",
    "foo",
  ]);
});
