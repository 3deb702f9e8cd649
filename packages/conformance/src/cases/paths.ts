import { type CaseGroup, type ConformanceCase, conforms } from "../conformance-case.ts";
import type { WorldRequest } from "../world.ts";
import { configMap } from "./manifests.ts";

const looks: readonly (readonly [sentence: string, ...paths: string[]])[] = [
  ["an unknown group is not found", "/apis/none.example.com/v1/things"],
  ["an unknown version of a group is not found", "/apis/apps/v9/deployments"],
  ["an unknown resource of the core group is not found", "/api/v1/things"],
  ["an unknown resource of a named group is not found", "/apis/apps/v1/things"],
  ["a path that leads nowhere is not found", "/nothing", "/api/v2"],
  ["a name in a kind that is unknown is not found", "/api/v1/namespaces/default/things/one"],
  ["an unknown subresource is not found", "/api/v1/namespaces/default/configmaps/a/status"],
  ["an unknown subresource of a pod is not found", "/api/v1/namespaces/default/pods/a/nothing"],
  ["a resource of the cluster is not found below a namespace", "/api/v1/namespaces/default/nodes"],
  ["a kind in the place of a resource is not found", "/api/v1/namespaces/default/ConfigMap"],
  ["a slash at the end of a path changes nothing", "/api/v1/namespaces/default/secrets/", "/api/"],
  ["the server reports that it is live, ready and healthy", "/livez", "/readyz", "/healthz"],
  ["single health checks can be requested", "/livez/ping", "/readyz/ping", "/healthz/ping"],
  ["an unknown health check is not found", "/livez/nothing"],
  ["a list in a namespace that does not exist is empty", "/api/v1/namespaces/never-made/secrets"],
  ["an object in a namespace that does not exist is not found", "/api/v1/namespaces/never-made/secrets/a"],
  ["a namespace that does not exist is not found", "/api/v1/namespaces/never-made"],
  ["a node that does not exist is not found", "/api/v1/nodes/never-made"],
  ["a name that can never be is not found", "/api/v1/namespaces/default/secrets/NOT_A_NAME"],
  ["an escaped name is read as it was meant", "/api/v1/namespaces/default/secrets/a%2Db"],
];

const refusedMethods: readonly (readonly [sentence: string, ...requests: Omit<WorldRequest, "headers">[]])[] =
  [
    ["a list cannot be replaced", { method: "PUT", path: "/api/v1/namespaces/default/configmaps" }],
    ["a list cannot be patched", { method: "PATCH", path: "/api/v1/namespaces/default/configmaps" }],
    ["an object cannot be posted to", { method: "POST", path: "/api/v1/namespaces/default/configmaps/a" }],
    ["namespaces cannot be deleted together", { method: "DELETE", path: "/api/v1/namespaces" }],
    [
      "objects of all namespaces cannot be deleted together",
      { method: "DELETE", path: "/api/v1/configmaps" },
    ],
    ["objects cannot be created in all namespaces", { method: "POST", path: "/api/v1/configmaps" }],
    [
      "a review can only be created",
      { method: "GET", path: "/apis/authorization.k8s.io/v1/subjectaccessreviews" },
    ],
    ["a binding can only be created", { method: "GET", path: "/api/v1/namespaces/default/bindings" }],
    [
      "an eviction can only be created",
      { method: "GET", path: "/api/v1/namespaces/default/pods/a/eviction" },
    ],
    ["a status is not created", { method: "POST", path: "/api/v1/namespaces/default/pods/a/status" }],
    ["a status is not deleted", { method: "DELETE", path: "/api/v1/namespaces/default/pods/a/status" }],
    [
      "a scale is not deleted",
      { method: "DELETE", path: "/apis/apps/v1/namespaces/default/deployments/a/scale" },
    ],
    [
      "discovery cannot be written",
      { method: "DELETE", path: "/api/v1" },
      { method: "PUT", path: "/apis/apps/v1" },
    ],
    ["the version cannot be written", { method: "POST", path: "/version" }],
  ];

function look([sentence, ...paths]: (typeof looks)[number]): ConformanceCase {
  return conforms(sentence, async (stage) => {
    for (const path of paths) await stage.get(path);
  });
}

function refusedMethod([sentence, ...requests]: (typeof refusedMethods)[number]): ConformanceCase {
  return conforms(sentence, async (stage) => {
    for (const request of requests) await stage.send({ body: "{}", ...request });
  });
}

export const pathCases: CaseGroup = {
  title: "paths and methods",
  cases: [
    ...looks.map(look),
    ...refusedMethods.map(refusedMethod),
    conforms("an object is created and read", async (stage) => {
      await stage.create(stage.path("configmaps"), configMap("settings"));
      await stage.get(stage.path("configmaps/settings"));
    }),
    conforms("an object that exists is not created again", async (stage) => {
      await stage.prepare(stage.path("configmaps"), configMap("settings"));
      await stage.create(stage.path("configmaps"), configMap("settings"));
    }),
    conforms("an object that does not exist is not found by any verb", async (stage) => {
      const path = stage.path("configmaps/none");
      await stage.get(path);
      await stage.replace(path, configMap("none", { metadata: { resourceVersion: "1" } }));
      await stage.patch(path, { data: {} });
      await stage.jsonPatch(path, [{ op: "add", path: "/data", value: {} }]);
      await stage.strategicPatch(path, { data: {} });
      await stage.delete(path);
    }),
    conforms("the path of another kind refuses the object", async (stage) => {
      await stage.create(stage.path("secrets"), configMap("settings"));
      await stage.create(stage.path("configmaps"), { ...configMap("a"), apiVersion: "v2" });
      await stage.create(stage.path("configmaps"), { ...configMap("a"), kind: "Thing" });
    }),
    conforms("a kind and a version that are left out are those of the path", async (stage) => {
      await stage.create(stage.path("configmaps"), { metadata: { name: "bare" }, data: { a: "b" } });
    }),
    conforms("a namespace reads itself below its own name", async (stage) => {
      await stage.get(`/api/v1/namespaces/${stage.namespace}`);
      await stage.get(`/api/v1/namespaces/${stage.namespace}/status`);
    }),
  ],
};
