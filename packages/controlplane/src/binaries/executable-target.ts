/** How many bytes of a file decide what it was built for. */
export const executableHeaderBytes = 20;

const elfMagic = 0x7f454c46;
const machO64Magic = 0xcffaedfe;
const machOUniversalMagic = 0xcafebabe;
const elfMachines: Readonly<Record<number, string>> = {
  62: "amd64",
  183: "arm64",
  22: "s390x",
  21: "ppc64le",
};
const machOCpus: Readonly<Record<number, string>> = { 16777223: "amd64", 16777228: "arm64" };

/**
 * What a file was built for, read from its first bytes: `os/arch` in Go's words, `darwin/universal`, `script` for a
 * `#!` file, undefined for anything that is not a program.
 */
export function executableTarget(header: Buffer): string | undefined {
  if (header.subarray(0, 2).toString("latin1") === "#!") return "script";
  if (header.length < executableHeaderBytes) return undefined;
  switch (header.readUInt32BE(0)) {
    case elfMagic:
      return `linux/${named(elfMachines, header.readUInt16LE(18))}`;
    case machO64Magic:
      return `darwin/${named(machOCpus, header.readUInt32LE(4))}`;
    case machOUniversalMagic:
      return "darwin/universal";
    default:
      return undefined;
  }
}

function named(names: Readonly<Record<number, string>>, machine: number): string {
  return names[machine] ?? `machine-${machine}`;
}
