import { type CaseGroup, conforms } from "../../conformance-case.ts";
import type { Stage } from "../../stage.ts";
import { configMap } from "../manifests.ts";
import { observed, prepared } from "./settling.ts";
import { web } from "./web.ts";

/** Edits with a program in place of a person. */
const edit = (stage: Stage, what: string, editor: string): Promise<unknown> =>
  stage.kubectl(`edit ${what}`, { env: { KUBE_EDITOR: editor } });

const settings = prepared("configmaps", configMap("settings"));

export const editCases: CaseGroup = {
  title: "kubectl edit",
  cases: [
    conforms("edit changes a value", async (stage) => {
      await settings(stage);
      await edit(stage, "configmap settings", "sed -i s/blue/red/");
      await stage.kubectl("get configmap settings -o yaml --show-managed-fields");
    }),
    conforms("edit by EDITOR changes a workload", async (stage) => {
      await prepared("apps/v1:deployments", web())(stage);
      await observed("apps/v1:deployments/web")(stage);
      await stage.kubectl("edit deployment web", { env: { EDITOR: "sed -i s/web:1/web:2/" } });
      await stage.kubectl("get deployment web -o jsonpath={.spec.template.spec.containers}");
    }),
    conforms("edit without a change does nothing", async (stage) => {
      await settings(stage);
      await edit(stage, "configmap settings", "true");
      await edit(stage, "configmap none", "true");
    }),
    conforms("edit of a field that is not there adds it, and a line that goes removes it", async (stage) => {
      await settings(stage);
      await edit(stage, "configmap settings -o json", `sed -i 's/"color":/"size":"big","color":/'`);
      await edit(stage, "configmap settings", "sed -i /color:/d");
      await stage.kubectl("get configmap settings -o jsonpath={.data}");
    }),
    conforms("edit shows its patch", async (stage) => {
      await settings(stage);
      await edit(stage, "configmap settings --output-patch", "sed -i s/blue/red/");
    }),
  ],
};
