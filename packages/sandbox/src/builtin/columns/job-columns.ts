import type { CronJob, Job } from "@keelson/core/kinds/batch/v1";
import {
  ageColumn,
  ageSince,
  containerColumns,
  humanDuration,
  type KindColumn,
  nameColumn,
  orNone,
  selectorText,
  yesOrNo,
} from "./column.ts";

export const jobColumns: readonly KindColumn<Job>[] = [
  nameColumn,
  { name: "Status", description: "How far the job is", cell: jobStatus },
  {
    name: "Completions",
    description: "Pods that succeeded, of those needed",
    cell: ({ spec, status }) => {
      const succeeded = status?.succeeded ?? 0;
      if (spec?.completions !== undefined) return `${succeeded}/${spec.completions}`;
      const parallelism = spec?.parallelism ?? 0;
      return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
    },
  },
  {
    name: "Duration",
    description: "Time that the job took, or takes so far",
    cell: ({ status }, now) => {
      if (status?.startTime === undefined) return "";
      if (status.completionTime === undefined) return ageSince(status.startTime, now);
      return humanDuration(Date.parse(status.completionTime) - Date.parse(status.startTime));
    },
  },
  ageColumn,
  ...containerColumns<Job>(({ spec }) => spec?.template),
  {
    name: "Selector",
    isWide: true,
    description: "Which pods belong to it",
    cell: ({ spec }) => selectorText(spec?.selector),
  },
];

export const cronJobColumns: readonly KindColumn<CronJob>[] = [
  nameColumn,
  { name: "Schedule", description: "When jobs are made", cell: ({ spec }) => spec?.schedule ?? "" },
  {
    name: "Timezone",
    description: "Where the times of the schedule hold",
    cell: ({ spec }) => spec?.timeZone ?? "<none>",
  },
  {
    name: "Suspend",
    type: "boolean",
    description: "Whether no more jobs are made",
    cell: ({ spec }) => (spec?.suspend === undefined ? "<unset>" : yesOrNo(spec.suspend)),
  },
  {
    name: "Active",
    type: "integer",
    description: "Jobs that run now",
    cell: ({ status }) => status?.active?.length ?? 0,
  },
  {
    name: "Last Schedule",
    description: "Time since a job was made last",
    cell: ({ status }, now) =>
      status?.lastScheduleTime === undefined ? "<none>" : ageSince(status.lastScheduleTime, now),
  },
  ageColumn,
  ...containerColumns<CronJob>(({ spec }) => spec?.jobTemplate.spec?.template),
  {
    name: "Selector",
    isWide: true,
    description: "Which pods belong to its jobs, where that is said",
    cell: ({ spec }) => orNone(selectorText(spec?.jobTemplate.spec?.selector)),
  },
];

function jobStatus({ metadata, status }: Job): string {
  const has = (wanted: string): boolean =>
    status?.conditions?.find(({ type }) => type === wanted)?.status === "True";
  if (has("Complete")) return "Complete";
  if (has("Failed")) return "Failed";
  if (metadata.deletionTimestamp !== undefined) return "Terminating";
  return ["Suspended", "FailureTarget", "SuccessCriteriaMet"].find(has) ?? "Running";
}
