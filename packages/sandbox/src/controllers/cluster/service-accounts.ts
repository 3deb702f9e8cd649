import { deepEqual, type KubeObject, keyOf, type Resource } from "@keelson/core";
import { ConfigMap, Namespace, Secret, ServiceAccount } from "@keelson/core/kinds/core/v1";
import type { LegacyToken } from "../../auth/legacy-token.ts";
import { type ControllerContext, controllerManager, type StartController } from "../controller.ts";
import { loopKey, parseLoopKey, startKeyLoop } from "../key-loop.ts";
import { isNamespaceTerminating } from "../refusals.ts";

interface PerNamespace<T extends KubeObject> {
  /** Errors are reported under it. */
  readonly controller: string;
  readonly resource: Resource<T>;
  readonly name: string;
  /** Makes the object in a namespace what it is to be. */
  ensure(context: ControllerContext, namespace: string, existing: T | undefined): Promise<void>;
}

/** Ensures that every namespace that is not being deleted has an object of a given name. */
function ensuredPerNamespace<T extends KubeObject>(wanted: PerNamespace<T>): StartController {
  const { controller, resource, name, ensure } = wanted;
  return (context) => {
    const loop = startKeyLoop({
      name: controller,
      context,
      async reconcile(namespace) {
        const found = context.objects.get(Namespace, { name: namespace });
        if (found === undefined || found.status?.phase === "Terminating") return;
        try {
          await ensure(context, namespace, context.objects.get(resource, { namespace, name }));
        } catch (error) {
          if (!isNamespaceTerminating(error)) throw error;
        }
      },
    });
    const stops = [
      context.watch(Namespace, ({ type, object }) => {
        if (type !== "DELETED") loop.enqueue(object.metadata.name);
      }),
      context.watch(resource, ({ type, object }) => {
        const { namespace } = object.metadata;
        if (object.metadata.name === name && namespace && type !== "ADDED") loop.enqueue(namespace);
      }),
    ];
    return async () => {
      for (const stop of stops) stop();
      await loop.stop();
    };
  };
}

/** Gives every namespace its ServiceAccount `default`. */
export const startDefaultAccounts: StartController = ensuredPerNamespace({
  controller: "serviceaccount-controller",
  resource: ServiceAccount,
  name: "default",
  async ensure({ objects }, namespace, existing) {
    if (existing !== undefined) return;
    const metadata = { name: "default", namespace };
    await objects.create(
      ServiceAccount,
      { apiVersion: "v1", kind: "ServiceAccount", metadata },
      { manager: controllerManager },
    );
  },
});

const name = "kube-root-ca.crt";
const description =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";

/** Gives every namespace a ConfigMap with the certificates by which pods know the API server. */
export function rootCertificates(certificates: string): StartController {
  const data = { "ca.crt": certificates };
  return ensuredPerNamespace({
    controller: "root-ca-certificate-publisher-controller",
    resource: ConfigMap,
    name,
    async ensure({ objects }, namespace, existing) {
      const annotations = { "kubernetes.io/description": description };
      if (existing === undefined) {
        const metadata = { name, namespace, annotations };
        await objects.create(
          ConfigMap,
          { apiVersion: "v1", kind: "ConfigMap", metadata, data },
          { manager: controllerManager },
        );
        return;
      }
      const { metadata } = existing;
      const isDescribed = metadata.annotations?.["kubernetes.io/description"] !== undefined;
      if (deepEqual(existing.data, data) && isDescribed) return;
      const merged = { ...metadata, annotations: { ...metadata.annotations, ...annotations } };
      await objects.update(
        ConfigMap,
        { ...existing, metadata: merged, data },
        { manager: controllerManager },
      );
    },
  });
}

export interface TokenSecretsOptions {
  /** The certificates by which pods know the API server, in PEM. */
  readonly certificates: string;
  issueToken(token: LegacyToken): string;
}

const tokenType = "kubernetes.io/service-account-token";
const nameAnnotation = "kubernetes.io/service-account.name";
const uidAnnotation = "kubernetes.io/service-account.uid";

/** Fills the token Secrets of ServiceAccounts, and deletes those whose ServiceAccount does not exist. */
export function tokenSecrets(options: TokenSecretsOptions): StartController {
  return (context) => {
    const loop = startKeyLoop({
      name: "serviceaccount-token-controller",
      context,
      reconcile: (key) => reconcile(context, options, key),
    });
    const stops = [
      context.watch(Secret, ({ type, object }) => {
        if (type !== "DELETED" && object.type === tokenType) loop.enqueue(loopKey(object));
      }),
      context.watch(ServiceAccount, ({ type, object }) => {
        if (type === "MODIFIED") return;
        for (const secret of context.objects.list(Secret, object.metadata.namespace)) {
          const { annotations } = secret.metadata;
          const isItsOwn =
            secret.type === tokenType && annotations?.[nameAnnotation] === object.metadata.name;
          if (isItsOwn) loop.enqueue(loopKey(secret));
        }
      }),
    ];
    return async () => {
      for (const stop of stops) stop();
      await loop.stop();
    };
  };
}

async function reconcile(
  { objects }: ControllerContext,
  options: TokenSecretsOptions,
  key: string,
): Promise<void> {
  const secret = objects.get(Secret, parseLoopKey(key));
  if (secret === undefined || secret.type !== tokenType) return;
  const { namespace, name: secretName, annotations, uid: secretUid } = secret.metadata;
  const name = annotations?.[nameAnnotation];
  if (name === undefined || name === "") return;
  const account = objects.get(ServiceAccount, { namespace, name });
  const knownUid = annotations?.[uidAnnotation];
  if (account === undefined || (knownUid && knownUid !== account.metadata.uid)) {
    const preconditions = { uid: secretUid };
    await objects.delete(Secret, keyOf(secret), { manager: controllerManager, preconditions });
    return;
  }
  const { uid } = account.metadata;
  const { data = {} } = secret;
  const certificates = toBase64(options.certificates);
  const hasCertificates = options.certificates === "" || data["ca.crt"] === certificates;
  if (hasCertificates && data.namespace && data.token) return;
  const token =
    data.token || toBase64(options.issueToken({ namespace, serviceAccount: { name, uid }, secretName }));
  const filled = {
    ...data,
    ...(options.certificates === "" ? {} : { "ca.crt": certificates }),
    namespace: data.namespace || toBase64(namespace),
    token,
  };
  const metadata = { ...secret.metadata, annotations: { ...annotations, [uidAnnotation]: uid } };
  await objects.update(Secret, { ...secret, metadata, data: filled }, { manager: controllerManager });
}

function toBase64(text: string): string {
  return Buffer.from(text).toString("base64");
}
