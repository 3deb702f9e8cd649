import { invalid } from "../../status/api-error.ts";
import { type FieldProblem, forbiddenField, notSupported } from "../../status/field-problem.ts";
import { queryFlag, queryInteger } from "../request/query.ts";

/** The options of a list or a watch; combinations that the server does not support are refused. */
export interface ListOptions {
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  /** 0: all. */
  readonly limit: number;
  readonly continue: string;
  readonly timeoutSeconds: number | undefined;
  readonly allowWatchBookmarks: boolean;
  /** Of a watch: whether it begins with the objects that exist. */
  readonly sendInitialEvents: boolean | undefined;
}

/** The options of a list or a watch, from the query. Throws ApiError. */
export function listOptions(query: URLSearchParams, isWatch: boolean): ListOptions {
  if (query.size === 0 && !isWatch) return defaultListOptions;
  const resourceVersion = query.get("resourceVersion") ?? "";
  const requested = queryFlag(query, "sendInitialEvents");
  // A watch without a resource version begins with the objects that exist; the real server sets these options too.
  const isFromNow =
    isWatch &&
    requested === undefined &&
    (resourceVersion === "" || resourceVersion === "0") &&
    !query.has("resourceVersionMatch");
  const options: ListOptions = {
    labelSelector: query.get("labelSelector") ?? "",
    fieldSelector: query.get("fieldSelector") ?? "",
    resourceVersion,
    resourceVersionMatch: isFromNow ? "NotOlderThan" : (query.get("resourceVersionMatch") ?? ""),
    limit: Math.max(0, queryInteger(query, "limit") ?? 0),
    continue: query.get("continue") ?? "",
    timeoutSeconds: queryInteger(query, "timeoutSeconds"),
    allowWatchBookmarks: queryFlag(query, "allowWatchBookmarks") ?? false,
    sendInitialEvents: isFromNow ? true : requested,
  };
  const problems = isWatch ? watchProblems(options) : listProblems(options);
  if (problems.length > 0) throw invalid({ group: "meta.k8s.io", kind: "ListOptions" }, "", problems);
  return options;
}

const defaultListOptions: ListOptions = {
  labelSelector: "",
  fieldSelector: "",
  resourceVersion: "",
  resourceVersionMatch: "",
  limit: 0,
  continue: "",
  timeoutSeconds: undefined,
  allowWatchBookmarks: false,
  sendInitialEvents: undefined,
};

const field = "resourceVersionMatch";

function listProblems(options: ListOptions): readonly FieldProblem[] {
  const { resourceVersion, resourceVersionMatch: match } = options;
  const problems: FieldProblem[] = [];
  if (match !== "") {
    if (resourceVersion === "") {
      problems.push(
        forbiddenField(field, "resourceVersionMatch is forbidden unless resourceVersion is provided"),
      );
    }
    if (options.continue !== "") {
      problems.push(forbiddenField(field, "resourceVersionMatch is forbidden when continue is provided"));
    }
    if (match !== "Exact" && match !== "NotOlderThan") {
      problems.push(notSupported(field, match, ["Exact", "NotOlderThan", ""]));
    }
    if (match === "Exact" && resourceVersion === "0") {
      problems.push(
        forbiddenField(field, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'),
      );
    }
  }
  if (options.sendInitialEvents !== undefined) {
    problems.push(forbiddenField("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  }
  return problems;
}

function watchProblems(options: ListOptions): readonly FieldProblem[] {
  const { resourceVersionMatch: match, sendInitialEvents } = options;
  const problems: FieldProblem[] = [];
  if (sendInitialEvents !== undefined && match !== "NotOlderThan") {
    problems.push(
      forbiddenField(field, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"),
    );
  }
  if (match === "") return problems;
  if (sendInitialEvents === undefined) {
    problems.push(
      forbiddenField(
        field,
        "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
      ),
    );
  }
  if (match !== "NotOlderThan") problems.push(notSupported(field, match, ["NotOlderThan"]));
  if (options.continue !== "") {
    problems.push(forbiddenField(field, "resourceVersionMatch is forbidden when continue is provided"));
  }
  return problems;
}
