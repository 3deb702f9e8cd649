import { draft } from "@keelson/core";
import type { Namespace } from "@keelson/core/kinds/core/v1";
import { unknownFinalizers } from "../../resource/metadata-problems.ts";
import { dnsLabelProblems } from "../../resource/name-problems.ts";
import type { Strategy } from "../../resource/strategy.ts";
import { type FieldProblem, invalidValue } from "../../status/field-problem.ts";
import { builtinStrategy, type GivenDraft, type GivenObject } from "../builtin-strategy.ts";

const nameLabel = "kubernetes.io/metadata.name";

export const namespaceStrategy: Strategy = builtinStrategy<Namespace>({
  nameProblem: (name) => dnsLabelProblems(name)[0],
  setDefaults(namespace) {
    labelWithName(namespace);
    namespace.status ??= {};
    namespace.status.phase ||= "Active";
  },
  prepareForCreate(namespace) {
    labelWithName(namespace);
    namespace.status = { phase: "Active" };
    namespace.spec ??= {};
    const finalizers = namespace.spec.finalizers ?? [];
    if (!finalizers.includes("kubernetes")) namespace.spec.finalizers = [...finalizers, "kubernetes"];
  },
  prepareForUpdate(namespace, old) {
    namespace.spec ??= {};
    const finalizers = old.spec?.finalizers;
    if (finalizers === undefined) delete namespace.spec.finalizers;
    else namespace.spec.finalizers = draft(finalizers);
  },
  validate: (namespace) =>
    finalizersProblems(namespace).map((problem) => ({ ...problem, field: "spec.finalizers" })),
  validateStatusUpdate({ metadata, status }) {
    const phase = status?.phase ?? "";
    const isDeleted = metadata.deletionTimestamp !== undefined;
    const expected = isDeleted ? "Terminating" : "Active";
    const detail = `may only be '${expected}' if \`deletionTimestamp\` is ${isDeleted ? "not " : ""}empty`;
    return phase === expected ? [] : [invalidValue("status.Phase", phase, detail)];
  },
  parts: {
    finalize: {
      prepareForUpdate(namespace, old) {
        if (old.status === undefined) delete namespace.status;
        else namespace.status = draft(old.status);
      },
      validateUpdate: finalizersProblems,
    },
  },
});

/** Not before it has a name: generated ones come later. */
function labelWithName(namespace: GivenDraft<Namespace>): void {
  const { name, labels } = namespace.metadata;
  if (name && labels?.[nameLabel] !== name) namespace.metadata.labels = { ...labels, [nameLabel]: name };
}

function finalizersProblems({ spec }: GivenObject<Namespace>): readonly FieldProblem[] {
  return unknownFinalizers(spec?.finalizers ?? [], "spec.finalizers");
}
