import { access, constants, open, stat } from "node:fs/promises";
import { errorCode } from "@keelson/core";
import { InvalidBinaryError } from "../errors.ts";
import { executableHeaderBytes, executableTarget } from "./executable-target.ts";
import { type Platform, platformName } from "./platform.ts";

/**
 * Throws InvalidBinaryError, naming the file, unless it is a program that this machine can run. The hint explains
 * why this file was looked at.
 */
export async function checkBinary(file: string, platform: Platform, hint?: string): Promise<void> {
  await inspect(file, platform).catch((error: unknown) => {
    if (!(error instanceof InvalidBinaryError) || hint === undefined) throw error;
    throw new InvalidBinaryError(file, `${error.problem}; ${hint}`, { cause: error });
  });
}

async function inspect(file: string, platform: Platform): Promise<void> {
  const found = await stat(file).catch((cause: unknown) => {
    const problem =
      errorCode(cause) === "ENOENT"
        ? "the file does not exist"
        : `it cannot be looked at (${errorCode(cause)})`;
    throw new InvalidBinaryError(file, problem, { cause });
  });
  if (!found.isFile()) throw new InvalidBinaryError(file, "it is not a file");
  await access(file, constants.X_OK).catch((cause: unknown) => {
    throw new InvalidBinaryError(file, `the file is not executable; try: chmod +x ${file}`, { cause });
  });
  const header = await readHeader(file).catch((cause: unknown) => {
    throw new InvalidBinaryError(file, `it cannot be read (${errorCode(cause)})`, { cause });
  });
  const target = executableTarget(header);
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
