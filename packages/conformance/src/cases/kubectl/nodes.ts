import type { CaseGroup } from "../../conformance-case.ts";
import { field, type Stage } from "../../stage.ts";
import { type Fields, manifest } from "../manifests.ts";
import { type Step, session } from "./session.ts";
import { hasField, podsAre } from "./settling.ts";
import { idlePod, webTemplate } from "./web.ts";

const nodeOf = ({ namespace }: Stage): string => `${namespace}-node`;

const resources = { cpu: "4", memory: "8Gi", pods: "110" };

async function patchStatus(stage: Stage, path: string, status: Fields): Promise<void> {
  await stage.quietly({
    method: "PATCH",
    path,
    headers: { "content-type": "application/merge-patch+json" },
    body: JSON.stringify({ status }),
  });
}

/** A Node of the case's own, that no scheduler uses and no kubelet serves, so that cases do not disturb each other. */
const ownNode: Step = async (stage) => {
  const name = nodeOf(stage);
  const heldBack = { key: "conformance.example/own", value: stage.namespace, effect: "NoSchedule" };
  await stage.prepare(
    "/api/v1/nodes",
    manifest("v1", "Node", name, {
      metadata: {
        labels: { own: stage.namespace, "kubernetes.io/hostname": name },
        // A controller of the real control plane writes it; no case is about that.
        annotations: { "node.alpha.kubernetes.io/ttl": "0" },
      },
      spec: { taints: [heldBack] },
    }),
  );
  await patchStatus(stage, `/api/v1/nodes/${name}/status`, {
    capacity: resources,
    allocatable: resources,
    conditions: [{ type: "Ready", status: "True", reason: "Made", message: "it is ready" }],
    addresses: [{ type: "Hostname", address: name }],
  });
  // Those that a new node may be given besides go as soon as it is known to be ready.
  await stage.until(`/api/v1/nodes/${name}`, (node) => {
    const taints = field(node, "spec.taints");
    return Array.isArray(taints) && taints.length === 1;
  });
};

const nodeIsRemoved: Step = (stage) => stage.remove(`/api/v1/nodes/${nodeOf(stage)}`);

/** A pod on the case's node whose status is Running; its deletion takes effect at once. */
function running(name: string, rest: Fields = {}): Step {
  return async (stage) => {
    const pod = idlePod(name, {
      ...rest,
      spec: { nodeName: nodeOf(stage), terminationGracePeriodSeconds: 0 },
    });
    await stage.prepare(stage.path("pods"), pod);
    const status = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
    await patchStatus(stage, stage.path(`pods/${name}/status`), status);
  };
}

const notReady = { type: "Ready", status: "False", reason: "Test", message: "it is not ready" };

/** The node of the case itself reports that it is not ready; returns when both of its taints are set. */
const nodeReportsNotReady: Step = async (stage) => {
  const path = `/api/v1/nodes/${nodeOf(stage)}`;
  await patchStatus(stage, `${path}/status`, { conditions: [notReady] });
  await stage.until(path, (node) => JSON.stringify(field(node, "spec.taints")).includes("NoExecute"));
};

const taintsOfNode: Step = async (stage) => {
  const taints = field(await stage.until(`/api/v1/nodes/${nodeOf(stage)}`, () => true), "spec.taints");
  const shown = Array.isArray(taints)
    ? taints.map((taint) => `${field(taint, "key")}:${field(taint, "effect")}`)
    : [];
  stage.record("taints", shown.toSorted());
};

const budget = manifest("policy/v1", "PodDisruptionBudget", "safe", {
  spec: { minAvailable: 1, selector: { matchLabels: { app: "web" } } },
});
const ownDaemonSet = manifest("apps/v1", "DaemonSet", "agent", {
  spec: {
    selector: { matchLabels: { app: "web" } },
    template: webTemplate({ nodeSelector: { own: "$ns" }, tolerations: [{ operator: "Exists" }] }),
  },
});
const evictionOf = (name: string): Fields => manifest("policy/v1", "Eviction", name);
const drain = "drain $ns-node --force --timeout=20s";

export const nodeCases: CaseGroup = {
  title: "kubectl cordon, drain and taint",
  cases: [
    session(
      "pods of a node that reports that it is not ready stay ready",
      ownNode,
      running("stays"),
      nodeReportsNotReady,
      taintsOfNode,
      "get pod stays -o jsonpath={.status.conditions[*].type}={.status.conditions[*].status}",
      "get events --field-selector=reason=NodeNotReady",
      nodeIsRemoved,
    ),
    session(
      "cordon and uncordon",
      ownNode,
      "cordon $ns-node",
      "cordon $ns-node",
      "get nodes -l own=$ns",
      "get node $ns-node -o jsonpath={.spec.unschedulable}",
      "uncordon $ns-node",
      "uncordon $ns-node",
      "cordon $ns-none",
      "cordon -l own=$ns --dry-run=server",
      nodeIsRemoved,
    ),
    session(
      "taint adds, replaces and removes",
      ownNode,
      "taint node $ns-node a=b:NoSchedule",
      "taint node $ns-node a=b:NoSchedule",
      "taint node $ns-node a=c:NoSchedule",
      "taint node $ns-node a=c:NoSchedule --overwrite",
      "taint node $ns-node a=c:Nonsense",
      "taint node $ns-node a:NoSchedule-",
      "taint node $ns-node none-",
      'get node $ns-node -o jsonpath={.spec.taints[?(@.key=="a")]}',
      nodeIsRemoved,
    ),
    session(
      "drain evicts a pod",
      ownNode,
      running("web"),
      "drain $ns-node",
      drain,
      podsAre(0),
      "get node $ns-node -o jsonpath={.spec.unschedulable}",
      nodeIsRemoved,
    ),
    session(
      "drain with a selector leaves pods that do not match",
      ownNode,
      running("web"),
      running("other"),
      `${drain} --pod-selector=app=web`,
      "get pods -o name",
      `${drain} --dry-run=server`,
      "drain $ns-none",
      nodeIsRemoved,
    ),
    session(
      "drain leaves the pods of a DaemonSet only with a flag",
      ownNode,
      ["create -f -", ownDaemonSet],
      (stage) => stage.until(stage.path("pods"), (list) => JSON.stringify(list).includes('"nodeName"')),
      "drain $ns-node",
      `${drain} --ignore-daemonsets`,
      "get pods -o custom-columns=NODE:.spec.nodeName",
      nodeIsRemoved,
    ),
    session(
      "drain heeds a disruption budget",
      ownNode,
      running("web"),
      ["create -f -", budget],
      hasField("policy/v1:poddisruptionbudgets/safe", "status.currentHealthy", 1),
      "drain $ns-node --force --timeout=4s",
      "get pods -o name",
      `${drain} --disable-eviction`,
      podsAre(0),
      nodeIsRemoved,
    ),
    session(
      "an eviction is refused by a budget, and allowed by another",
      ownNode,
      running("web"),
      ["create -f -", budget],
      hasField("policy/v1:poddisruptionbudgets/safe", "status.currentHealthy", 1),
      ["create --raw=/api/v1/namespaces/$ns/pods/web/eviction -f -", evictionOf("web")],
      'patch pdb safe --type=merge -p {"spec":{"minAvailable":0}}',
      hasField("policy/v1:poddisruptionbudgets/safe", "status.disruptionsAllowed", 1),
      ["create --raw=/api/v1/namespaces/$ns/pods/web/eviction -f -", evictionOf("web")],
      ["create --raw=/api/v1/namespaces/$ns/pods/web/eviction -f -", evictionOf("web")],
      podsAre(0),
      nodeIsRemoved,
    ),
    session(
      "describe shows a node",
      ownNode,
      running("web"),
      async (stage) => {
        const node = await stage.until(
          `/api/v1/nodes/${nodeOf(stage)}`,
          (object) => field(object, "spec") !== undefined,
        );
        stage.record("taints", field(node, "spec.taints"));
      },
      "describe node $ns-node --show-events=false",
      nodeIsRemoved,
    ),
    session(
      "hollow nodes are ready",
      "get nodes -l hollow.keelson.dev/node --sort-by=.metadata.name -o wide",
    ),
  ],
};
