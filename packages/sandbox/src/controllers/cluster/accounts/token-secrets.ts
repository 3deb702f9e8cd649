import { keyOf } from "@keelson/core";
import { Secret, ServiceAccount } from "@keelson/core/kinds/core/v1";
import type { LegacyToken } from "../../../auth/legacy-token.ts";
import type { ControllerContext, StartController } from "../../controller.ts";
import { loopKey, parseLoopKey, startKeyLoop } from "../../key-loop.ts";
import { controllerManager } from "../../manager-name.ts";

export interface TokenSecretsOptions {
  /** The certificates by which pods know the API server, in PEM. */
  readonly certificates: string;
  issueToken(token: LegacyToken): string;
}

const tokenType = "kubernetes.io/service-account-token";
const nameAnnotation = "kubernetes.io/service-account.name";
const uidAnnotation = "kubernetes.io/service-account.uid";

/** Fills Secrets that ask for the token of a ServiceAccount, and removes those whose account is gone. */
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
  const { namespace = "", name: secretName = "", annotations, uid: secretUid = "" } = secret.metadata;
  const name = annotations?.[nameAnnotation];
  if (name === undefined || name === "") return;
  const account = objects.get(ServiceAccount, { namespace, name });
  const uid = account?.metadata.uid ?? "";
  const knownUid = annotations?.[uidAnnotation];
  if (account === undefined || (knownUid && knownUid !== uid)) {
    const preconditions = { uid: secretUid };
    await objects.delete(Secret, keyOf(secret), { manager: controllerManager, preconditions });
    return;
  }
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
