import { deepEqual, draft } from "@keelson/core";
import { ClusterRole } from "@keelson/core/kinds/rbac/v1";
import { aggregatedRules } from "../../auth/aggregate-rules.ts";
import type { StartController } from "../controller.ts";
import { startKeyLoop } from "../key-loop.ts";

const name = "clusterrole-aggregation-controller";

/** Keeps the rules of ClusterRoles with an aggregationRule those of all that they select. */
export const startClusterRoleAggregation: StartController = (context) => {
  const { objects } = context;
  const loop = startKeyLoop({
    name,
    context,
    async reconcile(key) {
      const role = objects.get(ClusterRole, { name: key });
      if (role === undefined) return;
      const rules = aggregatedRules(role, objects.list(ClusterRole));
      if (rules === undefined || deepEqual(rules, role.rules ?? [])) return;
      await objects.update(ClusterRole, { ...draft(role), rules: draft(rules) }, { manager: name });
    },
  });
  const stopWatching = context.watch(ClusterRole, () => {
    // Any role may select the changed one now, or no longer select it.
    for (const { metadata, aggregationRule } of objects.list(ClusterRole)) {
      if (aggregationRule !== undefined) loop.enqueue(metadata.name);
    }
  });
  return async () => {
    stopWatching();
    await loop.stop();
  };
};
