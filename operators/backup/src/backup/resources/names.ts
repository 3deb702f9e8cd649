/** Of the Job of a BackUp that runs once, and of the CronJob of one that has a schedule. */
export function jobName(backup: string): string {
  return `job-${backup}`;
}

/** Of the Job that takes the place of a scheduled run that was ended: one for each revision. */
export function replacementName(backup: string, revision: string): string {
  return `job-${backup}-${revision.slice(0, 8)}`;
}

/** Which BackUp would name its Job or CronJob so; undefined if none would. */
export function backupNamedIn(job: string): string | undefined {
  return job.startsWith("job-") ? job.slice("job-".length) : undefined;
}
