import { type Admission, type Client, Manager, waitFor } from "keelson";
import {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from "keelson/kinds/admissionregistration/v1";
import type { WebhookSet } from "keelson/webhook";

/** A manager that records the webhooks that were added, so that `webhooksInPlace` can wait for them. */
export class DevManager extends Manager {
  readonly admissions: Admission[] = [];

  override addWebhooks(webhooks: WebhookSet): void {
    super.addWebhooks(webhooks);
    this.admissions.push(...(webhooks.admissions ?? []));
  }
}

/** The webhooks that are served, and where. */
export interface ServedWebhooks {
  readonly admissions: readonly Admission[];
  /** What their configurations are called. */
  readonly name: string;
  readonly url: string;
}

const timeoutMs = 30_000;

/** Waits until the webhook configurations of the API server have this address, and no earlier one. */
export async function webhooksInPlace(
  client: Client,
  { admissions, name, url }: ServedWebhooks,
  signal: AbortSignal,
): Promise<void> {
  const leadsHere = ({
    webhooks = [],
  }: MutatingWebhookConfiguration | ValidatingWebhookConfiguration): boolean =>
    webhooks.every(({ clientConfig }) => clientConfig.url?.startsWith(`${url}/`));
  const options = { timeoutMs, signal };
  if (admissions.some(({ mutators }) => mutators.length > 0))
    await waitFor(client, MutatingWebhookConfiguration, { name }, leadsHere, options);
  if (admissions.some(({ validators }) => validators.length > 0))
    await waitFor(client, ValidatingWebhookConfiguration, { name }, leadsHere, options);
}
