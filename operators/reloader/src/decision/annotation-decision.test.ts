import { describe, expect, it } from "vitest";
import { keys, type WorkloadParts, workload } from "../../test/support/decision-objects.ts";
import { annotationRows, type DecisionRow, orderRows, using } from "../../test/support/decision-tables.ts";
import { type AnnotationDecision, annotationRules } from "./annotation-decision.ts";

const auto = keys.auto;
const secretAuto = keys.typedAuto.Secret;
const secrets = keys.named.Secret;

function decide({
  resource = "Secret",
  onResource = {},
  autoReloadAll = false,
  kind: _,
  ...parts
}: DecisionRow): AnnotationDecision {
  const rules = annotationRules(workload({ pod: using, ...parts }), keys, { autoReloadAll });
  return rules.decide({ kind: resource, name: "db", annotations: onResource });
}

describe("the annotations of B.1", () => {
  it.each(annotationRows)("$of: $expected", (row) => {
    expect(decide(row)).toBe(row.expected);
  });
});

describe("the order of B.2", () => {
  it.each(orderRows)("$of: $expected", (row) => {
    expect(decide(row)).toBe(row.expected);
  });

  it("takes a resource that does not exist any more for what it was recorded for", () => {
    const rules = annotationRules(workload({ annotations: { [keys.search]: "true" }, pod: using }), keys, {
      autoReloadAll: false,
    });
    expect(rules.decide({ kind: "Secret", name: "db", annotations: undefined })).toBe("auto");
  });
});

describe("problems", () => {
  const problemsOf = (parts: WorkloadParts) =>
    annotationRules(workload(parts), keys, { autoReloadAll: false }).problems;

  it("are none for annotations that are right", () => {
    const annotations = {
      [auto]: "T",
      [secretAuto]: "false",
      [secrets]: "a,b.*",
      [keys.search]: "true",
      [keys.ignore]: "false",
    };
    expect(problemsOf({ annotations })).toEqual([]);
  });

  it("name the annotation and what to write instead, once", () => {
    expect(
      problemsOf({
        annotations: { [auto]: "yes", [secrets]: "db(", [keys.search]: "1", [keys.ignore]: "yes" },
      }),
    ).toEqual([
      'annotation reloader.stakater.com/auto: "yes" counts as "false"; write "true" or "false"',
      'annotation reloader.stakater.com/search: "1" has no effect; write "true" or "false"',
      expect.stringMatching(
        /^annotation secret\.reloader\.stakater\.com\/reload: "db\(" is not a regular expression/,
      ),
      'annotation reloader.stakater.com/ignore: "yes" has no effect; write "true" or "false"',
    ]);
  });

  it("are those of the place that decides", () => {
    expect(
      problemsOf({ annotations: { [auto]: "true" }, onTemplate: { [auto]: "yes", [secrets]: "(" } }),
    ).toEqual([]);
    expect(problemsOf({ onTemplate: { [secrets]: "(" } })).toHaveLength(1);
  });
});
