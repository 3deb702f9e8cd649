import { expect, it } from "vitest";
import { executableTarget } from "./executable-target.ts";

function elf(machine: number): Buffer {
  const header = Buffer.alloc(20);
  header.writeUInt32BE(0x7f454c46, 0);
  header.writeUInt16LE(machine, 18);
  return header;
}

function machO(cpu: number): Buffer {
  const header = Buffer.alloc(20);
  header.writeUInt32BE(0xcffaedfe, 0);
  header.writeUInt32LE(cpu, 4);
  return header;
}

it.each([
  ["linux/amd64", elf(62)],
  ["linux/arm64", elf(183)],
  ["linux/machine-243", elf(243)],
  ["darwin/amd64", machO(0x01000007)],
  ["darwin/arm64", machO(0x0100000c)],
  ["darwin/universal", Buffer.from("cafebabe".padEnd(40, "0"), "hex")],
  ["script", Buffer.from("#!/bin/sh\n")],
  [undefined, Buffer.from("not a program, only words")],
  [undefined, Buffer.from([0x7f, 0x45, 0x4c, 0x46])],
  [undefined, Buffer.alloc(0)],
])("reads %s from the first bytes", (target, header) => {
  expect(executableTarget(header)).toBe(target);
});
