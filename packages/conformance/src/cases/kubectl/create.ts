import type { CaseGroup, ConformanceCase } from "../../conformance-case.ts";
import { configMap, type Fields, manifest } from "../manifests.ts";
import { session } from "./session.ts";
import { web } from "./web.ts";

/** Makes something twice, the second time in vain, and shows what came of it. */
const creations = (
  rows: readonly (readonly [what: string, command: string, shown: string])[],
): readonly ConformanceCase[] =>
  rows.map(([what, command, shown]) =>
    session(`create makes ${what}`, `create ${command}`, `create ${command}`, `get ${shown}`),
  );

const yaml = (resource: string): string => `${resource} -o yaml --show-managed-fields`;
const misspelt: Fields = web({ replica: 2, strategy: { typ: "Recreate" } });

export const createCases: CaseGroup = {
  title: "kubectl create",
  cases: [
    ...creations([
      [
        "a Deployment",
        "deployment web --image=web:1 --replicas=0 --port=80",
        "deployment web -o jsonpath={.spec}{.metadata.labels}",
      ],
      [
        "a Deployment with several images",
        "deployment web --image=web:1 --image=side:1 --replicas=0",
        "deployment web -o jsonpath={.spec.template}",
      ],
      [
        "a ConfigMap",
        "configmap settings --from-literal=a=1 --from-literal=b=two",
        yaml("configmap settings"),
      ],
      ["a generic Secret", "secret generic login --from-literal=user=me", yaml("secret login")],
      [
        "a Secret for a registry",
        "secret docker-registry pull --docker-server=r.example --docker-username=me --docker-password=pw",
        yaml("secret pull"),
      ],
      ["a Service with an address", "service clusterip front --tcp=80:8080", yaml("service front")],
      ["a headless Service", "service clusterip front --clusterip=None", yaml("service front")],
      ["an external name", "service externalname far --external-name=far.example", yaml("service far")],
      [
        "a Service on the nodes",
        "service nodeport front --tcp=80",
        "service front -o jsonpath={.spec.type}{.spec.ports[0].port}",
      ],
      ["a CronJob", "cronjob tick --image=job:1 --schedule='0 0 1 1 *' -- run it", yaml("cronjob tick")],
      ["a ServiceAccount", "serviceaccount robot", yaml("serviceaccount robot")],
      ["a Role", "role reader --verb=get,list --resource=pods,deployments.apps", yaml("role reader")],
      [
        "a Role for named objects",
        "role reader --verb=get --resource=pods/log,configmaps --resource-name=a",
        yaml("role reader"),
      ],
      [
        "a RoleBinding",
        "rolebinding read --clusterrole=view --user=ann --group=devs --serviceaccount=$ns:robot",
        yaml("rolebinding read"),
      ],
      ["a quota", "quota limits --hard=pods=7,cpu=2", "quota limits -o jsonpath={.spec}"],
      [
        "an Ingress",
        "ingress door --class=own --rule=web.example/path*=front:80,tls=cert --annotation=a=b",
        yaml("ingress door"),
      ],
      [
        "a disruption budget",
        "pdb safe --selector=app=web --min-available=50%",
        "pdb safe -o jsonpath={.spec}",
      ],
    ]),
    session(
      "create makes what is outside of namespaces",
      "create priorityclass $ns --value=7 --description=low",
      "create clusterrole $ns --verb=get --non-resource-url=/logs/*",
      "create clusterrolebinding $ns --clusterrole=$ns --user=ann",
      "create namespace $ns-more",
      "create namespace $ns-more",
      "get priorityclass/$ns clusterrole/$ns clusterrolebinding/$ns -o yaml",
      "get namespace $ns-more -o jsonpath={.metadata.labels}{.spec}{.status}",
      "delete priorityclass/$ns clusterrole/$ns clusterrolebinding/$ns namespace/$ns-more --wait=false",
    ),
    session(
      "create makes a token for a ServiceAccount",
      "create token default",
      "create token missing",
      "create token default --duration=10s",
      "create token default --audience=x --duration=20m",
    ),
    session(
      "create refuses an unknown field, warns of it or lets it be",
      ["create -f -", misspelt],
      ["create -f - --validate=strict", misspelt],
      ["create -f - --validate=warn", misspelt],
      ["create -f - --validate=ignore", web({ replica: 2 }, { name: "other" })],
      "get deployments -o jsonpath={.items[*].spec.strategy.type}",
    ),
    session(
      "create refuses a field that comes twice",
      ["create -f -", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: '1'\n  x: '2'\n"],
      [
        "create -f - --validate=warn",
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: '1'\n  x: '2'\n",
      ],
      "get configmap a -o jsonpath={.data}",
    ),
    session(
      "create refuses what is invalid",
      ["create -f -", web({ replicas: -1 })],
      ["create -f -", web({ template: { metadata: { labels: { app: "no" } }, spec: {} } })],
      ["create -f -", manifest("v1", "Service", "Front", { spec: {} })],
      ["create -f -", { ...web(), spec: { replicas: "many" } }],
    ),
    session(
      "create makes up a name",
      ["create -f -", { ...configMap("x"), metadata: { generateName: "made-" } }],
      ["create -f - -o yaml", { ...configMap("x"), metadata: { generateName: "made-" } }],
    ),
    session(
      "create with an output shows what would be or what is",
      "create configmap a --from-literal=x=1 --dry-run=client -o yaml",
      "create configmap a --from-literal=x=1 --dry-run=server",
      "create configmap a --from-literal=x=1 --dry-run=server -o yaml",
      "create configmap a --from-literal=x=1 -o json",
      "create configmap b --from-literal=x=1 --save-config --field-manager=me -o yaml --show-managed-fields",
    ),
    session(
      "create sends what it is given to a path",
      ["create --raw=/api/v1/namespaces/$ns/configmaps -f -", configMap("raw")],
      "get --raw=/api/v1/namespaces/$ns/configmaps/raw",
      "get --raw=/api/v1/namespaces/$ns/configmaps/none",
      "delete --raw=/api/v1/namespaces/$ns/configmaps/raw",
    ),
  ],
};
