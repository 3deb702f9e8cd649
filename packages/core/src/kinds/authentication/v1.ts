// Generated from Kubernetes v1.36.2 by `npm run generate:kinds`; do not edit.
import type { UnstoredMeta } from "../../meta.ts";
import type { Kind, Resource } from "../../resource.ts";

export interface BoundObjectReference {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly uid?: string;
}

export interface SelfSubjectReview {
  readonly apiVersion: "authentication.k8s.io/v1";
  readonly kind: "SelfSubjectReview";
  readonly metadata: UnstoredMeta;
  readonly status?: SelfSubjectReviewStatus;
}

export const SelfSubjectReview: Resource<SelfSubjectReview> = {
  group: "authentication.k8s.io",
  version: "v1",
  kind: "SelfSubjectReview",
  plural: "selfsubjectreviews",
  scope: "Cluster",
};

export interface SelfSubjectReviewStatus {
  readonly userInfo?: UserInfo;
}

export interface TokenRequest {
  readonly apiVersion: "authentication.k8s.io/v1";
  readonly kind: "TokenRequest";
  readonly metadata: UnstoredMeta;
  readonly spec?: TokenRequestSpec;
  readonly status?: TokenRequestStatus;
}

export const TokenRequest: Kind<TokenRequest> = {
  group: "authentication.k8s.io",
  version: "v1",
  kind: "TokenRequest",
};

export interface TokenRequestSpec {
  readonly audiences?: readonly string[];
  readonly boundObjectRef?: BoundObjectReference;
  readonly expirationSeconds?: number;
}

export interface TokenRequestStatus {
  readonly expirationTimestamp?: string;
  readonly token?: string;
}

export interface TokenReview {
  readonly apiVersion: "authentication.k8s.io/v1";
  readonly kind: "TokenReview";
  readonly metadata: UnstoredMeta;
  readonly spec: TokenReviewSpec;
  readonly status?: TokenReviewStatus;
}

export const TokenReview: Resource<TokenReview> = {
  group: "authentication.k8s.io",
  version: "v1",
  kind: "TokenReview",
  plural: "tokenreviews",
  scope: "Cluster",
};

export interface TokenReviewSpec {
  readonly audiences?: readonly string[];
  readonly token: string;
}

export interface TokenReviewStatus {
  readonly audiences?: readonly string[];
  readonly authenticated?: boolean;
  readonly error?: string;
  readonly user?: UserInfo;
}

export interface UserInfo {
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  readonly groups?: readonly string[];
  readonly uid?: string;
  readonly username?: string;
}
