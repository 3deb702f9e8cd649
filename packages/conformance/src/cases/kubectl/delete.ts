import type { CaseGroup } from "../../conformance-case.ts";
import { configMap, type Fields } from "../manifests.ts";
import { list, session } from "./session.ts";
import { countIs, isGone, observed, podsAre, podsAreReady, prepared, rolledOut } from "./settling.ts";
import { idlePod, web } from "./web.ts";

const labelled = (name: string, set: string): Fields => configMap(name, { metadata: { labels: { set } } });
const several = [
  prepared("configmaps", labelled("one", "a")),
  prepared("configmaps", labelled("two", "a")),
  prepared("configmaps", labelled("three", "b")),
];
const aWeb = [
  prepared("apps/v1:deployments", web()),
  observed("apps/v1:deployments/web"),
  countIs("apps/v1:replicasets", 1),
];

export const deleteCases: CaseGroup = {
  title: "kubectl delete",
  cases: [
    session(
      "delete by name, twice",
      ...several,
      "delete configmap one",
      "delete configmap one",
      "delete configmap one --ignore-not-found",
      "delete configmap/two configmap/three -o name",
      "delete configmap one two",
    ),
    session(
      "delete by labels and by fields",
      ...several,
      "delete configmaps -l set=a",
      "delete configmaps -l set=a",
      "delete configmaps --field-selector=metadata.name=three",
      "get configmaps -o name",
      "delete configmaps",
      "delete configmaps one --all",
    ),
    session(
      "delete all of a kind",
      ...several,
      "delete configmaps --all --wait=false",
      "get secrets -o name",
    ),
    session(
      "delete what a file names",
      ...several,
      ["delete -f -", list(labelled("one", "a"), labelled("two", "a"))],
      ["delete -f - --ignore-not-found", list(labelled("one", "a"), labelled("three", "a"))],
      ["delete -f -", list(labelled("one", "a"))],
    ),
    session(
      "delete with a dry run deletes nothing",
      ...several,
      "delete configmap one --dry-run=client",
      "delete configmap one --dry-run=server",
      "get configmap one -o name",
    ),
    session(
      "delete in the background takes what is owned",
      ...aWeb,
      "delete deployment web --cascade=background",
      countIs("apps/v1:replicasets", 0),
      "get deployments,rs",
    ),
    session(
      "delete in the foreground waits for what is owned",
      prepared("apps/v1:deployments", web({ replicas: 1 })),
      rolledOut("web", 1),
      "delete deployment web --cascade=foreground --timeout=30s",
      "get deployments,rs,pods",
    ),
    session(
      "delete of an owner alone leaves orphans",
      ...aWeb,
      "delete deployment web --cascade=orphan",
      "get deployments -o name",
      "get rs -o jsonpath={.items[*].metadata.ownerReferences}{.items[*].spec.replicas}",
      "delete rs --all --cascade=nonsense",
      "delete rs --all",
    ),
    session(
      "delete of a pod with and without grace",
      prepared("pods", idlePod("one", { spec: { nodeName: "never-made" } })),
      prepared("pods", idlePod("two", { spec: { nodeName: "never-made" } })),
      prepared("pods", idlePod("three")),
      "delete pod one --wait=false --grace-period=20",
      "get pod one -o jsonpath={.metadata.deletionGracePeriodSeconds}",
      "get pod one",
      "delete pod one --grace-period=0 --force",
      "delete pod two --now --wait=false",
      "get pod two -o jsonpath={.metadata.deletionGracePeriodSeconds}",
      "delete pod two --force",
      "delete pod three",
      "delete pod three --grace-period=0",
      podsAre(0),
    ),
    session(
      "delete waits for finalizers, for a time",
      prepared("configmaps", configMap("held", { metadata: { finalizers: ["example.com/hold"] } })),
      "delete configmap held --timeout=5s",
      "get configmap held -o jsonpath={.metadata.finalizers}",
      'patch configmap held --type=merge -p {"metadata":{"finalizers":null}}',
      isGone("configmaps/held"),
      "get configmap held",
    ),
    session(
      "delete refuses what makes no sense",
      "delete nothings one",
      "delete configmap",
      "delete pod one --grace-period=5 --now",
      "delete namespace $ns-none",
      "delete configmap one --namespace=$ns-none",
    ),
    session(
      "delete of a running pod of a Deployment makes another",
      prepared("apps/v1:deployments", web({ replicas: 1 })),
      rolledOut("web", 1),
      "delete pods -l app=web",
      podsAreReady(1),
      "get pods -l app=web",
    ),
  ],
};
