import type { Transport } from "@keelson/core";
import { faults } from "../fault.ts";
import { faultyTransport } from "../faulty-transport.ts";
import type { RecordedRequest } from "../recorded-request.ts";

const always = { times: Number.POSITIVE_INFINITY };

/**
 * To be put between an operator and its connection: every write to objects of a plural, such as `deployments`, is refused,
 * and from the first of these on every write to a status as well. So it shows which of two errors is reported.
 */
export function failingWrites(plural: string): (transport: Transport) => Transport {
  return (transport) => {
    const faulty = faultyTransport(transport);
    const isWrite = ({ method, path }: RecordedRequest): boolean =>
      method !== "GET" && path.includes(`/${plural}/`);
    const isStatusAfterwards = ({ method, path }: RecordedRequest): boolean =>
      method !== "GET" && path.endsWith("/status") && faulty.requests.some(isWrite);
    faulty.fault(isWrite, faults.refuse("Forbidden"), always);
    faulty.fault(isStatusAfterwards, faults.refuse("Forbidden"), always);
    return faulty;
  };
}
