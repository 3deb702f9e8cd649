import type { CaseGroup } from "../conformance-case.ts";
import { parsed, type Stage } from "../stage.ts";
import { widget, widgets } from "./custom-kinds.ts";
import { widgetCase } from "./custom-objects.ts";
import type { Fields } from "./manifests.ts";

const spec: Fields = { free: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };

/** The text of a widget with so many levels. */
function deepWidget(stage: Stage, name: string, levels: number, inner = "1"): string {
  const nested = `${'{"a":'.repeat(levels)}${inner}${"}".repeat(levels)}`;
  return JSON.stringify(widget(stage, name, { spec: { free: "FREE" } })).replace('"FREE"', nested);
}

/** Objects and lists in each other, as deep as the API server accepts them. */
export const deepObjectCases: CaseGroup = {
  title: "deep objects",
  cases: [
    widgetCase("are stored, served and changed like others", { spec }, async (stage) => {
      const show = async (step: string, request: Parameters<Stage["look"]>[0]): Promise<void> => {
        const { status, text } = await stage.look(request);
        const levels = text.match(/"a":/g)?.length ?? 0;
        stage.record(step, { status, levels, inner: /"a":("?\w+"?)\}/.exec(text)?.[1] ?? parsed(text) });
      };
      const [path, json] = [widgets(stage, "/a"), { "content-type": "application/json" }];
      const body = deepWidget(stage, "a", 1_500);
      await show("create", { method: "POST", path: widgets(stage), headers: json, body });
      await show("get", { method: "GET", path });
      const { text: stored } = await stage.look({ method: "GET", path });
      const replaced = stored.replace('"a":1}', '"a":2}');
      await show("replace", { method: "PUT", path, headers: json, body: replaced });
      const merge = { "content-type": "application/merge-patch+json" };
      const patch = deepWidget(stage, "a", 1_500, "3");
      await show("merge patch", { method: "PATCH", path, headers: merge, body: patch });
      await show("merge patch of a label", {
        method: "PATCH",
        path,
        headers: merge,
        body: '{"metadata":{"labels":{"a":"b"}}}',
      });
      const operations = '[{"op":"copy","from":"/spec/free/a","path":"/spec/free/b"}]';
      const jsonPatch = { "content-type": "application/json-patch+json" };
      await show("JSON patch", { method: "PATCH", path, headers: jsonPatch, body: operations });
      const apply = { "content-type": "application/apply-patch+yaml" };
      const applied = deepWidget(stage, "b", 1_500);
      const applyPath = widgets(stage, "/b?fieldManager=ann");
      await show("apply", { method: "PATCH", path: applyPath, headers: apply, body: applied });
      await show("apply again", { method: "PATCH", path: applyPath, headers: apply, body: applied });
      await show("delete", { method: "DELETE", path });
    }),
    widgetCase("are stored and served with 5,000 levels", { spec }, async (stage) => {
      const headers = { "content-type": "application/json" };
      const body = deepWidget(stage, "a", 5_000);
      const { status } = await stage.look({ method: "POST", path: widgets(stage), headers, body });
      const one = await stage.look({ method: "GET", path: widgets(stage, "/a") });
      const all = await stage.look({ method: "GET", path: widgets(stage) });
      const levels = [one, all].map(({ text }) => text.match(/"a":/g)?.length);
      stage.record("created and read", { status, levels });
    }),
    widgetCase("are refused beyond 10,000 levels", { spec }, async (stage) => {
      for (const levels of [9_999, 20_000]) {
        const headers = { "content-type": "application/json" };
        const request = { method: "POST", path: widgets(stage, "?dryRun=All"), headers } as const;
        const { status, text } = await stage.look({ ...request, body: deepWidget(stage, "a", levels) });
        stage.record(`create with ${levels} levels`, status < 300 ? status : parsed(text));
      }
    }),
  ],
};
