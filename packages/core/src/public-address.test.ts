import { expect, it } from "vitest";
import { isPublicAddress } from "./public-address.ts";

it.each([
  ["8.8.8.8", "an address of the internet"],
  ["1.1.1.1", "an address of the internet"],
  ["172.15.255.255", "the address before a private block"],
  ["172.32.0.0", "the address after a private block"],
  ["100.128.0.0", "the address after the shared block"],
  ["2606:4700:4700::1111", "an IPv6 address of the internet"],
  ["::ffff:8.8.8.8", "a mapped address of the internet"],
  ["64:ff9b::8.8.8.8", "an address of the internet behind NAT64"],
  ["2002:808:808::1", "an address of the internet behind 6to4"],
])("counts %s as public: %s", (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

it.each([
  ["0.0.0.0", "this machine"],
  ["10.1.2.3", "a private network"],
  ["100.64.0.1", "a carrier's network"],
  ["100.100.100.200", "Alibaba's metadata service"],
  ["127.0.0.1", "loopback"],
  ["127.255.255.254", "loopback"],
  ["168.63.129.16", "Azure's metadata service"],
  ["169.254.169.254", "the metadata service of most clouds"],
  ["172.16.0.1", "a private network"],
  ["172.31.255.255", "a private network"],
  ["192.0.0.192", "Oracle's metadata service"],
  ["192.0.2.1", "documentation"],
  ["192.168.1.1", "a private network"],
  ["198.18.0.1", "benchmarks"],
  ["224.0.0.1", "multicast"],
  ["255.255.255.255", "broadcast"],
  ["::", "no address"],
  ["::1", "loopback"],
  ["::7f00:1", "a compatible loopback address"],
  ["::ffff:127.0.0.1", "a mapped loopback address"],
  ["::ffff:a9fe:a9fe", "a mapped metadata service, in hexadecimal digits"],
  ["64:ff9b::10.0.0.1", "a private network behind NAT64"],
  ["64:ff9b:1::1", "local NAT64"],
  ["2002:7f00:1::1", "loopback behind 6to4"],
  ["2001::1", "Teredo"],
  ["2001:db8::1", "documentation"],
  ["fd00:ec2::254", "Amazon's metadata service"],
  ["fc00::1", "a unique-local network"],
  ["fe80::1", "a link"],
  ["fe80::1%eth0", "a link with a zone"],
  ["ff02::1", "multicast"],
  ["localhost", "a name"],
  ["", "nothing"],
])("does not count %s as public: %s", (address) => {
  expect(isPublicAddress(address)).toBe(false);
});
