import { type Admission, Manager, type WebhookSet } from "keelson";

/** A manager that remembers which webhooks it was given. */
export class ObservedManager extends Manager {
  readonly admissions: Admission[] = [];

  override addWebhooks(webhooks: WebhookSet): void {
    super.addWebhooks(webhooks);
    this.admissions.push(...(webhooks.admissions ?? []));
  }
}
