import { type Clock, dnsSubdomainProblem, type Random } from "@keelson/core";
import { randomUuid } from "../../controller/uuid.ts";

const nanosPerMs = 1_000_000;

/**
 * Makes names such as `web.18a5f3c2b7d4e6f1`: that of the object and the time in nanoseconds, in hex, as client-go does.
 * The clock knows milliseconds; the rest is drawn, so that replicas that tell of one object at one moment do not collide, and
 * grows within a recorder. Where no valid name comes of it, which not all kinds of objects ensure, it is a UUID.
 */
export function eventNames(clock: Clock, random: Random): (objectName: string) => string {
  let last = 0n;
  return (objectName) => {
    const drawn = BigInt(Math.floor(random.next() * nanosPerMs));
    const nanos = BigInt(Math.floor(clock.now())) * BigInt(nanosPerMs) + drawn;
    last = nanos > last ? nanos : last + 1n;
    const name = `${objectName}.${last.toString(16)}`;
    return dnsSubdomainProblem(name) === undefined ? name : randomUuid(random);
  };
}
