import { deepEqual, draft } from "@keelson/core";
import type { MutatingWebhook } from "@keelson/core/kinds/admissionregistration/v1";
import type { AdmissionRequest, MutatingAdmission } from "../admission/admission.ts";
import { convertToVersion } from "../resource/convert-object.ts";
import type { MutableObject } from "../resource/mutable-object.ts";
import { internalError } from "../status/api-error.ts";
import type { WebhookDependencies } from "./call-webhook.ts";
import { requestReview } from "./call-webhook.ts";
import { patchedObject } from "./patched-object.ts";
import type { SeenWrite } from "./review-request.ts";
import { isScale, setScale, shownWrite } from "./scale-view.ts";
import { denial, WebhookCallError } from "./webhook-failure.ts";
import { isExempt, seenBy } from "./webhook-match.ts";
import type { ConfiguredWebhook } from "./webhook-source.ts";

/**
 * Calls webhooks one after the other. If one changes the object, the mutating plugins run again, and then the webhooks
 * with the reinvocation policy `IfNeeded` that were called before the change. There is no third round.
 */
export function mutatingWebhooks(
  webhooks: readonly ConfiguredWebhook<MutatingWebhook>[],
  plugins: readonly MutatingAdmission[],
  dependencies: WebhookDependencies,
): MutatingAdmission {
  return {
    name: "MutatingAdmissionWebhook",
    async mutate(request, object) {
      if (isExempt(request)) return;
      const rounds = new Rounds(request, object, dependencies);
      for (const webhook of webhooks) await rounds.call(webhook);
      if (!rounds.hasChanged) return;
      const before = draft(object);
      for (const plugin of plugins) await plugin.mutate(request, object);
      if (!deepEqual(before, object)) rounds.reinvokeAll();
      for (const webhook of webhooks) await rounds.reinvoke(webhook);
    },
  };
}

class Rounds {
  hasChanged = false;
  readonly #request: AdmissionRequest;
  readonly #object: MutableObject | undefined;
  readonly #dependencies: WebhookDependencies;
  /** Webhooks with the policy `IfNeeded` that were called since the last change. */
  #called = new Set<string>();
  /** Webhooks that must be called again. */
  readonly #again = new Set<string>();

  constructor(
    request: AdmissionRequest,
    object: MutableObject | undefined,
    dependencies: WebhookDependencies,
  ) {
    this.#request = request;
    this.#object = object;
    this.#dependencies = dependencies;
  }

  reinvokeAll(): void {
    for (const id of this.#called) this.#again.add(id);
    this.#called = new Set();
  }

  async reinvoke(webhook: ConfiguredWebhook<MutatingWebhook>): Promise<void> {
    if (this.#again.has(webhook.id)) await this.call(webhook);
  }

  async call({ id, hook }: ConfiguredWebhook<MutatingWebhook>): Promise<void> {
    const seen = await seenBy(hook, shownWrite(this.#request, this.#object), this.#dependencies);
    if (seen === undefined) return;
    const isChanged = await this.#callTolerantly(hook, seen);
    if (isChanged) {
      this.hasChanged = true;
      this.reinvokeAll();
    }
    if (hook.reinvocationPolicy === "IfNeeded") this.#called.add(id);
  }

  async #callTolerantly(hook: MutatingWebhook, seen: SeenWrite): Promise<boolean> {
    try {
      return await this.#change(hook, seen);
    } catch (error) {
      if (!(error instanceof WebhookCallError)) throw error;
      if (hook.failurePolicy !== "Ignore") throw internalError(error.message);
      return false;
    }
  }

  /** Whether the webhook changed the object. */
  async #change(hook: MutatingWebhook, seen: SeenWrite): Promise<boolean> {
    const { name } = hook;
    const request = this.#request;
    const response = await requestReview(hook, seen, true, this.#dependencies);
    if (!response.allowed) throw denial(name, response.status);
    const shown = seen.object === undefined ? undefined : draft(seen.object);
    const patched = patchedObject(name, response, shown, seen.resource);
    if (patched === undefined || this.#object === undefined || deepEqual(patched, seen.object)) return false;
    if (isScale(request)) setScale(request, this.#object, patched);
    else if (seen.resource === request.resource) replaceContents(this.#object, patched);
    else replaceContents(this.#object, await convertToVersion(patched, seen.resource, request.resource));
    return true;
  }
}

/** Changes the object in place, because the callers hold a reference to it. */
function replaceContents(object: MutableObject, patched: MutableObject): void {
  for (const field of Object.keys(object)) {
    if (!Object.hasOwn(patched, field)) Reflect.deleteProperty(object, field);
  }
  Object.assign(object, patched);
}
