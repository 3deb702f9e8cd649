import type { ClusterRole } from "@keelson/core/kinds/rbac/v1";
import { describe, expect, it } from "vitest";
import { aggregatedRules } from "./aggregate-rules.ts";

const pods = { apiGroups: [""], resources: ["pods"], verbs: ["get"] };
const jobs = { apiGroups: ["batch"], resources: ["jobs"], verbs: ["get"] };

function role(
  name: string,
  labels: Readonly<Record<string, string>>,
  rules: ClusterRole["rules"],
): ClusterRole {
  const fields = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name, labels },
  } as const;
  return rules === undefined ? fields : { ...fields, rules };
}

describe("aggregatedRules", () => {
  it("gathers the rules of all roles that are selected, each once, in the order of names", () => {
    const whole: ClusterRole = {
      ...role("whole", { part: "yes" }, []),
      aggregationRule: {
        clusterRoleSelectors: [{ matchLabels: { part: "yes" } }, { matchLabels: { also: "yes" } }],
      },
    };
    const all = [
      role("b", { part: "yes" }, [jobs, pods]),
      role("a", { part: "yes" }, [pods]),
      role("c", { also: "yes" }, [{ ...jobs, verbs: ["list"] }]),
      role("d", {}, [{ ...jobs, verbs: ["delete"] }]),
      whole,
    ];
    expect(aggregatedRules(whole, all)).toEqual([pods, jobs, { ...jobs, verbs: ["list"] }]);
  });

  it("ignores roles with rules of their own", () => {
    expect(aggregatedRules(role("a", {}, [pods]), [])).toBeUndefined();
  });
});
