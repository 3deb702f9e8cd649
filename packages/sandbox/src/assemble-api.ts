import { type Clock, type HttpService, type Random, systemClock, systemRandom } from "@keelson/core";
import { ResourceQuota } from "@keelson/core/kinds/core/v1";
import { createApiServer } from "./api-server.ts";
import type { Authorize } from "./auth/access.ts";
import { createAuthenticator } from "./auth/authenticator.ts";
import { newSecret, type TokenKey, tokenKeyOf } from "./auth/json-web-token.ts";
import { withNodeAccess } from "./auth/node-authorizer.ts";
import { createRbac } from "./auth/rbac.ts";
import { createServiceAccountTokens, type ServiceAccountTokens } from "./auth/service-account-tokens.ts";
import type { UserInfo } from "./auth/user.ts";
import { builtinServedResources } from "./builtin/builtin-resources.ts";
import { crdStrategy } from "./custom/crd-strategy.ts";
import { discoveryService } from "./discovery/discovery-service.ts";
import { schemaDescriptions } from "./discovery/schema-descriptions.ts";
import type { Faults } from "./faults/fault.ts";
import { createFaultInjector } from "./faults/fault-injector.ts";
import { sendNothing, webhookCaller } from "./outgoing/post-webhook.ts";
import { createRegistry, type ResourceRegistry } from "./resource/resource-registry.ts";
import type { ServedResource } from "./resource/served-resource.ts";
import { storedObjects } from "./resource/stored-objects.ts";
import type { WebhookCaller } from "./resource/webhook-caller.ts";
import type { SandboxOptions } from "./sandbox.ts";
import { createObjectWriter } from "./server/write/create-object-writer.ts";
import type { ObjectApi } from "./server/write/object-api.ts";
import { createObjectApi } from "./server/write/object-api.ts";
import { createMemoryStore } from "./store/memory-store.ts";
import type { Store } from "./store/store.ts";
import { createAdmissionChain } from "./webhooks/admission-chain.ts";

/** The API server with its parts, without controllers. */
export interface AssembledApi {
  readonly store: Store;
  readonly registry: ResourceRegistry;
  readonly objects: ObjectApi;
  readonly service: HttpService;
  readonly faults: Faults;
  /** Users by token; additions take effect at once. */
  readonly tokens: Map<string, UserInfo>;
  readonly serviceAccountTokens: ServiceAccountTokens;
  readonly authorize: Authorize;
  readonly callWebhook: WebhookCaller;
  readonly clock: Clock;
  readonly random: Random;
  readonly onError: NonNullable<SandboxOptions["onError"]>;
}

export function assembleApi(options: SandboxOptions): AssembledApi {
  const { clock = systemClock, random = systemRandom, onError = ignore, sendPost = sendNothing } = options;
  const { journal, historyLimit, tokenSecret } = options;
  const store = createMemoryStore({
    ...(journal !== undefined && { journal }),
    ...(historyLimit !== undefined && { historyLimit }),
  });
  const registry = createRegistry();
  registry.replace("builtin", builtinKinds());
  const read = storedObjects(store, registry);
  const callWebhook = webhookCaller({ sendPost, read, clock });
  const rbac = withNodeAccess(createRbac({ store, read }), read);
  const secret = tokenSecret ?? newSecret(random);
  let tokenKey: TokenKey | undefined;
  const key = (): TokenKey => {
    tokenKey ??= tokenKeyOf(secret);
    return tokenKey;
  };
  const serviceAccountTokens = createServiceAccountTokens({ key, read, clock, random });
  const tokens = new Map(options.tokens);
  const { authenticate, authenticateToken, tokenProblem } = createAuthenticator({
    tokens,
    serviceAccountTokens,
  });
  const admission = createAdmissionChain({
    ...{ store, rbac, read, registry, callWebhook, clock, random },
    hasServiceAccounts: options.controllers !== false,
    enforcesOwnerPermissions: options.enforcesOwnerPermissions ?? false,
    async updateQuotaStatus(quota) {
      await objects.update(ResourceQuota, quota, { manager: "kube-apiserver", subresource: "status" });
    },
  });
  const writer = createObjectWriter({ store, registry, read, admission, clock, random });
  const server = createApiServer({
    store,
    registry,
    writer,
    authenticate,
    authenticateToken,
    tokenProblem,
    authorize: rbac.authorize,
    rulesOf: rbac.rulesOf,
    serviceAccountTokens,
    hasControllers: options.controllers !== false,
    discovery: discoveryService(registry, { describe: schemaDescriptions(options.openApiDocument) }),
    clock,
    random,
    staleRevision: () => injector.staleRevision(),
    onUnexpectedError: (error, id) => onError(error, `request ${id}`),
  });
  const injector = createFaultInjector(server, store, clock);
  const objects = createObjectApi(writer, store, registry);
  const { service, faults } = injector;
  return {
    ...{ store, registry, objects, service, faults, tokens, serviceAccountTokens },
    authorize: rbac.authorize,
    ...{ callWebhook, clock, random, onError },
  };
}

function builtinKinds(): readonly ServedResource[] {
  return builtinServedResources().map((resource) =>
    resource.kind === "CustomResourceDefinition" ? { ...resource, strategy: crdStrategy } : resource,
  );
}

function ignore(): void {
  // Errors are dropped unless a listener is passed.
}
