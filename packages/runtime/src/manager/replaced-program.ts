/**
 * A program that an operator replaces. `keelson run` accepts its flags and variables beside its own, so that its users need
 * not rewrite theirs.
 */
export interface ReplacedProgram {
  /** For the help, such as `stakater/Reloader`. */
  readonly name: string;
  /** Of two variables of one setting the first one counts. */
  readonly aliases: readonly SettingAlias[];
  /** Flags that are accepted and have no effect, which is logged. Default: none. */
  readonly ignored?: readonly IgnoredFlag[];
  /** Defaults of settings of `keelson run`, if no other operator runs in the process. Default: none. */
  readonly defaults?: Readonly<Record<string, string>>;
}

/** A second name of a setting. */
export interface SettingAlias {
  /** The setting, as a file names it: `leaderElect` of `keelson run`, or `reloader.webhookUrl` of an operator. */
  readonly setting: string;
  /** Such as `--enable-ha`. A flag of `keelson run` that has this name is then called `--keelson.enable-ha`. */
  readonly flag?: string;
  /** Such as `KUBERNETES_NAMESPACE`. The variable of the setting itself wins over it. */
  readonly variable?: string;
  /** The value that a text stands for; undefined is as if it were not given. Default: the text. */
  readonly value?: (text: string) => unknown;
}

/** A flag without an effect. */
export interface IgnoredFlag {
  readonly flag: string;
  /** What represents its value in the help. Default: it is a switch. */
  readonly placeholder?: string;
  /** Why, as a sentence without a full stop. */
  readonly because: string;
}
