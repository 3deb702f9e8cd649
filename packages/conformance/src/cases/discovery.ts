import { isRecord } from "@keelson/core";
import { type CaseGroup, type ConformanceCase, conforms } from "../conformance-case.ts";
import { field, parsed, type Stage } from "../stage.ts";

/** Groups that both servers have; each may have more. */
const groups = [
  "apps/v1",
  "batch/v1",
  "autoscaling/v2",
  "policy/v1",
  "networking.k8s.io/v1",
  "rbac.authorization.k8s.io/v1",
  "coordination.k8s.io/v1",
  "discovery.k8s.io/v1",
  "storage.k8s.io/v1",
  "events.k8s.io/v1",
  "apiextensions.k8s.io/v1",
  "admissionregistration.k8s.io/v1",
  "authorization.k8s.io/v1",
  "authentication.k8s.io/v1",
] as const;

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const listed = [
  "pods",
  "configmaps",
  "services",
  "namespaces",
  "nodes",
  "secrets",
  "events",
  "serviceaccounts",
];

/** The elements of a list whose name is one of some, in the order of the names. */
function named(
  list: unknown,
  nameOf: (element: unknown) => unknown,
  names: readonly string[],
): readonly unknown[] {
  const elements = Array.isArray(list) ? list : [];
  return names.map((name) => elements.find((element) => nameOf(element) === name) ?? `no ${name}`);
}

const nameOf = (element: unknown): unknown => field(element, "name");

async function read(stage: Stage, path: string, accept = "application/json"): Promise<unknown> {
  return await stage.quietly({ method: "GET", path, headers: { accept } });
}

/** The hash of a storage version differs with the server's build. */
function withoutHashes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutHashes);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).filter(([name]) => name !== "storageVersionHash");
  return Object.fromEntries(entries.map(([name, part]) => [name, withoutHashes(part)]));
}

function groupCase(group: string): ConformanceCase {
  return conforms(`the resources of ${group} are listed`, async (stage) => {
    const list = await read(stage, `/apis/${group}`);
    stage.record(group, withoutHashes(list));
  });
}

export const discoveryCases: CaseGroup = {
  title: "discovery",
  cases: [
    ...groups.map(groupCase),
    conforms("the resources of the core group are listed", async (stage) => {
      const list = await read(stage, "/api/v1");
      const subresources = [
        "pods/status",
        "pods/eviction",
        "pods/binding",
        "serviceaccounts/token",
        "namespaces/finalize",
      ];
      stage.record("/api/v1", {
        head: [field(list, "kind"), field(list, "groupVersion"), field(list, "apiVersion") ?? "none"],
        resources: withoutHashes(named(field(list, "resources"), nameOf, [...listed, ...subresources])),
      });
    }),
    conforms("the groups are listed", async (stage) => {
      const list = await read(stage, "/apis");
      const names = groups.map((group) => group.split("/")[0] ?? group);
      stage.record("/apis", {
        kind: field(list, "kind"),
        groups: named(field(list, "groups"), nameOf, names),
      });
    }),
    conforms("a single group is listed", async (stage) => {
      await stage.get("/apis/apps");
      await stage.get("/apis/autoscaling");
      await stage.get("/apis/none.example.com");
    }),
    conforms("the versions of the core group are listed", async (stage) => {
      await stage.get("/api");
    }),
    conforms("all groups are listed in one response", async (stage) => {
      const list = await read(stage, "/apis", aggregated);
      const names = ["apps", "batch", "coordination.k8s.io"];
      const groupName = (element: unknown): unknown => field(element, "metadata.name");
      stage.record("/apis", {
        head: [field(list, "kind"), field(list, "apiVersion")],
        items: named(field(list, "items"), groupName, names).map((item) =>
          withoutHashes(field(item, "versions")),
        ),
      });
    }),
    conforms("the core group is listed in one response", async (stage) => {
      const list = await read(stage, "/api", aggregated);
      const versions = field(
        Array.isArray(field(list, "items")) ? Object(field(list, "items"))[0] : {},
        "versions",
      );
      const resources = Array.isArray(versions) ? field(versions[0], "resources") : [];
      const resourceName = (element: unknown): unknown => field(element, "resource");
      stage.record("/api", withoutHashes(named(resources, resourceName, listed)));
    }),
    conforms("the form of discovery is in its content type", async (stage) => {
      for (const accept of [
        aggregated,
        "application/json",
        "application/json;g=apidiscovery.k8s.io;v=v9;as=APIGroupDiscoveryList,application/json",
      ]) {
        const reply = await stage.look({ method: "GET", path: "/apis", headers: { accept } });
        stage.record("content type", reply.headers["content-type"]);
      }
    }),
    conforms("a discovery that has not changed is not sent again", async (stage) => {
      const first = await stage.look({ method: "GET", path: "/apis", headers: { accept: aggregated } });
      const etag = first.headers.etag ?? "";
      const again = await stage.look({
        method: "GET",
        path: "/apis",
        headers: { accept: aggregated, "if-none-match": etag },
      });
      stage.record("statuses", [first.status, etag !== "", again.status === 304 || again.status === 200]);
    }),
    conforms("the version is shown", async (stage) => {
      const version = await read(stage, "/version");
      stage.record("/version", {
        major: field(version, "major"),
        minor: field(version, "minor"),
        gitVersion: field(version, "gitVersion"),
      });
    }),
    conforms("OpenAPI has a document for each group", async (stage) => {
      const index = await read(stage, "/openapi/v3");
      const paths = field(index, "paths");
      const known = isRecord(paths) ? Object.keys(paths) : [];
      stage.record(
        "documents",
        ["api/v1", ...groups.map((group) => `apis/${group}`)].map((path) => [path, known.includes(path)]),
      );
    }),
    conforms("OpenAPI describes the fields of kinds", async (stage) => {
      const document = await read(stage, "/openapi/v3/apis/apps/v1");
      const schemas = field(document, "components.schemas");
      const schema = isRecord(schemas) ? schemas["io.k8s.api.apps.v1.Deployment"] : undefined;
      const properties = field(schema, "properties");
      stage.record("kinds", [
        isRecord(properties) ? Object.keys(properties).toSorted() : "none",
        isRecord(schema) ? schema["x-kubernetes-group-version-kind"] : "none",
      ]);
    }),
    conforms("OpenAPI of an unknown group is not found", async (stage) => {
      await stage.get("/openapi/v3/apis/none.example.com/v1");
    }),
    conforms("discovery is pretty-printed on request", async (stage) => {
      const { text } = await stage.look({ method: "GET", path: "/apis/coordination.k8s.io?pretty=true" });
      stage.record("text", [text.includes("\n"), typeof parsed(text)]);
    }),
  ],
};
