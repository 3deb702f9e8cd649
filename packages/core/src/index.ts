export { errorCode, KeelsonError, toError } from "./error.ts";
export { isRecord } from "./json.ts";
export type { Kubeconfig, KubeconfigCluster, KubeconfigContext, KubeconfigUser } from "./kubeconfig.ts";
