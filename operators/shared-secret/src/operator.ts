import { type Clock, cacheKind, defineOperator, type Logger, type Operator } from "keelson";
import { ServiceAccount } from "keelson/kinds/core/v1";
import { Role, RoleBinding } from "keelson/kinds/rbac/v1";
import { systemRandomBytes } from "keelson/low-level";
import type { PartDependencies } from "keelson/manager";
import { secretAccessController } from "./access/controller.ts";
import { secretLabel } from "./api/names.ts";
import { SecretAccess } from "./api/secret-access.ts";
import { SharedSecret } from "./api/shared-secret.ts";
import { SharedSecretMetrics } from "./metrics.ts";
import { canisterPolicy } from "./policy/canister/canister-policy.ts";
import { accessIndex, clusterPolicy } from "./policy/cluster-policy.ts";
import { podIndexes } from "./restart/consumer-pods.ts";
import { rotationController, rotationUses } from "./rotation/controller.ts";
import { connectPostgres } from "./rotation/postgres/pg-connection.ts";
import { postgresRotator } from "./rotation/postgres/postgres-rotator.ts";
import type { Rotator } from "./rotation/rotator.ts";
import { sharedSecretProgress } from "./sample-progress.ts";
import { secretCache } from "./secret/versioned-secret.ts";
import { type SharedSecretSettings, settings } from "./settings.ts";
import { reconcileUses, sharedSecretController } from "./shared-secret/controller.ts";
import { CorrectionPace } from "./shared-secret/correct-pods.ts";
import type { SharedSecretParts } from "./shared-secret/parts.ts";
import { RestartRounds } from "./shared-secret/restart-round.ts";
import { accessAdmissions } from "./webhook/decisions.ts";
import { podAdmission, podAdmissionUses } from "./webhook/pod-admission.ts";

/** The server sends only objects that the operator made. */
const own = { labelSelector: secretLabel };

/** What an operator with other rotators than the built-in ones is made of. */
export interface SharedSecretOperatorOptions {
  /** Further rotators, which `spec.rotator.custom.name` names. */
  readonly rotators?: readonly Rotator[];
}

/** The SharedSecret operator with further rotators. */
export function sharedSecretOperator({ rotators = [] }: SharedSecretOperatorOptions = {}): Operator {
  const all = [postgresRotator(connectPostgres), ...rotators];
  return defineOperator({
    name: "shared-secret",
    resources: [SharedSecret, SecretAccess],
    settings,
    samples: {
      files: [new URL("../samples/orders-db.yaml", import.meta.url)],
      later: [new URL("../samples/rotated.yaml", import.meta.url)],
      progress: sharedSecretProgress,
      tries: ["get sharedsecrets,secretaccesses", "describe sharedsecret orders-db"],
    },
    parts: (dependencies) => {
      const parts = makeParts(dependencies, all);
      const hasAccesses = dependencies.settings.policy === "cluster";
      const rotatorImages = imagesOf(dependencies.settings);
      return {
        controllers: [
          sharedSecretController(parts, { hasAccesses }),
          rotationController(parts),
          ...(hasAccesses ? [secretAccessController] : []),
        ],
        webhooks: [podAdmission({ rotatorImages }), ...(hasAccesses ? accessAdmissions : [])],
        indexes: [...podIndexes, ...(hasAccesses ? [accessIndex] : [])],
        cache: [
          secretCache,
          cacheKind(Role, own),
          cacheKind(RoleBinding, own),
          cacheKind(ServiceAccount, own),
        ],
        uses: [...reconcileUses, ...rotationUses, ...podAdmissionUses],
      };
    },
  });
}

/** The SharedSecret operator: `keelson run shared-secret`. */
export const sharedSecret: Operator = sharedSecretOperator();

function makeParts(
  { settings: chosen, metrics, clock, log, namespaces }: PartDependencies<SharedSecretSettings>,
  rotators: readonly Rotator[],
): SharedSecretParts {
  return {
    policyOf: policyFactory(chosen, { clock, log }),
    rotators,
    randomBytes: systemRandomBytes,
    rounds: new RestartRounds(),
    corrections: new CorrectionPace(),
    metrics: new SharedSecretMetrics(metrics),
    namespaces,
  };
}

function policyFactory(
  chosen: SharedSecretSettings,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): SharedSecretParts["policyOf"] {
  const { policy, canisterId = "", canisterIdentity = "", canisterHost, canisterRootKey } = chosen;
  if (policy === "cluster") return clusterPolicy;
  const canister = canisterPolicy({
    ...{ clock, log, canisterId, host: canisterHost, identity: canisterIdentity },
    ...(canisterRootKey !== undefined && { rootKey: Buffer.from(canisterRootKey, "hex") }),
    pollMs: chosen.canisterPollInterval,
    fetch,
  });
  return () => canister;
}

function imagesOf({ rotatorImages }: SharedSecretSettings): ReadonlyMap<string, string> {
  return new Map(
    rotatorImages.map((text) => {
      const [name = "", image = ""] = text.split("=");
      return [name, image];
    }),
  );
}
