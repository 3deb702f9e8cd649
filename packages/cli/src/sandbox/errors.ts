import { KeelsonError } from "@keelson/core";

/** Another process keeps its data in the folder. */
export class FolderInUseError extends KeelsonError {
  static override readonly brand: string = "@keelson/cli.FolderInUseError";
  readonly code = "FOLDER_IN_USE";

  constructor(lock: string, owner: number) {
    super(`open ${lock}: process ${owner} has it; stop that process, or choose another folder`);
  }
}

/** The folder holds what no sandbox wrote, or what was damaged since. */
export class UnreadableDataError extends KeelsonError {
  static override readonly brand: string = "@keelson/cli.UnreadableDataError";
  readonly code = "UNREADABLE_DATA";

  constructor(place: string, why: string, options?: ErrorOptions) {
    super(`read ${place}: ${why}; restore the folder, or choose an empty one`, options);
  }
}
