import type { Node, Taint } from "@keelson/core/kinds/core/v1";
import { labelKeyProblems } from "../../resource/label-problems.ts";
import { labelValueProblems } from "../../resource/name-problems.ts";
import type { Strategy } from "../../resource/strategy.ts";
import {
  type FieldProblem,
  forbiddenField,
  indexed,
  invalidValue,
  required,
} from "../../status/field-problem.ts";
import { builtinStrategy, type Given, type GivenObject } from "../builtin-strategy.ts";
import { normalizeAmounts } from "../pod/resource-requirements.ts";
import { effectProblems } from "../pod/scheduling-validation.ts";
import { isSameList } from "../service/service-defaults.ts";

export const nodeStrategy: Strategy = builtinStrategy<Node>({
  initialStatus: "given",
  setDefaults(node) {
    node.spec ??= {};
    node.status ??= {};
    const { status } = node;
    status.daemonEndpoints ??= { kubeletEndpoint: { Port: 0 } };
    status.nodeInfo = { ...unknownNode, ...status.nodeInfo };
    normalizeAmounts(status.capacity);
    normalizeAmounts(status.allocatable);
    if (status.capacity !== undefined) status.allocatable ??= { ...status.capacity };
  },
  validate: ({ spec = {} }) => taintsProblems(spec.taints ?? [], "metadata.taints"),
  validateUpdate: nodeUpdateProblems,
});

/** The node info of a node whose kubelet has not reported yet. */
const unknownNode = {
  architecture: "",
  bootID: "",
  containerRuntimeVersion: "",
  kernelVersion: "",
  kubeProxyVersion: "",
  kubeletVersion: "",
  machineID: "",
  operatingSystem: "",
  osImage: "",
  systemUUID: "",
};

function taintsProblems(taints: readonly Given<Taint>[], field: string): readonly FieldProblem[] {
  const seen = new Set<string>();
  return taints.flatMap(({ key = "", value = "", effect = "" }, index) => {
    const place = indexed(field, index);
    const wrong = labelValueProblems(value);
    const problems: FieldProblem[] = [
      ...labelKeyProblems(key, `${place}.key`),
      ...(wrong.length > 0 ? [invalidValue(`${place}.value`, value, wrong.join(";"))] : []),
      ...(effect === "" ? [required(`${place}.effect`)] : effectProblems(effect, `${place}.effect`)),
    ];
    if (seen.has(`${effect}/${key}`)) {
      const taint = { Key: key, Value: value, Effect: effect, TimeAdded: null };
      const detail = "taints must be unique by key and effect pair";
      problems.push({ type: "FieldValueDuplicate", field: place, value: taint, detail });
    }
    seen.add(`${effect}/${key}`);
    return problems;
  });
}

function nodeUpdateProblems(node: GivenObject<Node>, old: GivenObject<Node>): readonly FieldProblem[] {
  const [spec, before] = [node.spec ?? {}, old.spec ?? {}];
  const [now = [], had = []] = [spec.podCIDRs, before.podCIDRs];
  return [
    ...(had.length > 0 && !isSameList(had, now)
      ? [forbiddenField("spec.podCIDRs", 'node updates may not change podCIDR except from "" to valid')]
      : []),
    ...(before.providerID && before.providerID !== spec.providerID
      ? [forbiddenField("spec.providerID", 'node updates may not change providerID except from "" to valid')]
      : []),
  ];
}
