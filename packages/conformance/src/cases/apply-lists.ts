import { type CaseGroup, conforms } from "../conformance-case.ts";
import { type Fields, manifest, podTemplate, service } from "./manifests.ts";

const form = (containers: readonly Fields[], spec: Fields = {}): Fields =>
  podTemplate("form", { ...spec, containers });
const as = (manager: string, more = ""): string => `podtemplates/form?fieldManager=${manager}${more}`;
const ports = (...list: readonly Fields[]): Fields => service("web", { clusterIP: "None", ports: list });

export const applyListCases: CaseGroup = {
  title: "server-side apply of lists",
  cases: [
    conforms("containers of two managers live side by side", async (stage) => {
      await stage.apply(stage.path(as("ann")), form([{ name: "main", image: "web:1" }]));
      await stage.apply(stage.path(as("bob")), form([{ name: "side", image: "b:1" }]));
      await stage.apply(stage.path(as("ann")), form([{ name: "main", image: "web:2" }]));
    }),
    conforms("a container that is no longer applied goes", async (stage) => {
      await stage.apply(
        stage.path(as("ann")),
        form([
          { name: "a", image: "a:1" },
          { name: "b", image: "b:1" },
        ]),
      );
      await stage.apply(stage.path(as("ann")), form([{ name: "b", image: "b:1" }]));
    }),
    conforms("a field within a container is a conflict", async (stage) => {
      await stage.apply(stage.path(as("ann")), form([{ name: "main", image: "web:1" }]));
      await stage.apply(stage.path(as("bob")), form([{ name: "main", image: "web:2" }]));
      await stage.apply(stage.path(as("bob", "&force=true")), form([{ name: "main", image: "web:2" }]));
    }),
    conforms("fields of one container have several managers", async (stage) => {
      await stage.apply(stage.path(as("ann")), form([{ name: "main", image: "web:1" }]));
      await stage.apply(stage.path(as("bob")), form([{ name: "main", workingDir: "/tmp" }]));
      await stage.apply(stage.path(as("bob")), form([{ name: "main" }]));
    }),
    conforms("an element needs its keys", async (stage) => {
      await stage.apply(stage.path(as("ann")), form([{ image: "web:1" }]));
    }),
    conforms("an element comes once", async (stage) => {
      await stage.apply(
        stage.path(as("ann")),
        form([
          { name: "a", image: "a:1" },
          { name: "a", image: "a:2" },
        ]),
      );
    }),
    conforms("a list that is atomic is replaced as a whole", async (stage) => {
      await stage.apply(stage.path(as("ann")), form([{ name: "main", image: "web:1", args: ["a", "b"] }]));
      await stage.apply(stage.path(as("bob")), form([{ name: "main", args: ["c"] }]));
      await stage.apply(stage.path(as("ann")), form([{ name: "main", image: "web:1", args: ["c"] }]));
    }),
    conforms("a map that is atomic is replaced as a whole", async (stage) => {
      const selecting = (nodeSelector: Fields): Fields =>
        form([{ name: "main", image: "web:1" }], { nodeSelector });
      await stage.apply(stage.path(as("ann")), selecting({ a: "1" }));
      await stage.apply(stage.path(as("bob")), selecting({ b: "2" }));
    }),
    conforms("variables are identified by their names", async (stage) => {
      const env = (...names: readonly string[]) =>
        form([{ name: "main", image: "web:1", env: names.map((name) => ({ name, value: "x" })) }]);
      await stage.apply(stage.path(as("ann")), env("A", "B", "C"));
      await stage.apply(stage.path(as("ann")), env("C", "A"));
      await stage.apply(stage.path(as("bob")), env("D"));
    }),
    conforms("a variable gets a value from elsewhere instead", async (stage) => {
      const env = (source: Fields) =>
        form([{ name: "main", image: "web:1", env: [{ name: "A", ...source }] }]);
      await stage.apply(stage.path(as("ann")), env({ value: "x" }));
      await stage.apply(
        stage.path(as("ann")),
        env({ valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }),
      );
    }),
    conforms("ports of containers are identified by number and protocol", async (stage) => {
      const main = (...list: readonly Fields[]) => form([{ name: "main", image: "web:1", ports: list }]);
      await stage.apply(stage.path(as("ann")), main({ containerPort: 80 }));
      await stage.apply(stage.path(as("bob")), main({ containerPort: 80, protocol: "UDP" }));
      await stage.apply(stage.path(as("ann")), main({ containerPort: 81 }));
    }),
    conforms("ports of a Service are identified by number and protocol", async (stage) => {
      const path = (manager: string): string => stage.path(`services/web?fieldManager=${manager}`);
      await stage.apply(path("ann"), ports({ name: "http", port: 80 }));
      await stage.apply(path("bob"), ports({ name: "dns", port: 53, protocol: "UDP" }));
      await stage.apply(path("ann"), ports({ name: "http", port: 8080 }));
    }),
    conforms("elements keep the order of who applies them", async (stage) => {
      const named = (...names: readonly string[]) => form(names.map((name) => ({ name, image: "a:1" })));
      await stage.apply(stage.path(as("ann")), named("a", "b"));
      await stage.apply(stage.path(as("bob")), named("c", "a"));
      await stage.apply(stage.path(as("ann")), named("b", "a"));
    }),
    conforms("a default that the server sets has no field owner", async (stage) => {
      await stage.apply(stage.path(as("ann")), form([{ name: "main", image: "web:1" }]));
      await stage.apply(stage.path(as("bob")), form([{ name: "main", terminationMessagePath: "/log" }]));
    }),
    conforms("rules of a Role are one thing", async (stage) => {
      const role = (...verbs: readonly string[]) =>
        manifest("rbac.authorization.k8s.io/v1", "Role", "role", {
          rules: [{ apiGroups: [""], resources: ["pods"], verbs }],
        });
      const path = (manager: string): string =>
        stage.path(`rbac.authorization.k8s.io/v1:roles/role?fieldManager=${manager}`);
      await stage.apply(path("ann"), role("get"));
      await stage.apply(path("bob"), role("list"));
    }),
    conforms("quantities are compared as they are written", async (stage) => {
      const limited = (cpu: string) =>
        form([{ name: "main", image: "web:1", resources: { limits: { cpu } } }]);
      await stage.apply(stage.path(as("ann")), limited("500m"));
      await stage.apply(stage.path(as("bob")), limited("0.5"));
    }),
  ],
};
