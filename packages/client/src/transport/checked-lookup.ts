import { type LookupAddress, lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { AddressRefusedError } from "@keelson/core";

/** Whether to connect to an IP address. */
export type AcceptAddress = (address: string) => boolean;

/**
 * Resolves a name to those of its addresses that are accepted, for the connection that asks: what is checked is what is
 * connected to, whatever the name resolves to before or after. Fails with an AddressRefusedError if none is accepted.
 */
export function checkedLookup(accept: AcceptAddress): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) {
        callback(error, "", 0);
        return;
      }
      const accepted: readonly LookupAddress[] = found.filter(({ address }) => accept(address));
      const [first] = accepted;
      if (first === undefined) {
        callback(new AddressRefusedError(found.map(({ address }) => address)), "", 0);
      } else if (options.all === true) callback(null, [...accepted]);
      else callback(null, first.address, first.family);
    });
  };
}

/** Throws an AddressRefusedError if the host is an address, which no lookup resolves, and is not accepted. */
export function checkAddress(host: string, accept: AcceptAddress): void {
  if (isIP(host) !== 0 && !accept(host)) throw new AddressRefusedError([host]);
}
