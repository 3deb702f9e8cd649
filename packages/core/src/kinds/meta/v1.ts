// Generated from Kubernetes v1.36.2 by `npm run generate:kinds`; do not edit.

export interface DeleteOptions {
  readonly apiVersion?: string;
  readonly dryRun?: readonly string[];
  readonly gracePeriodSeconds?: number;
  readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean;
  readonly kind?: string;
  readonly orphanDependents?: boolean;
  readonly preconditions?: Preconditions;
  readonly propagationPolicy?: string;
}

export interface FieldSelectorRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

export interface Preconditions {
  readonly resourceVersion?: string;
  readonly uid?: string;
}
