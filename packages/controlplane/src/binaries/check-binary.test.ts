import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tempFolder } from "../../test/support/temp-folder.ts";
import { InvalidBinaryError } from "../errors.ts";
import { checkBinary } from "./check-binary.ts";
import { hostPlatform } from "./platform.ts";

it("accepts a program of this machine", async () => {
  await expect(checkBinary(process.execPath, hostPlatform())).resolves.toBeUndefined();
});

it("names a file that is missing", async () => {
  const file = join(await tempFolder(), "etcd");
  const failure = await checkBinary(file, hostPlatform()).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(InvalidBinaryError);
  expect(failure).toMatchObject({ file, message: `use ${file}: the file does not exist` });
});

it("names a folder in the place of a file", async () => {
  const file = join(await tempFolder(), "etcd");
  await mkdir(file);
  await expect(checkBinary(file, hostPlatform())).rejects.toThrow(`use ${file}: it is not a file`);
});

it("names a file that is not executable, and how to make it so", async () => {
  const file = join(await tempFolder(), "etcd");
  await writeFile(file, "#!/bin/sh\n", { mode: 0o644 });
  await expect(checkBinary(file, hostPlatform())).rejects.toThrow(
    `the file is not executable; try: chmod +x ${file}`,
  );
});

it("names a file that is not a program", async () => {
  const file = join(await tempFolder(), "etcd");
  await writeFile(file, "<html>404</html> and some more");
  await chmod(file, 0o755);
  await expect(checkBinary(file, hostPlatform())).rejects.toThrow(`use ${file}: the file is not a program`);
});

it("names a file of another architecture", async () => {
  const file = join(await tempFolder(), "etcd");
  const header = Buffer.alloc(64);
  header.writeUInt32BE(0x7f454c46, 0);
  header.writeUInt16LE(183, 18);
  await writeFile(file, header, { mode: 0o755 });
  await expect(checkBinary(file, { os: "linux", arch: "amd64" })).rejects.toThrow(
    `use ${file}: it is built for linux/arm64, this machine is linux/amd64`,
  );
});
