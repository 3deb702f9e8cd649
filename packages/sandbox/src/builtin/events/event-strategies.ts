import type { Event } from "@keelson/core/kinds/core/v1";
import type { Event as NewEvent } from "@keelson/core/kinds/events/v1";
import type { Strategy } from "../../resource/strategy.ts";
import { type FieldProblem, invalidValue, required } from "../../status/field-problem.ts";
import { builtinStrategy } from "../builtin-strategy.ts";

/** What the server says of an event that was not told; null where there is no time. */
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

/** Events are kept where what they tell of is; of objects without a namespace, in `default`. */
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
