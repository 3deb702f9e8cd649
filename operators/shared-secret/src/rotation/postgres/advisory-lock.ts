import { createHash } from "node:crypto";
import { sleep } from "keelson/low-level";
import { PostgresError, type PostgresSession, type SessionOptions } from "./connection.ts";

const longestWaitMs = 30_000;
const pollMs = 200;

/** What only one session at a time may do: to rotate the login roles of a role. */
export interface LockSubject {
  readonly database: string;
  readonly role: string;
}

/**
 * Waits until no other session of the database holds the lock. It is held until the session ends, also by a crash. Throws a
 * PostgresError if that takes longer than 30 s.
 */
export async function lockRole(
  session: PostgresSession,
  subject: LockSubject,
  { clock, signal }: SessionOptions,
): Promise<void> {
  const key = lockKeyOf(subject);
  const startMs = clock.monotonicNow();
  for (;;) {
    const [row] = await session.query("select pg_try_advisory_lock($1::bigint) as locked", [key]);
    if (row?.locked === true) return;
    if (clock.monotonicNow() - startMs >= longestWaitMs)
      throw new PostgresError(
        `lock role ${subject.role}: another session has held advisory lock ${key} for ${longestWaitMs / 1000} s; ` +
          "find it in pg_locks and end it if it hangs",
      );
    await sleep(clock, pollMs, signal);
  }
}

/** A number of 64 bits, as text. */
function lockKeyOf({ database, role }: LockSubject): string {
  const digest = createHash("sha256").update(`keelson/shared-secret/${database}/${role}`).digest();
  return digest.readBigInt64BE().toString();
}
