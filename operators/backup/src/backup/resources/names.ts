/** The name of the Job of a BackUp without a schedule, and of the CronJob of a BackUp with one. */
export function jobName(backup: string): string {
  return `job-${backup}`;
}

/** The name of the Job that replaces a scheduled run: one for each revision. */
export function replacementName(backup: string, revision: string): string {
  return `job-${backup}-${revision.slice(0, 8)}`;
}

/** The name of the BackUp whose Job or CronJob has this name; undefined if no BackUp uses it. */
export function backupNamedIn(job: string): string | undefined {
  return job.startsWith("job-") ? job.slice("job-".length) : undefined;
}
