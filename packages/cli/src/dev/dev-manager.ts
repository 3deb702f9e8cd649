import { type Admission, Manager, type WebhookSet } from "keelson";

/** A manager that knows which webhooks it was given, so that it can be waited for them. */
export class DevManager extends Manager {
  readonly admissions: Admission[] = [];

  override addWebhooks(webhooks: WebhookSet): void {
    super.addWebhooks(webhooks);
    this.admissions.push(...(webhooks.admissions ?? []));
  }
}
