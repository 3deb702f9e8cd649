import type { CaseGroup } from "../../conformance-case.ts";
import { type Step, session } from "./session.ts";
import { hasField, observed, prepared, rolledOut } from "./settling.ts";
import { web, webTemplate } from "./web.ts";

const onePod = [prepared("apps/v1:deployments", web({ replicas: 1 })), rolledOut("web", 1)];
const byRevision = "--sort-by=.metadata.annotations.deployment\\.kubernetes\\.io/revision";
const setImage = (image: string): string => `set image deployment/web main=${image}`;
/** The Deployment controller has copied a cause to the ReplicaSet that it is of; a newer one would get it otherwise. */
const causeIsNoted =
  (cause: string): Step =>
  (stage) =>
    stage.until(stage.path("apps/v1:replicasets"), (list) =>
      JSON.stringify(list).includes(`"kubernetes.io/change-cause":"${cause}"`),
    );
const shownImage = "get deployment web -o jsonpath={.spec.template.spec.containers[0].image}";
const statefulSet = {
  ...web({ serviceName: "db", replicas: 1 }, { name: "db" }),
  kind: "StatefulSet",
};

export const rolloutCases: CaseGroup = {
  title: "kubectl rollout",
  cases: [
    session(
      "rollout status reports when a Deployment is complete",
      ...onePod,
      "rollout status deployment/web",
      "rollout status deployment/web --watch=false",
      "rollout status deployment/web --revision=7 --timeout=5s",
      "rollout status deployment/none",
      "rollout status configmap/kube-root-ca.crt",
    ),
    session(
      "rollout status waits for what does not come",
      prepared(
        "apps/v1:deployments",
        web({ replicas: 1, template: webTemplate({}, { "hollow.keelson.dev/ready": "false" }) }),
      ),
      hasField("apps/v1:deployments/web", "status.updatedReplicas", 1),
      "rollout status deployment/web --timeout=5s",
      "rollout status deployment/web --watch=false",
    ),
    session(
      "rollout history lists revisions and shows one",
      ...onePod,
      "annotate deployment web kubernetes.io/change-cause=first",
      causeIsNoted("first"),
      setImage("web:2"),
      "annotate deployment web kubernetes.io/change-cause=second --overwrite",
      causeIsNoted("second"),
      rolledOut("web", 1),
      "rollout history deployment/web",
      "rollout history deployment/web --revision=1",
      "rollout history deployment/web --revision=2",
      "rollout history deployment/web --revision=9",
      "rollout history deployment/none",
    ),
    session(
      "rollout undo goes back, and to a revision",
      ...onePod,
      setImage("web:2"),
      rolledOut("web", 1),
      setImage("web:3"),
      rolledOut("web", 1),
      "rollout undo deployment/web",
      rolledOut("web", 1),
      shownImage,
      "rollout undo deployment/web --to-revision=1",
      rolledOut("web", 1),
      shownImage,
      "rollout undo deployment/web --to-revision=1",
      "rollout undo deployment/web --to-revision=77",
      "rollout undo deployment/web --dry-run=server",
      "rollout history deployment/web",
    ),
    session(
      "rollout undo without a former revision is refused",
      ...onePod,
      "rollout undo deployment/web",
      "rollout undo deployment/none",
      "rollout undo configmap/kube-root-ca.crt",
    ),
    session(
      "rollout restart makes new pods",
      ...onePod,
      "rollout restart deployment/web",
      rolledOut("web", 1),
      "rollout status deployment/web",
      "get deployment web -o jsonpath={.spec.template.metadata}{.metadata.generation}",
      `get rs ${byRevision}`,
      "rollout restart deployment/none",
      "rollout restart configmap/kube-root-ca.crt",
    ),
    session(
      "a paused Deployment is not rolled until it is resumed",
      ...onePod,
      "rollout pause deployment/web",
      "rollout pause deployment/web",
      observed("apps/v1:deployments/web"),
      setImage("web:2"),
      observed("apps/v1:deployments/web"),
      "get rs -o wide",
      "rollout restart deployment/web",
      "rollout undo deployment/web",
      "rollout status deployment/web --timeout=5s",
      "rollout resume deployment/web",
      rolledOut("web", 1),
      "rollout resume deployment/web",
      `get rs -o custom-columns=IMAGE:.spec.template.spec.containers[0].image,N:.spec.replicas ${byRevision}`,
    ),
    session(
      "rollout of a StatefulSet",
      prepared("apps/v1:statefulsets", statefulSet),
      hasField("apps/v1:statefulsets/db", "status.availableReplicas", 1),
      "rollout status statefulset/db",
      "set image statefulset/db main=web:2",
      observed("apps/v1:statefulsets/db"),
      "rollout history statefulset/db",
      "rollout history statefulset/db --revision=2",
      "rollout undo statefulset/db",
      "rollout undo statefulset/db --to-revision=9",
      "get statefulset db -o jsonpath={.spec.template.spec.containers[0].image}",
      "rollout restart statefulset/db",
      "rollout pause statefulset/db",
    ),
  ],
};
