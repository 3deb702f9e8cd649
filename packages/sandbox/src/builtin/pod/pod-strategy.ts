import { type Draft, deepEqual, draft, formatTime } from "@keelson/core";
import type { Pod, PodTemplate } from "@keelson/core/kinds/core/v1";
import { dnsLabelProblems } from "../../resource/name-problems.ts";
import type { Strategy } from "../../resource/strategy.ts";
import { type FieldProblem, forbiddenField, indexed } from "../../status/field-problem.ts";
import { builtinStrategy, type GivenDraft, type GivenObject, takeBack } from "../builtin-strategy.ts";
import { paddedImageProblems } from "./container-validation.ts";
import { qosClassOf, setPodDefaults, setPodTemplateDefaults } from "./pod-defaults.ts";
import { podSpecProblems, podTemplateProblems } from "./pod-spec-validation.ts";
import { podSpecWarnings, templateWarnings } from "./pod-spec-warnings.ts";
import { podUpdateProblems } from "./pod-update.ts";

export const podStrategy: Strategy = builtinStrategy<Pod>({
  countsGenerations: true,
  setDefaults: setPodDefaults,
  prepareForCreate(pod, { now }) {
    pod.status = { phase: "Pending", qosClass: qosClassOf(pod.spec ?? {}) };
    if ((pod.spec?.schedulingGates ?? []).length > 0) {
      const message = "Scheduling is blocked due to non-empty scheduling gates";
      const lastTransitionTime = formatTime(now);
      const why = { reason: "SchedulingGated", message, lastTransitionTime };
      const condition = { type: "PodScheduled", status: "False", ...why };
      pod.status.conditions = [condition];
      // The server says null here, not nothing, which no type of ours allows.
      Object.assign(condition, { lastProbeTime: null });
    }
  },
  prepareForStatusUpdate(pod, old) {
    pod.status ??= {};
    const oldClass = old.status?.qosClass;
    if (oldClass !== undefined) pod.status.qosClass ??= oldClass;
    const { ownerReferences } = old.metadata;
    if (ownerReferences === undefined) delete pod.metadata.ownerReferences;
    else pod.metadata.ownerReferences = draft(ownerReferences);
  },
  validate: (pod) => [...podSpecProblems(pod.spec ?? {}, "spec", true), ...onlyPodProblems(pod)],
  validateCreate({ spec = {} }) {
    const problems: FieldProblem[] = [];
    if ((spec.ephemeralContainers ?? []).length > 0) {
      problems.push(forbiddenField("spec.ephemeralContainers", "cannot be set on create"));
    }
    if (spec.nodeName && (spec.schedulingGates ?? []).length > 0) {
      const detail = "cannot be set until all schedulingGates have been cleared";
      problems.push(forbiddenField("spec.nodeName", detail));
    }
    return problems;
  },
  validateUpdate: podUpdateProblems,
  warnings(pod, old) {
    if (old !== undefined) return [];
    const problems = dnsLabelProblems(pod.metadata.name ?? "");
    const why =
      "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended";
    return [
      ...(problems.length === 0 ? [] : [`${why}: [${problems.join(" ")}]`]),
      ...podSpecWarnings(pod.spec ?? {}, "spec"),
    ];
  },
  parts: {
    ephemeralcontainers: {
      prepareForUpdate(pod, old) {
        const added = pod.spec?.ephemeralContainers;
        restore(pod, old);
        if (added !== undefined && pod.spec !== undefined) pod.spec.ephemeralContainers = added;
      },
      validateUpdate: (pod, old) => [
        ...podSpecProblems(pod.spec ?? {}, "spec", true),
        ...ephemeralProblems(pod, old),
      ],
    },
    resize: { prepareForUpdate: takeResourcesOnly },
  },
  gracePeriodSeconds(pod, asked) {
    const phase = pod.status?.phase;
    if (!pod.spec?.nodeName || phase === "Failed" || phase === "Succeeded") return 0;
    const period = asked ?? pod.spec.terminationGracePeriodSeconds ?? 0;
    return period < 0 ? 1 : period;
  },
});

export const podTemplateStrategy: Strategy = builtinStrategy<PodTemplate>({
  initialStatus: "none",
  countsGenerations: true,
  setDefaults(object) {
    object.template ??= {};
    setPodTemplateDefaults(object.template);
  },
  validate: ({ template = {} }) => podTemplateProblems(template, "template"),
  warnings: (object, old) => templateWarnings(object.template, object, old, "template"),
});

function onlyPodProblems({ spec = {} }: GivenObject<Pod>): readonly FieldProblem[] {
  return (["containers", "initContainers"] as const).flatMap((list) =>
    (spec[list] ?? []).flatMap(({ image = "" }, index) =>
      paddedImageProblems(image, `${indexed(`spec.${list}`, index)}.image`),
    ),
  );
}

/** Everything as it was, the metadata too but for the version that was read. */
function restore(pod: GivenDraft<Pod>, old: GivenObject<Pod>): void {
  const { resourceVersion } = pod.metadata;
  const { metadata, spec, status } = old;
  takeBack(pod, { spec, status }, () => true);
  pod.metadata = draft(metadata);
  if (resourceVersion !== undefined) pod.metadata.resourceVersion = resourceVersion;
}

function ephemeralProblems(
  { spec = {} }: GivenObject<Pod>,
  { spec: old = {} }: GivenObject<Pod>,
): readonly FieldProblem[] {
  const containers = spec.ephemeralContainers ?? [];
  return (old.ephemeralContainers ?? []).flatMap((before) => {
    const index = containers.findIndex(({ name }) => name === before.name);
    const field = "spec.ephemeralContainers";
    if (index === -1) {
      const detail = `existing ephemeral containers ${JSON.stringify(before.name)} may not be removed\n`;
      return [forbiddenField(field, detail)];
    }
    const detail = `existing ephemeral containers ${JSON.stringify(before.name)} may not be changed\n`;
    return deepEqual(containers[index], before) ? [] : [forbiddenField(field, detail)];
  });
}

function takeResourcesOnly(pod: GivenDraft<Pod>, old: GivenObject<Pod>): void {
  const wanted = new Map((pod.spec?.containers ?? []).map((one) => [one.name, one.resources]));
  restore(pod, old);
  for (const container of pod.spec?.containers ?? []) {
    const resources: Draft<typeof container.resources> = wanted.get(container.name);
    if (resources !== undefined) container.resources = resources;
  }
}
