import { errorCode, KeelsonError, toError } from "@keelson/core";
import type { StoreSnapshot } from "@keelson/sandbox";

/** Another process keeps its data in the folder. */
export class FolderInUseError extends KeelsonError {
  static override readonly brand: string = "@keelson/cli.FolderInUseError";
  readonly code = "FOLDER_IN_USE";

  constructor(lock: string, owner: string) {
    super(
      `open ${lock}: process ${owner} has it; stop that process if it is keelson, remove the file if it is not, ` +
        "or choose another folder",
    );
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

/** A place in a data folder whose content was changed since it was written, or is missing. */
export interface Damage {
  readonly path: string;
  /** Undefined: the file as a whole. */
  readonly line?: number;
  readonly problem: string;
}

export function placeOf({ path, line }: Damage): string {
  return line === undefined ? path : `${path}:${line}`;
}

/** What the folder holds was changed since it was written, or is not complete. */
export class DamagedDataError extends KeelsonError {
  static override readonly brand: string = "@keelson/cli.DamagedDataError";
  readonly code = "DAMAGED_DATA";
  readonly damage: Damage;

  /** `intact` is the state that a repair would keep. */
  constructor(damage: Damage, intact: StoreSnapshot | undefined) {
    const kept = `${intact?.objects.length ?? 0} objects of revision ${intact?.revision ?? 0}`;
    super(
      `read ${placeOf(damage)}: ${damage.problem}; restore the folder from a copy, or start once with --repair, ` +
        `which keeps ${kept} and a copy of the damaged files`,
    );
    this.damage = damage;
  }
}

/** A flag that is about kept data, without a folder that data is kept in. */
export class DataFlagError extends KeelsonError {
  static override readonly brand: string = "@keelson/cli.DataFlagError";
  readonly code = "DATA_FLAG";

  constructor(flag: string) {
    super(`read ${flag}: there is no data folder; name it by --data`);
  }
}

/** The folder that data was to be kept in cannot be used. */
export class DataFolderError extends KeelsonError {
  static override readonly brand: string = "@keelson/cli.DataFolderError";
  readonly code = "DATA_FOLDER";

  constructor(folder: string, options: { readonly cause: unknown }) {
    super(
      `keep data in ${folder}: ${toError(options.cause).message}; choose a folder that you may write`,
      options,
    );
  }
}

/** The control plane cannot listen where it was to, mostly because something else does. */
export class PortTakenError extends KeelsonError {
  static override readonly brand: string = "@keelson/cli.PortTakenError";
  readonly code = "PORT_TAKEN";

  constructor(host: string, port: number, options: { readonly cause: unknown }) {
    const code = errorCode(options.cause);
    const problem = code === "EADDRINUSE" ? "something else does" : toError(options.cause).message;
    const isOfPort = code === "EADDRINUSE" || code === "EACCES";
    const choice = isOfPort ? "--port, or 0 for any free one" : "--host: an address of this machine";
    super(`listen on ${host}:${port}: ${problem}; choose another ${choice}`, options);
  }
}

/** The kubeconfig cannot be written, without which no client finds the control plane. */
export class KubeconfigNotWrittenError extends KeelsonError {
  static override readonly brand: string = "@keelson/cli.KubeconfigNotWrittenError";
  readonly code = "KUBECONFIG_NOT_WRITTEN";

  constructor(path: string | undefined, options: { readonly cause: unknown }) {
    const where = path === undefined ? "a temporary folder" : path;
    super(
      `write the kubeconfig to ${where}: ${toError(options.cause).message}; name a file that you may write by --kubeconfig`,
      options,
    );
  }
}

/** The file that the kubeconfig was to be written to holds another one, or something else. */
export class ForeignKubeconfigError extends KeelsonError {
  static override readonly brand: string = "@keelson/cli.ForeignKubeconfigError";
  readonly code = "FOREIGN_KUBECONFIG";

  constructor(path: string) {
    super(`write the kubeconfig to ${path}: the file holds something else; name another by --kubeconfig`);
  }
}

/** A flag has a value that makes no sense. */
export class InvalidFlagError extends KeelsonError {
  static override readonly brand: string = "@keelson/cli.InvalidFlagError";
  readonly code = "INVALID_FLAG";

  constructor(flag: string, value: string, expected: string) {
    super(`read ${flag} ${JSON.stringify(value)}: it must be ${expected}`);
  }
}
