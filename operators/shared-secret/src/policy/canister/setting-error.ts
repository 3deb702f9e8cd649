import { KeelsonError } from "keelson";

/** What an administrator chooses about a canister. */
type CanisterSetting = "host" | "canisterId" | "rootKey" | "identity";

/** A setting of the canister cannot be used. The message says what to write, and never contains the identity. */
export class InvalidCanisterSettingError extends KeelsonError {
  static override readonly brand: string = "keelson.shared-secret.InvalidCanisterSettingError";
  readonly code = "INVALID_CANISTER_SETTING";
  readonly setting: CanisterSetting;

  constructor(setting: CanisterSetting, message: string, options?: ErrorOptions) {
    super(message, options);
    this.setting = setting;
  }
}
