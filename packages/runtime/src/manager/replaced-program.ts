/**
 * A program that an operator replaces. `keelson run` accepts its flags, its variables and its configuration file beside its
 * own, so that its users need not rewrite theirs.
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
  /** Default: it has none. */
  readonly configuration?: ReplacedConfiguration;
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

/**
 * The configuration of a program whose sections and keys are those of the operator's settings: in a YAML file, and in
 * variables, which win over the file. Flags, variables and the file of `keelson run` win over both. A key is written in camel
 * case or in snake case.
 */
export interface ReplacedConfiguration {
  /** The variable that names the file, which then has to exist. Such as `AZIMUTH_CAPI_CONFIG`. */
  readonly fileVariable: string;
  /** The file if that variable is not set; it need not exist. */
  readonly defaultFile: string;
  /** `AZIMUTH_CAPI` if `AZIMUTH_CAPI__CAPI_HELM__CHART_NAME` is the variable of `capiHelm.chartName`. */
  readonly variablePrefix: string;
  /** Keys that are no settings of the operator. Default: none. */
  readonly keys?: readonly ReplacedKey[];
}

/** A key of a program's configuration that is no setting of the operator. */
export type ReplacedKey = RenamedKey | IgnoredKey;

/** A key that stands for a setting of `keelson run`. */
export interface RenamedKey {
  /** With dots between sections and the key, such as `webhook.port`. */
  readonly key: string;
  readonly setting: string;
  /**
   * The value that what is written stands for. Throws an Error that goes on after the name of the key: `must be …`.
   * Default: what is written.
   */
  readonly value?: (written: unknown) => unknown;
}

/** A key without an effect, nor have those below it. */
export interface IgnoredKey {
  readonly key: string;
  /** Why, as a sentence without a full stop. */
  readonly because: string;
  /** The value that is also without a consequence there: it is not worth a warning. Default: none. */
  readonly default?: string;
}
