import type { CaseGroup } from "../../conformance-case.ts";
import { configMap } from "../manifests.ts";
import { session } from "./session.ts";
import { prepared } from "./settling.ts";

const settings = prepared("configmaps", configMap("settings", { metadata: { labels: { set: "a" } } }));
const more = prepared("configmaps", configMap("more", { metadata: { labels: { set: "a" } } }));

export const labelCases: CaseGroup = {
  title: "kubectl label and annotate",
  cases: [
    session(
      "label sets, keeps, overwrites and removes",
      settings,
      "label configmap settings --list",
      "label configmap settings color=blue",
      "label configmap settings color=blue",
      "label configmap settings color=red",
      "label configmap settings color=red --overwrite",
      "label configmap settings size=big color-",
      "label configmap settings none-",
      "get configmap settings -o yaml --show-managed-fields",
    ),
    session(
      "label takes several objects",
      settings,
      more,
      "label configmaps -l set=a tier=top",
      "label configmaps settings more tier=low --overwrite",
      "label configmap settings tier=none --overwrite --dry-run=server",
      "label configmap settings tier=none --overwrite --dry-run=client -o yaml",
      "get configmaps -l tier=low -o name",
    ),
    session(
      "label refuses what is not valid",
      settings,
      "label configmap settings 'color=not valid'",
      "label configmap settings a/b/c=d",
      "label configmap settings color=blue color-",
      "label configmap settings",
      "label configmap none color=blue",
      "label configmap settings color=blue --resource-version=1",
    ),
    session(
      "annotate sets, overwrites and removes",
      settings,
      "annotate configmap settings note='a long text'",
      "annotate configmap settings note=other",
      "annotate configmap settings note=other --overwrite",
      "annotate configmap settings example.com/x=1 note-",
      "annotate configmap settings 'bad key=1'",
      "annotate configmaps --all done=yes",
      "get configmaps -o jsonpath={.items[*].metadata.annotations}",
    ),
  ],
};
