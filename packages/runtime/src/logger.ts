/** Facts beside a message. Keys are in camelCase; an object is named by `{ namespace, name }` under its kind. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Where the runtime and reconcilers write what people read to find out what happened. Should not throw [MG12]. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger whose lines all carry these fields. */
  with(fields: LogFields): Logger;
}

/** Logs nothing. */
export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  with: () => silentLogger,
};
