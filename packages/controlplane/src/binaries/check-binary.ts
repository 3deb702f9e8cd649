import { access, constants, open, stat } from "node:fs/promises";
import { InvalidBinaryError } from "../errors.ts";
import { executableHeaderBytes, executableTarget } from "./executable-target.ts";
import { type Platform, platformName } from "./platform.ts";

/** Throws InvalidBinaryError, naming the file, unless it is a program that this machine can run. */
export async function checkBinary(file: string, platform: Platform): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) throw new InvalidBinaryError(file, "the file does not exist");
  if (!found.isFile()) throw new InvalidBinaryError(file, "it is not a file");
  await access(file, constants.X_OK).catch((cause: unknown) => {
    throw new InvalidBinaryError(file, `the file is not executable; try: chmod +x ${file}`, { cause });
  });
  const target = executableTarget(await readHeader(file));
  const host = platformName(platform);
  if (target === undefined) throw new InvalidBinaryError(file, "the file is not a program");
  const runsHere = target === host || target === "script" || target === `${platform.os}/universal`;
  if (!runsHere) throw new InvalidBinaryError(file, `it is built for ${target}, this machine is ${host}`);
}

async function readHeader(file: string): Promise<Buffer> {
  await using handle = await open(file);
  const { buffer, bytesRead } = await handle.read(
    Buffer.alloc(executableHeaderBytes),
    0,
    executableHeaderBytes,
    0,
  );
  return buffer.subarray(0, bytesRead);
}
