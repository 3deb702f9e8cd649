import { type CaseGroup, conforms } from "../../conformance-case.ts";
import { field, type Stage } from "../../stage.ts";
import { hasField } from "../kubectl/settling.ts";
import { configMap, manifest } from "../manifests.ts";

const pathOf = ({ namespace }: Stage): string => `/api/v1/namespaces/${namespace}-more`;

async function addNamespace(stage: Stage): Promise<void> {
  await stage.prepare("/api/v1/namespaces", manifest("v1", "Namespace", `${stage.namespace}-more`));
}

const isGone = (stage: Stage): Promise<unknown> =>
  stage.until(pathOf(stage), (response) => field(response, "code") === 404);

/** A controller has created the objects that every namespace has. */
const has = (stage: Stage, path: string): Promise<unknown> =>
  stage.until(`${pathOf(stage)}/${path}`, (object) => field(object, "metadata.uid") !== undefined);

export const namespaceCases: CaseGroup = {
  title: "namespaces",
  cases: [
    conforms("a namespace is given what pods need", async (stage) => {
      await hasField("configmaps/kube-root-ca.crt", "metadata.name", "kube-root-ca.crt")(stage);
      await stage.kubectl("get configmap kube-root-ca.crt -o yaml");
      await stage.kubectl("get serviceaccount default -o yaml");
      await stage.kubectl(`get namespace ${stage.namespace} -o yaml`);
    }),
    conforms("what a controller put into a namespace comes back", async (stage) => {
      await stage.kubectl("delete configmap kube-root-ca.crt");
      await stage.kubectl("delete serviceaccount default");
      await hasField("configmaps/kube-root-ca.crt", "metadata.name", "kube-root-ca.crt")(stage);
      await hasField("serviceaccounts/default", "metadata.name", "default")(stage);
      await stage.kubectl('patch configmap kube-root-ca.crt --type=merge -p {"data":{"ca.crt":"changed"}}');
      await stage.until(
        stage.path("configmaps/kube-root-ca.crt"),
        (object) => !JSON.stringify(object).includes("changed"),
      );
    }),
    conforms("a namespace goes with all that is in it", async (stage) => {
      await addNamespace(stage);
      await has(stage, "serviceaccounts/default");
      await stage.prepare(`${pathOf(stage)}/configmaps`, configMap("settings"));
      await stage.kubectl(`delete namespace ${stage.namespace}-more --timeout=30s`);
      await stage.get(`${pathOf(stage)}/configmaps/settings`);
      await stage.get(pathOf(stage));
    }),
    conforms("a namespace that is going waits for finalizers and takes nothing new", async (stage) => {
      await addNamespace(stage);
      await has(stage, "serviceaccounts/default");
      const path = `${pathOf(stage)}/configmaps`;
      await stage.prepare(path, configMap("held", { metadata: { finalizers: ["example.com/hold"] } }));
      await stage.kubectl(`delete namespace ${stage.namespace}-more --wait=false`);
      await stage.until(
        pathOf(stage),
        (object) =>
          JSON.stringify(field(object, "status.conditions"))?.includes("NamespaceFinalizersRemaining") ??
          false,
      );
      await stage.kubectl(`get namespace ${stage.namespace}-more`);
      await stage.create(path, configMap("late"));
      await stage.kubectl([
        "get",
        "namespace",
        `${stage.namespace}-more`,
        "-o",
        "jsonpath={range .status.conditions[*]}{.type} {.status} {.reason} {.message}{'\\n'}{end}",
      ]);
      await stage.quietly({
        method: "PATCH",
        path: `${path}/held`,
        headers: { "content-type": "application/merge-patch+json" },
        body: JSON.stringify({ metadata: { finalizers: null } }),
      });
      await isGone(stage);
    }),
  ],
};
