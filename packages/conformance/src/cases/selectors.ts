import { type CaseGroup, conforms } from "../conformance-case.ts";
import type { Stage } from "../stage.ts";
import { pod, secret } from "./manifests.ts";

const labelSets = { a: { app: "web", tier: "front" }, b: { app: "db" }, c: { app: "web" }, d: {} };

async function prepareLabelled(stage: Stage): Promise<void> {
  for (const [name, labels] of Object.entries(labelSets)) {
    await stage.prepare(stage.path("secrets"), secret(name, { metadata: { labels } }));
  }
}

/** Shown as tables, which are short. */
const asTable = { headers: { accept: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1" } };

const labelSelectors: readonly (readonly [sentence: string, ...selectors: string[]])[] = [
  ["by equality", "app=web", "app==db", "app=none"],
  ["by inequality", "app!=web"],
  ["by existence", "tier", "!tier"],
  ["by sets", "app in (web,db)", "app notin (web)", "app in ()"],
  ["by several at once", "app=web,tier", "app=web,!tier", "app=web,app=db"],
  ["by comparison", "app>1", "app<1"],
  ["with blanks", " app = web , tier ", "app in ( web , db )"],
  ["by nothing", "", ","],
  ["by an empty value", "app="],
  ["that are broken", "app=web=db", "app in web", "app in (web", "(", "=web", "app!"],
  ["with names that are none", "a b=c", "-a=b", "a/b/c=d", `${"x".repeat(64)}=a`],
  ["with values that are none", "app=a b", `app=${"x".repeat(64)}`, "app=_"],
  ["that are absurd", `${"a,".repeat(2000)}a`, "a=b,".repeat(50)],
];

const fieldSelectors: readonly (readonly [sentence: string, resource: string, ...selectors: string[]])[] = [
  ["by name", "secrets", "metadata.name=a", "metadata.name!=a", "metadata.name==a"],
  ["by name and another name", "secrets", "metadata.name=a,metadata.name=b"],
  ["by a type", "secrets", "type=Opaque", "type!=Opaque"],
  ["by a field that cannot be selected", "secrets", "metadata.labels=a", "data=b", "spec.x=1"],
  ["that are broken", "secrets", "metadata.name", "=a", "metadata.name=a=b", "metadata.name>a"],
  ["by an empty value", "secrets", "metadata.name="],
  [
    "of a pod",
    "pods",
    "spec.nodeName=",
    "status.phase=Pending",
    "spec.restartPolicy=Always",
    "status.phase=None",
  ],
  [
    "of a pod's service account",
    "pods",
    "spec.serviceAccountName=default",
    "spec.schedulerName=no-scheduler",
  ],
  ["of a workload, which cannot be selected", "apps/v1:replicasets", "status.replicas=0"],
  ["of a pod that cannot be selected", "pods", "spec.image=x", "status.ready=true"],
];

export const selectorCases: CaseGroup = {
  title: "selectors",
  cases: [
    ...labelSelectors.map(([sentence, ...selectors]) =>
      conforms(`labels are selected ${sentence}`, async (stage) => {
        await prepareLabelled(stage);
        for (const selector of selectors) {
          await stage.get(stage.path(`secrets?labelSelector=${encodeURIComponent(selector)}`), asTable);
        }
      }),
    ),
    ...fieldSelectors.map(([sentence, resource, ...selectors]) =>
      conforms(`fields of ${resource} are selected ${sentence}`, async (stage) => {
        if (resource === "pods") await stage.prepare(stage.path("pods"), pod("idle"));
        else await prepareLabelled(stage);
        for (const selector of selectors) {
          await stage.get(stage.path(`${resource}?fieldSelector=${encodeURIComponent(selector)}`), asTable);
        }
      }),
    ),
    conforms("fields and labels are selected together", async (stage) => {
      await prepareLabelled(stage);
      await stage.get(stage.path("secrets?labelSelector=app%3Dweb&fieldSelector=metadata.name%3Da"), asTable);
      await stage.get(stage.path("secrets?labelSelector=app%3Ddb&fieldSelector=metadata.name%3Da"), asTable);
    }),
    conforms("one namespace is selected of all", async (stage) => {
      await stage.prepare(stage.path("secrets"), secret("a"));
      await stage.get(`/api/v1/secrets?fieldSelector=metadata.namespace%3D${stage.namespace}`, asTable);
      await stage.get(`/api/v1/namespaces?fieldSelector=metadata.name%3D${stage.namespace}`, asTable);
    }),
    conforms("events are selected by what they are about", async (stage) => {
      const event = (name: string, involved: string) => ({
        apiVersion: "v1",
        kind: "Event",
        metadata: { name },
        involvedObject: { kind: "Pod", name: involved, namespace: stage.namespace },
        reason: "Tested",
        type: "Normal",
      });
      await stage.prepare(stage.path("events"), event("one", "a"));
      await stage.prepare(stage.path("events"), event("two", "b"));
      await stage.get(stage.path("events?fieldSelector=involvedObject.name%3Da,type%3DNormal"));
      await stage.get(stage.path("events?fieldSelector=involvedObject.colour%3Da"));
    }),
  ],
};
