import type { ValidatingWebhook } from "@keelson/core/kinds/admissionregistration/v1";
import type { ValidatingAdmission } from "../admission/admission.ts";
import { internalError } from "../status/api-error.ts";
import type { WebhookDependencies } from "./call-webhook.ts";
import { requestReview } from "./call-webhook.ts";
import type { SeenWrite } from "./review-request.ts";
import { shownWrite } from "./scale-view.ts";
import { denial, WebhookCallError } from "./webhook-failure.ts";
import { isExempt, seenBy } from "./webhook-match.ts";
import type { ConfiguredWebhook } from "./webhook-source.ts";

/** Calls all matching webhooks in parallel and waits for all; the first refusal counts. */
export function validatingWebhooks(
  webhooks: readonly ConfiguredWebhook<ValidatingWebhook>[],
  dependencies: WebhookDependencies,
): ValidatingAdmission {
  return {
    name: "ValidatingAdmissionWebhook",
    async validate(request, object) {
      if (isExempt(request)) return;
      const shown = shownWrite(request, object);
      const matching: { readonly hook: ValidatingWebhook; readonly seen: SeenWrite }[] = [];
      for (const { hook } of webhooks) {
        const seen = await seenBy(hook, shown, dependencies);
        if (seen !== undefined) matching.push({ hook, seen });
      }
      const refusals: unknown[] = [];
      const calls = matching.map(({ hook, seen }) =>
        call(hook, seen, dependencies).catch((error: unknown) => void refusals.push(error)),
      );
      await Promise.all(calls);
      if (refusals.length > 0) throw refusals[0];
    },
  };
}

async function call(
  hook: ValidatingWebhook,
  seen: SeenWrite,
  dependencies: WebhookDependencies,
): Promise<void> {
  try {
    const { allowed, status } = await requestReview(hook, seen, false, dependencies);
    if (!allowed) throw denial(hook.name, status);
  } catch (error) {
    if (!(error instanceof WebhookCallError)) throw error;
    if (hook.failurePolicy !== "Ignore") throw internalError(error.message);
  }
}
