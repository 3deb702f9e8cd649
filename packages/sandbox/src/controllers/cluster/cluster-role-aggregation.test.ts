import { ClusterRole } from "@keelson/core/kinds/rbac/v1";
import { describe, expect, it, onTestFinished } from "vitest";
import { admissionWorld } from "../../../test/support/admission-world.ts";
import { createObjectApi } from "../../server/write/object-api.ts";
import { runControllers } from "../run-controllers.ts";
import { startClusterRoleAggregation } from "./cluster-role-aggregation.ts";

const pods = { apiGroups: [""], resources: ["pods"], verbs: ["get"] };
const jobs = { apiGroups: ["batch"], resources: ["jobs"], verbs: ["get"] };

describe("the controller of aggregated ClusterRoles", () => {
  it("gathers the rules of roles as they come, change and go", async () => {
    const { writer, store, registry, clock, put } = admissionWorld();
    const objects = createObjectApi(writer, store, registry);
    const errors: unknown[] = [];
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { part: "yes" } }] };
    put("clusterroles", { metadata: { name: "whole", uid: "u" }, aggregationRule, rules: [] });
    const random = { next: () => 0.5 };
    const onError = (_name: string, error: unknown): void => void errors.push(error);
    const running = runControllers([startClusterRoleAggregation], {
      objects,
      store,
      registry,
      clock,
      random,
      onError,
    });
    onTestFinished(() => running.stop());
    const rules = async (): Promise<ClusterRole["rules"]> => {
      for (let turn = 0; turn < 5; turn++) await clock.advance(1);
      return objects.get(ClusterRole, { name: "whole" })?.rules ?? [];
    };

    expect(await rules()).toEqual([]);
    put("clusterroles", { metadata: { name: "b", labels: { part: "yes" } }, rules: [jobs] });
    put("clusterroles", { metadata: { name: "a", labels: { part: "yes" } }, rules: [pods] });
    expect(await rules()).toEqual([pods, jobs]);
    put("clusterroles", { metadata: { name: "a", labels: {} }, rules: [pods] });
    expect(await rules()).toEqual([jobs]);
    await objects.delete(ClusterRole, { name: "b" }, { manager: "tester" });
    expect(await rules()).toEqual([]);
    expect(errors).toEqual([]);
  });
});
