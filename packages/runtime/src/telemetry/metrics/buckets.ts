/** For how long a reconcile takes, as controller-runtime has them [MX1]. */
export const reconcileBuckets: readonly number[] = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5,
  1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

/** From 10 ns to 1000 s, each ten times the one before [MX2]. */
export const decadeBuckets: readonly number[] = [
  1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000,
];

/** For requests to the API server, as Kubernetes' components have them [MX3]. */
export const requestBuckets: readonly number[] = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

/** As requestBuckets, without the last one: how long it takes to resolve a name [MX3]. */
export const resolutionBuckets: readonly number[] = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30];

/** For sizes of requests and responses, in bytes [MX3]. */
export const sizeBuckets: readonly number[] = [
  64, 256, 512, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216,
];

/** For how long the event loop was blocked: from the shortest time that is reported [CT19]. */
export const blockBuckets: readonly number[] = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
