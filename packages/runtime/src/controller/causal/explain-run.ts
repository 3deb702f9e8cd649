import { formatKey } from "@keelson/core";
import type { CallRecord } from "./recorded-calls.ts";
import type { ReasonRecord, RunRecord } from "./recorded-run.ts";

const columns = 100;
const labelWidth = 9;
const minuteMs = 60_000;

/** The text of `keelson why`: the runs in the given order. A run has its date only if it is not the date of `now`. */
export function explainRuns(runs: readonly RunRecord[], now: number): string {
  const today = new Date(now).toISOString().slice(0, "2026-01-01".length);
  return runs.map((run) => explainRun(run, today)).join("\n");
}

function explainRun(run: RunRecord, today: string): string {
  const lines = [
    headline(run, today),
    ...run.reasons.map((reason) => labelled("because", describeReason(reason))),
    ...more(run.droppedReasons, "because", "reason"),
    ...run.calls.map((call) => labelled(callLabel(call), describeCallRecord(call))),
    ...more(run.droppedCalls, "", "call"),
    ...(run.error === undefined ? [] : [labelled("failed", run.error)]),
    ...nextLine(run),
  ];
  return lines.join("\n");
}

function headline({ startedAt, result, durationMs, queuedMs, priority }: RunRecord, today: string): string {
  const [day = "", time = ""] = startedAt.replace("Z", "").split("T");
  const when = day === today ? time : `${day} ${time}`;
  const waited = `after ${formatDuration(queuedMs)} in the queue`;
  const rank = priority === 0 ? "" : `, priority ${priority}`;
  return `${when} ${resultText[result]} in ${formatDuration(durationMs)} ${waited}${rank}`;
}

const resultText: Readonly<Record<RunRecord["result"], string>> = {
  success: "success",
  requeue_after: "success",
  requeue: "requeue",
  error: "error",
  terminal_error: "terminal error",
  timeout: "timeout",
  aborted: "aborted",
};

function nextLine({ result, requeueAfterMs }: RunRecord): readonly string[] {
  if (requeueAfterMs !== undefined) return [labelled("again", `in ${formatDuration(requeueAfterMs)}`)];
  if (result === "terminal_error") return [labelled("again", "only when something changes")];
  return result === "success" || result === "aborted" ? [] : [labelled("again", "after a back-off")];
}

/** `Deployment shop/web changed: status.readyReplicas (owns deployments.apps)`. */
function describeReason(reason: ReasonRecord): string {
  const { type, object, source } = reason;
  if (type === "requeue") return "the previous run requested it";
  if (type === "retry") return "the previous run is retried";
  const what = object === undefined ? "" : `${object.kind} ${formatKey(object)} `;
  return `${what}${happened(reason)} (${source})`;
}

function happened({ type, object, isInitial, changedPaths }: ReasonRecord): string {
  if (isInitial === true) return "existed at the start";
  if (type === "create") return "was created";
  if (type === "delete") return "was deleted";
  if (type === "update") return describeChange(changedPaths);
  return object === undefined ? "an event" : "has an event";
}

function describeChange(paths: readonly string[] | undefined): string {
  if (paths === undefined) return "changed";
  return paths.length === 0 ? "was received again unchanged" : `changed: ${paths.join(", ")}`;
}

function callLabel({ kind, outcome }: CallRecord): string {
  if (kind === "read") return "read";
  return outcome === "ok" || outcome === "noop" ? "wrote" : "write";
}

function describeCallRecord(record: CallRecord): string {
  const { call, kind, fromCache, outcome, resourceVersion, changedPaths = [] } = record;
  if (outcome === "pending") return `${call}: no response yet`;
  if (outcome === "noop") return `${call}: changed nothing`;
  if (outcome === "dry-run") return `${call}: a dry run`;
  if (outcome !== "ok") return `${call}: failed, ${outcome}`;
  if (kind === "read") return fromCache ? `${call} (cache)` : call;
  const fields = changedPaths.length === 0 ? "" : `: ${changedPaths.join(", ")}`;
  return `${call}${fields}${resourceVersion === undefined ? "" : ` → resourceVersion ${resourceVersion}`}`;
}

function more(count: number, label: string, what: string): readonly string[] {
  return count === 0 ? [] : [labelled(label, `${count} more ${count === 1 ? what : `${what}s`}`)];
}

function labelled(label: string, text: string): string {
  const indent = " ".repeat(2 + labelWidth);
  const lines = wrapWords(text, columns - indent.length);
  return `  ${label.padEnd(labelWidth)}${lines.join(`\n${indent}`)}`;
}

/** A duration in a unit that is easy to read: `0.2 ms`, `14 ms`, `1.5 s`, `5 min`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${rounded(ms)} ms`;
  return ms < 2 * minuteMs ? `${rounded(ms / 1000)} s` : `${rounded(ms / minuteMs)} min`;
}

/** One digit after the point below ten, none above. */
function rounded(value: number): string {
  return String(value < 10 ? Math.round(value * 10) / 10 : Math.round(value));
}

/** Breaks a text between words into lines of at most `columns` columns; a longer word gets a line of its own. */
export function wrapWords(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/).filter((part) => part !== "")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && longer.length > columns) {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  return [...lines, line];
}
