import { type Clock, type Draft, type GenericObject, type Random, sleep } from "@keelson/core";
import type { ServiceAccount } from "@keelson/core/kinds/core/v1";
import { decoded } from "../resource/mutable-object.ts";
import type { StoredObjects } from "../resource/stored-objects.ts";
import type { AdmissionRequest, MutatingAdmission } from "./admission.ts";
import { type PodDraft, podOf, refused } from "./admission.ts";
import { mountToken } from "./mount-token.ts";

interface ServiceAccountAdmissionOptions {
  readonly read: StoredObjects;
  readonly clock: Clock;
  readonly random: Random;
}

const defaultAccount = "default";
const mirrorAnnotation = "kubernetes.io/config.mirror";
/** A controller creates the ServiceAccount `default` of a new namespace; admission waits for it this often. */
const lookups = 10;
const lookupEveryMs = 100;

/** Sets the ServiceAccount of new pods, its pull secrets, and a volume with its token. */
export function serviceAccountAdmission(options: ServiceAccountAdmissionOptions): MutatingAdmission {
  const { read, clock, random } = options;

  function find(namespace: string, name: string): ServiceAccount | undefined {
    const object = read.get({ group: "", plural: "serviceaccounts" }, name, namespace);
    return object && typed(object);
  }

  async function awaitDefault(
    request: AdmissionRequest,
    namespace: string,
  ): Promise<ServiceAccount | undefined> {
    for (let lookup = 1; lookup < lookups; lookup++) {
      await sleep(clock, lookupEveryMs, request.signal);
      const found = find(namespace, defaultAccount);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  function finish(request: AdmissionRequest, pod: PodDraft, account: ServiceAccount | undefined): void {
    const name = pod.spec?.serviceAccountName ?? "";
    const { namespace = "" } = request;
    if (account === undefined) {
      const missing = `serviceaccount ${JSON.stringify(name)} not found`;
      throw refused(request, pod, `error looking up service account ${namespace}/${name}: ${missing}`);
    }
    equip(pod, account, random);
  }

  return {
    name: "ServiceAccount",
    mutate(request, object) {
      if (request.operation !== "CREATE") return;
      const pod = podOf(request, object);
      if (pod?.spec === undefined) return;
      if (isMirror(pod)) {
        refuseMirror(request, pod);
        return;
      }
      const { namespace = "" } = request;
      const name = pod.spec.serviceAccountName || defaultAccount;
      pod.spec.serviceAccountName = name;
      const account = find(namespace, name);
      if (account !== undefined || name !== defaultAccount) {
        finish(request, pod, account);
        return;
      }
      return awaitDefault(request, namespace).then((late) => finish(request, pod, late));
    },
  };
}

function equip(pod: PodDraft, account: ServiceAccount, random: Random): void {
  const { spec } = pod;
  if (spec === undefined) return;
  const isMounted = spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;
  if (isMounted) mountToken(spec, random);
  const secrets = account.imagePullSecrets ?? [];
  if ((spec.imagePullSecrets ?? []).length > 0 || secrets.length === 0) return;
  spec.imagePullSecrets = secrets.map(({ name }) => (name === undefined ? {} : { name }));
}

/** A mirror pod: a kubelet read it from a file and publishes it. It must not be changed. */
function isMirror({ metadata }: PodDraft): boolean {
  return metadata.annotations?.[mirrorAnnotation] !== undefined;
}

function refuseMirror(request: AdmissionRequest, pod: PodDraft): void {
  const { serviceAccountName = "", volumes = [] } = pod.spec ?? {};
  if (serviceAccountName !== "")
    throw refused(request, pod, "a mirror pod may not reference service accounts");
  if (volumes.some(({ secret }) => secret !== undefined)) {
    throw refused(request, pod, "a mirror pod may not reference secrets");
  }
  const sources = volumes.flatMap(({ projected }): readonly Draft<object>[] => projected?.sources ?? []);
  if (sources.some((source) => "serviceAccountToken" in source)) {
    throw refused(request, pod, "a mirror pod may not use ServiceAccountToken volume projections");
  }
}

/** The schema of the kind has checked every stored object. */
function typed(object: GenericObject): ServiceAccount {
  return decoded<ServiceAccount>(object);
}
