// The work queue and its rate limiters.

export type { QueueObserver, UnfinishedWork } from "../queue/queue-observer.ts";
export { PriorityLabels } from "../queue/queue-observer.ts";
export type { BackoffPreset, ItemRateLimiter, RateLimiter } from "../queue/rate-limiter.ts";
export {
  backoffPresets,
  fastSlowLimiter,
  InvalidQueueNumberError,
  itemExponentialLimiter,
  maxOfLimiters,
  maxWaitLimiter,
  presetLimiter,
  tokenBucketLimiter,
} from "../queue/rate-limiter.ts";
export type { DequeuedItem, Trigger } from "../queue/work-item.ts";
export type { AddOptions, WorkQueueOptions } from "../queue/work-queue.ts";
export { WorkQueue } from "../queue/work-queue.ts";
