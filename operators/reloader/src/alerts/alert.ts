import { formatKey, type ObjectKey } from "keelson";
import { cutText } from "keelson/low-level";
import type { Strategy } from "../decision/reload-policy.ts";
import type { ResourceRef } from "../resource/watched-resource.ts";
import type { WorkloadRef } from "../workload/workload-kind.ts";

/** What is reported about a change: a reload, one that failed, or in the mode `notify` the change alone. */
export interface ReloadAlert {
  readonly outcome: "reloaded" | "failed" | "notified";
  readonly workload: WorkloadRef;
  /** What had changed; not empty. */
  readonly changes: readonly ResourceRef[];
  readonly strategy: Strategy;
  /** RFC 3339. */
  readonly time: string;
  /** Why the reload failed. Must not contain what a Secret contains. */
  readonly error?: string;
  /** The ReloaderConfigs for which the workload was reloaded; empty if annotations alone are the reason. */
  readonly configs: readonly ObjectKey[];
}

/** As long as the texts of an error may be in an alert, in bytes. */
const mostErrorBytes = 1024;

/** An alert in words, which the payloads arrange. */
export interface AlertText {
  readonly title: string;
  readonly text: string;
  /** Names and values, in the order in which they are shown. */
  readonly facts: readonly AlertFact[];
}

interface AlertFact {
  readonly name: string;
  readonly value: string;
  /** Too long to stand beside another one. */
  readonly isLong?: boolean;
}

/** Facts that the payloads show in ways of their own. */
const factNames = { time: "Time", error: "Error", additional: "Additional Info" } as const;

/** The words of an alert. `additionalInfo` is the administrator's text for all alerts, such as the name of the cluster. */
export function textOf(alert: ReloadAlert, additionalInfo = ""): AlertText {
  const { workload, changes, strategy, time, configs } = alert;
  const error = errorOf(alert);
  return {
    ...headline(alert),
    facts: [
      { name: "Workload", value: `${workload.kind}/${workload.name}` },
      { name: "Namespace", value: workload.namespace },
      {
        name: changes.length === 1 ? "Resource" : "Resources",
        value: changes.map((change) => resourceText(change, workload)).join(", "),
        ...(changes.length > 2 && { isLong: true }),
      },
      { name: "Strategy", value: strategy },
      ...(configs.length > 0
        ? [{ name: "ReloaderConfig", value: configs.map((key) => formatKey(key)).join(", ") }]
        : []),
      { name: factNames.time, value: time },
      ...(additionalInfo === "" ? [] : [{ name: factNames.additional, value: additionalInfo, isLong: true }]),
      ...(error === "" ? [] : [{ name: factNames.error, value: error, isLong: true }]),
    ],
  };
}

/** The error of an alert, cut to what an endpoint accepts; empty if there is none. */
export function errorOf({ error = "" }: ReloadAlert): string {
  return cutText(error, mostErrorBytes);
}

function headline({ outcome, workload, changes }: ReloadAlert): Pick<AlertText, "title" | "text"> {
  const name = `${workload.kind}/${workload.name}`;
  const cause = `${[...new Set(changes.map(({ kind }) => kind))].join(" and ")} change`;
  switch (outcome) {
    case "reloaded":
      return { title: "🔄 Workload Reloaded", text: `Successfully reloaded ${name} due to ${cause}` };
    case "failed":
      return { title: "❌ Reload Failed", text: `Failed to reload ${name} due to ${cause}` };
    case "notified":
      return { title: "🔔 Change Detected", text: `Did not reload ${name} on ${cause}: the mode is notify` };
  }
}

/** Such as `Secret/db`; with its namespace if that is not the workload's. */
function resourceText({ kind, namespace, name }: ResourceRef, workload: WorkloadRef): string {
  return namespace === workload.namespace ? `${kind}/${name}` : `${kind}/${namespace}/${name}`;
}
