/** A person at a keyboard. */
export interface Terminal {
  /** The file descriptor to read from, such as `process.stdin.fd`. */
  readonly inputFd: number;
  /** Shows what a command has to say, such as where to log in. */
  readonly show: (text: string) => void;
}

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Standard input, as a file descriptor; without it there is none. */
  readonly inputFd?: number;
  /** Is called with what the command writes to standard error, as it is written. */
  readonly onStderr?: (text: string) => void;
  /** Kills the command and its children. */
  readonly signal: AbortSignal;
}

/** How a command ended. */
export type CommandEnd =
  | { readonly kind: "exit"; readonly code: number }
  | { readonly kind: "killed"; readonly signal: string }
  | { readonly kind: "too-much-output"; readonly limitBytes: number }
  /** It did not start; `code` is a system error's, such as `ENOENT`. */
  | { readonly kind: "not-started"; readonly code: string };

export interface CommandResult {
  readonly end: CommandEnd;
  readonly stdout: string;
  /** The end of it, if it was long. */
  readonly stderr: string;
}

/** Runs a command, and settles when its process has ended. Never rejects: how it ended is in the result. */
export type RunCommand = (command: Command) => Promise<CommandResult>;
