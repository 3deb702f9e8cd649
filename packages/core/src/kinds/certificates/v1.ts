// Generated from Kubernetes v1.36.2 by `npm run generate:kinds`; do not edit.
import type { ClusterMeta, Keyed, ListMeta } from "../../meta.ts";
import type { Resource } from "../../resource.ts";

export interface CertificateSigningRequest {
  readonly apiVersion: "certificates.k8s.io/v1";
  readonly kind: "CertificateSigningRequest";
  readonly metadata: ClusterMeta;
  readonly spec: CertificateSigningRequestSpec;
  readonly status?: CertificateSigningRequestStatus;
}

export const CertificateSigningRequest: Resource<CertificateSigningRequest> = {
  group: "certificates.k8s.io",
  version: "v1",
  kind: "CertificateSigningRequest",
  plural: "certificatesigningrequests",
  scope: "Cluster",
};

export interface CertificateSigningRequestCondition {
  readonly lastTransitionTime?: string;
  readonly lastUpdateTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status: string;
  readonly type: string;
}

export interface CertificateSigningRequestList {
  readonly apiVersion: "certificates.k8s.io/v1";
  readonly items: readonly CertificateSigningRequest[];
  readonly kind: "CertificateSigningRequestList";
  readonly metadata: ListMeta;
}

export interface CertificateSigningRequestSpec {
  readonly expirationSeconds?: number;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  readonly groups?: readonly string[];
  readonly request: string;
  readonly signerName: string;
  readonly uid?: string;
  readonly usages?: readonly (
    | "any"
    | "cert sign"
    | "client auth"
    | "code signing"
    | "content commitment"
    | "crl sign"
    | "data encipherment"
    | "decipher only"
    | "digital signature"
    | "email protection"
    | "encipher only"
    | "ipsec end system"
    | "ipsec tunnel"
    | "ipsec user"
    | "key agreement"
    | "key encipherment"
    | "microsoft sgc"
    | "netscape sgc"
    | "ocsp signing"
    | "s/mime"
    | "server auth"
    | "signing"
    | "timestamping"
  )[];
  readonly username?: string;
}

export interface CertificateSigningRequestStatus {
  readonly certificate?: string;
  readonly conditions?: Keyed<CertificateSigningRequestCondition, "type">;
}
