import type { CaseGroup } from "../../conformance-case.ts";
import { configMap, secret, service } from "../manifests.ts";
import { session } from "./session.ts";
import { observed, prepared } from "./settling.ts";
import { idlePod, web } from "./web.ts";

const aWeb = [prepared("apps/v1:deployments", web()), observed("apps/v1:deployments/web")];
const shownTemplate = "get deployment web -o jsonpath={.spec.template.spec}";

export const setCases: CaseGroup = {
  title: "kubectl set, run and expose",
  cases: [
    session(
      "set image changes a container",
      ...aWeb,
      "set image deployment/web main=web:2",
      "set image deployment/web main=web:2",
      "set image deployment/web none=web:2",
      "set image deployment/web *=web:3 --dry-run=server -o name",
      "set image deployments --all main=web:4",
      "set image deployment/none main=web:2",
      shownTemplate,
    ),
    session(
      "set env adds and removes",
      ...aWeb,
      prepared("configmaps", configMap("settings", { data: { color: "blue" } })),
      prepared("secrets", secret("login", { stringData: { user: "me" } })),
      "set env deployment/web A=1 B=2",
      "set env deployment/web A- B=3",
      "set env deployment/web --from=configmap/settings --prefix=APP_",
      "set env deployment/web --from=secret/login",
      "set env deployment/web --list",
      "set env deployment/web --list --resolve",
      shownTemplate,
    ),
    session(
      "set resources, serviceaccount and selector",
      ...aWeb,
      "set resources deployment web --limits=cpu=200m,memory=512Mi --requests=cpu=100m",
      "set resources deployment web --limits=cpu=0",
      "set resources deployment web --requests=cpu=1 --limits=cpu=100m",
      "set serviceaccount deployment web robot",
      "create service clusterip front --tcp=80",
      "set selector service front app=other",
      "get service front -o jsonpath={.spec.selector}",
      shownTemplate,
    ),
    session(
      "set subject changes a binding",
      "create rolebinding read --clusterrole=view --user=ann",
      "set subject rolebinding read --user=bob --serviceaccount=$ns:default",
      "get rolebinding read -o jsonpath={.subjects}",
    ),
    session(
      "run makes a pod",
      "run once --image=web:1 --restart=Never --labels=app=once --env=A=1 --dry-run=server -o yaml",
      'run once --image=web:1 --overrides={"spec":{"schedulerName":"no-scheduler"}}',
      "run once --image=web:1",
      "run Bad_Name --image=web:1",
      "run once",
      "get pod once -o yaml",
    ),
    session(
      "run with expose makes a Service too",
      "run once --image=web:1 --port=80 --expose --dry-run=server -o name",
      'run once --image=web:1 --port=80 --expose --override-type=merge --overrides={"metadata":{"labels":{"a":"b"}}}',
      "get service once -o jsonpath={.spec.selector}{.spec.ports}",
    ),
    session(
      "expose makes Services",
      ...aWeb,
      prepared("pods", idlePod("idle")),
      prepared("services", service("front", { selector: { app: "web" } })),
      "expose deployment web --port=80 --target-port=8080",
      "expose deployment web --port=80",
      "expose pod idle --port=80 --name=idle --type=ClusterIP --labels=a=b",
      "expose service front --port=443 --name=front-tls --protocol=TCP",
      "expose deployment web --name=nothing",
      "expose deployment web --name=dark --port=80 --cluster-ip=None",
      "get services -o yaml",
    ),
  ],
};
