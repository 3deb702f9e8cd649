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

/** Somebody else listens where the control plane was to. */
export class PortTakenError extends KeelsonError {
  static override readonly brand: string = "@keelson/cli.PortTakenError";
  readonly code = "PORT_TAKEN";

  constructor(host: string, port: number) {
    super(`listen on ${host}:${port}: something else does; choose another --port, or 0 for any free one`);
  }
}

/** A flag has a value that makes no sense. */
export class InvalidFlagError extends KeelsonError {
  static override readonly brand: string = "@keelson/cli.InvalidFlagError";
  readonly code = "INVALID_FLAG";

  constructor(flag: string, value: string, wanted: string) {
    super(`read ${flag} ${JSON.stringify(value)}: it must be ${wanted}`);
  }
}
