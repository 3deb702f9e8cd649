import type { GenericObject } from "@keelson/core";
import type { MutableObject } from "../resource/mutable-object.ts";
import type { ServedResource } from "../resource/served-resource.ts";
import { type BuiltinFacts, builtinResourceFacts } from "./builtin-resources.ts";
import { builtinStrategyOf } from "./builtin-strategies.ts";
import { columnsOf } from "./columns/columns.ts";
import { convertEvent } from "./events/event-conversion.ts";
import { convertAutoscaler } from "./scaling/autoscaler-conversion.ts";
import { selectableFieldsOf } from "./selectable-fields.ts";

/** Of the core group. */
const deprecations: ReadonlyMap<string, string> = new Map([
  ["ComponentStatus", "v1 ComponentStatus is deprecated in v1.19+"],
  ["Endpoints", "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"],
]);

let served: readonly ServedResource[] | undefined;

/** Everything that a server has without definitions: what discovery tells of each kind, and how it behaves. */
export function builtinServedResources(): readonly ServedResource[] {
  served ??= builtinResourceFacts().map(servedResource);
  return served;
}

function servedResource(facts: BuiltinFacts): ServedResource {
  const { group, version, kind, subresources } = facts;
  const { paths, read } = selectableFieldsOf(group, kind);
  const convertOne = conversionOf(facts);
  const deprecationWarning = group === "" ? deprecations.get(kind) : undefined;
  return {
    ...facts,
    strategy: builtinStrategyOf(group, version, kind, subresources.has("status")),
    columns: columnsOf(group, kind),
    selectableFields: paths,
    ...(read === undefined ? {} : { selectField: read }),
    ...(deprecationWarning === undefined ? {} : { deprecationWarning }),
    ...(convertOne === undefined
      ? {}
      : { convert: (objects) => Promise.resolve(objects.map((object) => convertOne(object))) }),
  };
}

/**
 * Of the forms that are not the stored one: events of `events.k8s.io`, and autoscalers of `autoscaling/v1`. An object
 * in the stored form is brought to this one, an object in this form to the stored one.
 */
function conversionOf({
  group,
  version,
  kind,
}: BuiltinFacts): ((object: GenericObject) => MutableObject) | undefined {
  if (group === "events.k8s.io" && kind === "Event") return convertEvent;
  if (group === "autoscaling" && version === "v1" && kind === "HorizontalPodAutoscaler")
    return convertAutoscaler;
  return undefined;
}
