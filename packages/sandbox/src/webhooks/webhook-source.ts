import type { GenericObject } from "@keelson/core";
import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from "@keelson/core/kinds/admissionregistration/v1";
import { decoded } from "../resource/mutable-object.ts";
import type { StoredObjects } from "../resource/stored-objects.ts";
import type { Store } from "../store/store.ts";

/** A webhook of a configuration, with its identity. */
export interface ConfiguredWebhook<Hook extends ValidatingWebhook | MutatingWebhook> {
  /** Unique among the webhooks of its kind. */
  readonly id: string;
  readonly hook: Hook;
}

export const admissionGroup = "admissionregistration.k8s.io";

/** The configured webhooks, in the order in which they are called. Lives as long as the store. */
interface WebhookSource {
  mutating(): readonly ConfiguredWebhook<MutatingWebhook>[];
  validating(): readonly ConfiguredWebhook<ValidatingWebhook>[];
  /** Calls the listener after each change of a configuration. */
  onChange(listener: () => void): () => void;
}

export function createWebhookSource(
  store: Pick<Store, "subscribe" | "revision">,
  read: StoredObjects,
): WebhookSource {
  const mutatingKind = { group: admissionGroup, plural: "mutatingwebhookconfigurations" };
  const validatingKind = { group: admissionGroup, plural: "validatingwebhookconfigurations" };
  const listeners = new Set<() => void>();
  let mutating: readonly ConfiguredWebhook<MutatingWebhook>[] | undefined;
  let validating: readonly ConfiguredWebhook<ValidatingWebhook>[] | undefined;
  for (const { plural, group } of [mutatingKind, validatingKind]) {
    store.subscribe(`${plural}.${group}`, store.revision, () => {
      mutating = undefined;
      validating = undefined;
      for (const listener of listeners) listener();
    });
  }
  return {
    mutating() {
      mutating ??= read.list(mutatingKind).flatMap((object) => webhooksOf(asMutating(object)));
      return mutating;
    },
    validating() {
      validating ??= read.list(validatingKind).flatMap((object) => webhooksOf(asValidating(object)));
      return validating;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

function webhooksOf<Hook extends ValidatingWebhook | MutatingWebhook>(configuration: {
  readonly metadata: { readonly name?: string };
  readonly webhooks?: readonly Hook[];
}): readonly ConfiguredWebhook<Hook>[] {
  const { metadata, webhooks = [] } = configuration;
  return webhooks.map((hook, index) => ({ id: `${metadata.name}/${hook.name}/${index}`, hook }));
}

/** The schema of the kind has checked every stored object. */
function asMutating(object: GenericObject): MutatingWebhookConfiguration {
  return decoded<MutatingWebhookConfiguration>(object);
}

/** As above. */
function asValidating(object: GenericObject): ValidatingWebhookConfiguration {
  return decoded<ValidatingWebhookConfiguration>(object);
}
