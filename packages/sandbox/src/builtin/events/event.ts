import { draft, type GenericObject } from "@keelson/core";
import type { Event } from "@keelson/core/kinds/core/v1";
import type { Event as NewEvent } from "@keelson/core/kinds/events/v1";
import type { MutableObject } from "../../resource/mutable-object.ts";
import type { Strategy } from "../../resource/strategy.ts";
import { type FieldProblem, invalidValue, required } from "../../status/field-problem.ts";
import { builtinStrategy } from "../builtin-strategy.ts";

/** The fields that the server adds to an Event that lacks them; null stands for no time. */
const coreFields = {
  eventTime: null,
  firstTimestamp: null,
  lastTimestamp: null,
  reportingComponent: "",
  reportingInstance: "",
};
const newFields = { deprecatedFirstTimestamp: null, deprecatedLastTimestamp: null, eventTime: null };

const common = { initialStatus: "none", allowsCreateOnUpdate: true } as const;

export const eventStrategy: Strategy = builtinStrategy<Event>({
  ...common,
  setDefaults(event) {
    event.involvedObject ??= {};
    event.source ??= {};
    fillIn(event, coreFields);
  },
  validate: ({ involvedObject, metadata }) =>
    namespaceProblems(involvedObject?.namespace, metadata.namespace, "involvedObject.namespace"),
});

export const newEventStrategy: Strategy = builtinStrategy<NewEvent>({
  ...common,
  setDefaults(event) {
    event.deprecatedSource ??= {};
    event.regarding ??= {};
    fillIn(event, newFields);
  },
  validate: ({ regarding, metadata }) =>
    namespaceProblems(regarding?.namespace, metadata.namespace, "involvedObject.namespace"),
  validateCreate(event) {
    const problems: FieldProblem[] = [];
    if (!event.eventTime) problems.push(required("eventTime"));
    if (event.type !== "Normal" && event.type !== "Warning") {
      problems.push(invalidValue("type", event.type ?? "", "has invalid value: "));
    }
    if (!event.eventTime) return problems;
    for (const name of ["reportingController", "reportingInstance", "action", "reason"] as const) {
      if (!event[name]) problems.push(required(name));
    }
    return problems;
  },
});

function fillIn(event: object, fields: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(fields)) {
    if (!Object.hasOwn(event, name)) Object.assign(event, { [name]: value });
  }
}

/** An Event is stored in the namespace of the object that it is about, or in `default` for a cluster-scoped object. */
function namespaceProblems(
  regarded: string | undefined,
  own: string | undefined,
  field: string,
): readonly FieldProblem[] {
  if (!regarded) {
    const detail = "does not match event.namespace";
    return own === "default" || own === "kube-system" ? [] : [invalidValue(field, regarded ?? "", detail)];
  }
  return regarded === own ? [] : [invalidValue(field, regarded, "does not match event.namespace")];
}

/** Names of `v1`, in which events are kept, and of `events.k8s.io/v1` for the same fields. */
const names: readonly (readonly [core: string, other: string])[] = [
  ["involvedObject", "regarding"],
  ["message", "note"],
  ["source", "deprecatedSource"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
  ["count", "deprecatedCount"],
  ["reportingComponent", "reportingController"],
];
const toOther: ReadonlyMap<string, string> = new Map(names);
const toCore: ReadonlyMap<string, string> = new Map(names.map(([core, other]) => [other, core]));

const otherVersion = "events.k8s.io/v1";

/** Events are served in two groups and are the same objects in both; only some names differ. */
export function convertEvent(object: GenericObject): MutableObject {
  const isOther = object.apiVersion === otherVersion;
  const renamed = isOther ? toCore : toOther;
  const { apiVersion: _version, kind, metadata, ...fields } = object;
  const converted: MutableObject = {
    apiVersion: isOther ? "v1" : otherVersion,
    kind,
    metadata: draft(metadata),
  };
  for (const [name, value] of Object.entries(fields)) converted[renamed.get(name) ?? name] = draft(value);
  return converted;
}
