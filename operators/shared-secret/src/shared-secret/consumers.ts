import { type Consumer, formatConsumer, type Permission } from "../api/consumer.ts";
import type { ConsumerStatus, SharedSecretStatus } from "../api/status.ts";
import type { ConsumerPolicy, SecretPolicy } from "../policy/policy.ts";

/** An approved consumer, and what the status knows of it. */
export interface ApprovedConsumer {
  readonly consumer: Consumer;
  readonly permission: Permission;
  readonly entry: ConsumerStatus;
}

/** The approved consumers, in a stable order. None if the secret itself is not approved. */
export function approvedConsumers(
  { approval, consumers }: SecretPolicy,
  status: SharedSecretStatus | undefined,
): readonly ApprovedConsumer[] {
  if (approval === undefined) return [];
  const known = new Map((status?.consumers ?? []).map((entry) => [keyOfEntry(entry), entry]));
  const approved = new Map(
    consumers
      .filter(({ state }) => state === "Approved")
      .map((policy) => [keyOfEntry(entryOf(policy)), policy]),
  );
  return [...approved]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, policy]) => ({
      consumer: policy.consumer,
      permission: policy.permission,
      entry: { ...progressOf(known.get(key)), ...entryOf(policy) },
    }));
}

function entryOf({ consumer, permission, by, at }: ConsumerPolicy): ConsumerStatus {
  return {
    consumer: formatConsumer(consumer),
    permission,
    ...(by !== undefined && { approvedBy: by }),
    ...(at !== undefined && { approvedAt: at }),
  };
}

/** Identifies a consumer in the status. */
export function keyOfEntry({
  consumer,
  permission,
}: Pick<ConsumerStatus, "consumer" | "permission">): string {
  return `${consumer} ${permission}`;
}

function progressOf(
  entry: ConsumerStatus | undefined,
): Omit<ConsumerStatus, "consumer" | "permission" | "approvedBy" | "approvedAt"> {
  if (entry === undefined) return {};
  const { consumer: _, permission: __, approvedBy: ___, approvedAt: ____, ...progress } = entry;
  return progress;
}
