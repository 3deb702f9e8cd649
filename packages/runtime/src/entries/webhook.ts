// Webhook servers, certificates and webhook configurations.
export type { ManagedWebhooks, ManagerWebhookOptions, WebhookSet } from "../manager/webhooks.ts";
export type {
  AdmissionCall,
  AdmissionSettings,
  Mutator,
  MutatorOptions,
  Validator,
  ValidatorOptions,
} from "../webhook/admission.ts";
export type { AdmissionRequest, Operation } from "../webhook/admission-review.ts";
export type { CertificateObserver, CertificateSource } from "../webhook/certificate-source.ts";
export type { Conversion, Converted, Spoke } from "../webhook/conversion.ts";
export type { DenialDetails, DenialReason } from "../webhook/errors.ts";
export {
  ConversionError,
  DuplicateWebhookPathError,
  InvalidCertificateError,
  InvalidWebhookError,
  NoCertificateError,
  WebhookError,
  WebhookTimeoutError,
} from "../webhook/errors.ts";
export type { FileCertificatesOptions } from "../webhook/file-certificates.ts";
export { FileCertificates } from "../webhook/file-certificates.ts";
export type { ManagedCertificatesOptions } from "../webhook/managed-certificates.ts";
export { ManagedCertificates } from "../webhook/managed-certificates.ts";
export type { RotationRules } from "../webhook/rotation-plan.ts";
export type { WebhookCall } from "../webhook/webhook-call.ts";
export type {
  ConfigurationContext,
  ConfigurationPass,
  KeepConfigurationsOptions,
  WebhookEndpoint,
} from "../webhook/webhook-configurations.ts";
export {
  keepConfigurations,
  makeConversion,
  makeMutatingConfiguration,
  makeValidatingConfiguration,
} from "../webhook/webhook-configurations.ts";
export type {
  ServeWebhooksOptions,
  WebhookObserver,
  WebhookServerOptions,
} from "../webhook/webhook-server.ts";
export { defaultWebhookPort, serveWebhooks, WebhookServer } from "../webhook/webhook-server.ts";
