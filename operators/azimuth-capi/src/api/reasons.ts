/** The condition of a Cluster: whether its spec was handed over to Cluster API. */
export const provisionedCondition = "Provisioned";

/** Reasons of the condition Provisioned. */
export const Reason = {
  /** The spec of the Cluster is installed. */
  Provisioned: "Provisioned",
  /** `spec.paused` is set: nothing is done. */
  Paused: "Paused",
  /** The ClusterTemplate does not exist. */
  TemplateNotFound: "TemplateNotFound",
  /** The Secret with the credentials of the cloud does not exist. */
  CredentialsNotFound: "CredentialsNotFound",
  /** There is no Realm of the given name, or none at all. */
  RealmNotFound: "RealmNotFound",
  RealmNotReady: "RealmNotReady",
  OidcClientNotReady: "OIDCClientNotReady",
  PlatformNotReady: "PlatformNotReady",
  LeaseNotFound: "LeaseNotFound",
  LeaseNotActive: "LeaseNotActive",
  /** The registrar of Zenith refused, or was not reached. */
  RegistrarFailed: "RegistrarFailed",
  /** Helm has failed; it is tried again. */
  HelmFailed: "HelmFailed",
  /** Another step has failed; it is tried again. */
  Retrying: "Retrying",
  /** The Cluster is being deleted. */
  Deleting: "Deleting",
} as const;

export type Reason = (typeof Reason)[keyof typeof Reason];
