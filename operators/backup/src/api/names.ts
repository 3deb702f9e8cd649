/** On Jobs and pods: the name of their BackUp. */
export const backupLabel = "backup.keelson.dev/backup";

/** On Jobs: a digest of what goes into their pods, and cannot be changed once they are there. */
export const revisionAnnotation = "backup.keelson.dev/revision";

/** On Jobs: the type of backup that they make. */
export const typeAnnotation = "backup.keelson.dev/type";

/** On a BackUp: another value, whatever it is, asks for another run of the same. */
export const runAgainAnnotation = "backup.keelson.dev/run-again";

/** Who writes, to the API server. */
export const fieldOwner = "backup";
