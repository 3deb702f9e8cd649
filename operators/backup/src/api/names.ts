/** On Jobs and pods: the name of their BackUp. */
export const backupLabel = "backup.keelson.dev/backup";

/** On Jobs: a digest of the part of the spec that a Job cannot take over once it exists. */
export const revisionAnnotation = "backup.keelson.dev/revision";

/** On Jobs: the type of backup that they make. */
export const typeAnnotation = "backup.keelson.dev/type";

/** On a BackUp: each new value starts another run of the same spec. */
export const runAgainAnnotation = "backup.keelson.dev/run-again";

/** The field owner of everything that the operator writes. */
export const fieldOwner = "backup";
