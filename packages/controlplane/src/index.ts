export type { Access } from "./access.ts";
export type { ApiAccess } from "./api-access.ts";
export type { Binaries, BinaryName } from "./binaries/binaries.ts";
export type { FindBinariesOptions } from "./binaries/find-binaries.ts";
export { binariesFolder, findBinaries } from "./binaries/find-binaries.ts";
export { readOpenApiDocument } from "./binaries/openapi-document.ts";
export type { Identity, KeyPair } from "./certificate-authority.ts";
export { CertificateAuthority } from "./certificate-authority.ts";
export type { ComponentName } from "./components/component.ts";
export type { ControlPlane, ControlPlaneOptions, UserOptions } from "./control-plane.ts";
export type { FailedSource } from "./errors.ts";
export {
  ApiRequestError,
  BinariesUnavailableError,
  ComponentExitedError,
  ComponentNotReadyError,
  ControlPlaneError,
  ControlPlaneStoppedError,
  GrantNotInForceError,
  InvalidBinaryError,
  KubectlError,
  NoFreePortError,
  UnknownComponentError,
} from "./errors.ts";
export type { KubectlOptions, KubectlResult } from "./kubectl.ts";
export type { Kubectl, OpenKubectlOptions } from "./open-kubectl.ts";
export { openKubectl } from "./open-kubectl.ts";
export type { ProgressStream } from "./progress-line.ts";
export { ProgressLine } from "./progress-line.ts";
export type { Grant, PolicyRule } from "./rbac-grant.ts";
export { grantRules } from "./rbac-grant.ts";
export { startControlPlane } from "./start-control-plane.ts";
