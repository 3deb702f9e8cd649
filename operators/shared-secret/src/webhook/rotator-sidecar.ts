import { formatKey, type Stored } from "keelson";
import type { Container, EnvVar, Pod, SecurityContext } from "keelson/kinds/core/v1";
import type { SharedSecret } from "../api/shared-secret.ts";
import type { RotatorSpec } from "../api/spec.ts";
import { rotatorNameOf } from "../rotation/rotator.ts";
import type { SharedSecrets } from "./access.ts";
import { foreignIdentities, tokenMount, tokenVolume, withoutServerToken } from "./account-token.ts";
import type { Ask } from "./asks.ts";
import { withVolumes } from "./pod-containers.ts";

/** The images of the programs that rotate, by the names of the rotators: `postgres`, or the name of a custom one. */
export type RotatorImages = ReadonlyMap<string, string>;

/** A SharedSecret that a container of the pod rotates. */
export interface RotatedSecret {
  readonly sharedSecret: Stored<SharedSecret>;
  readonly rotator: RotatorSpec;
}

/** What a pod asks for that is rotated in it: with permission ReadWrite, by a rotator that runs in a sidecar. */
export function rotatedInPod(asks: readonly Ask[], sharedSecrets: SharedSecrets): readonly RotatedSecret[] {
  return asks.flatMap(({ secret, permission }) => {
    const sharedSecret = sharedSecrets.get(formatKey(secret));
    const rotator = sharedSecret?.spec.rotator;
    if (sharedSecret === undefined || rotator === undefined) return [];
    return permission === "ReadWrite" && rotator.runsIn === "Sidecar" ? [{ sharedSecret, rotator }] : [];
  });
}

/** The containers that rotate, one for each image, and why some cannot be made. */
export function planRotators(
  rotated: readonly RotatedSecret[],
  images: RotatorImages,
  pod: Pod,
): { readonly rotators: readonly Container[]; readonly problems: readonly string[] } {
  const byImage = new Map<string, [RotatedSecret, ...RotatedSecret[]]>();
  const missing = new Set<string>();
  for (const one of rotated) {
    const name = rotatorNameOf(one.rotator);
    const image = images.get(name);
    const others = image === undefined ? undefined : byImage.get(image);
    if (image === undefined) missing.add(name);
    else if (others === undefined) byImage.set(image, [one]);
    else others.push(one);
  }
  return {
    rotators: [...byImage].map(([image, secrets], index) => ({
      name: index === 0 ? "shared-secret-rotator" : `shared-secret-rotator-${index + 1}`,
      image,
      env: environmentOf(secrets),
      resources: { requests: { cpu: "10m", memory: "64Mi" }, limits: { memory: "256Mi" } },
      securityContext: securityContextIn(pod),
      volumeMounts: [tokenMount],
    })),
    problems: [...missing].map(
      (name) =>
        `there is no image for the rotator ${name}; add ${name}=IMAGE to the setting --shared-secret.rotator-images of the operator`,
    ),
  };
}

/** Why a pod cannot have a rotator: its containers would lose their identity, or get that of the rotator. */
export function rotatorObstacles(pod: Pod, account: string): readonly string[] {
  const { serviceAccountName, serviceAccount, shareProcessNamespace } = pod.spec ?? {};
  const named = serviceAccountName || serviceAccount || "default";
  const otherwise = "or let the operator rotate, with rotator.runsIn: Operator in the SharedSecret";
  const hasOwnAccount = named !== "default" && named !== account;
  return [
    ...(hasOwnAccount
      ? [
          `the pod names ServiceAccount ${named}, but a rotator in it needs its own; remove the name, ${otherwise}`,
        ]
      : []),
    ...(shareProcessNamespace === true
      ? [
          `with shareProcessNamespace other containers could read the token of the rotator; remove it, ${otherwise}`,
        ]
      : []),
    ...foreignIdentities(pod).map(
      (volume) => `volume ${volume} would have a token of the rotator; remove it, ${otherwise}`,
    ),
  ];
}

/** Adds rotators to a pod. It gets their ServiceAccount, whose token only they have. */
export function withRotators(pod: Pod, rotators: readonly Container[], account: string): Pod {
  if (rotators.length === 0) return pod;
  const changed = withVolumes(withoutServerToken(pod), [tokenVolume]);
  const { spec } = changed;
  if (spec === undefined) return changed;
  const missing = rotators.filter(({ name }) => spec.containers.every((other) => other.name !== name));
  return {
    ...changed,
    spec: {
      ...spec,
      serviceAccountName: account,
      // The API server shows the name under both.
      ...(spec.serviceAccount !== undefined && { serviceAccount: account }),
      containers: [...spec.containers, ...missing],
    },
  };
}

/** SHARED_SECRETS is for rotators of this operator, the others for those of the original, which know one period and one config. */
function environmentOf(secrets: readonly [RotatedSecret, ...RotatedSecret[]]): readonly EnvVar[] {
  const [first] = secrets;
  const names = secrets.map(({ sharedSecret }) => formatKey(sharedSecret.metadata)).join(",");
  return [
    { name: "SHARED_SECRETS", value: names },
    { name: "TORORU_RESOURCE_NAMES", value: names },
    { name: "ROTATION_SECONDS", value: `${first.sharedSecret.status?.rotateSeconds ?? 0}` },
    { name: "CONFIG", value: JSON.stringify(first.rotator.custom?.config ?? {}) },
  ];
}

/** The user of images that have none of their own to run as. */
const unprivilegedUser = 65532;

function securityContextIn({ spec }: Pod): SecurityContext {
  return {
    runAsNonRoot: true,
    // What the pod sets counts for all containers, and a rotator does not start as root.
    ...(spec?.securityContext?.runAsUser === 0 && { runAsUser: unprivilegedUser }),
    readOnlyRootFilesystem: true,
    allowPrivilegeEscalation: false,
    capabilities: { drop: ["ALL"] },
    seccompProfile: { type: "RuntimeDefault" },
  };
}
