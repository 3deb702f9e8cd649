import { spawnSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RandomBytes } from "keelson/low-level";
import { describe, expect, it } from "vitest";
import { type Keypair, makeKeypair } from "./keypair.ts";

/** Bytes that can be recognised: 0, 1, 2 and so on, over all calls. */
function counting(): RandomBytes {
  let next = 0;
  return (length) => Uint8Array.from({ length }, () => next++);
}

const program = "ssh-keygen";
const sshKeygen = (...args: readonly string[]) => spawnSync(program, args, { encoding: "utf8" });
const hasSshKeygen = sshKeygen("-?").error === undefined;

/** Calls with the path of a file that has the private key. */
function withKeyFile<Result>({ privateKey }: Keypair, use: (file: string, folder: string) => Result): Result {
  const folder = mkdtempSync(join(tmpdir(), "keelson-keypair-"));
  try {
    const file = join(folder, "id_ed25519");
    writeFileSync(file, privateKey, { mode: 0o600 });
    return use(file, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Reads the fields of a key one after the other. */
class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  take(length: number): Buffer {
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  uint32(): number {
    return this.take(4).readUInt32BE();
  }

  sized(): Buffer {
    return this.take(this.uint32());
  }

  rest(): Buffer {
    return this.take(this.#bytes.length - this.#at);
  }
}

const blobOf = ({ privateKey }: Keypair): Buffer =>
  Buffer.from(privateKey.replaceAll(/-----[A-Z ]+-----|\n/g, ""), "base64");

describe("G.1: a keypair for Zenith", () => {
  it("has a public key on one line, without a comment", () => {
    const { publicKey } = makeKeypair(counting());
    expect(publicKey).toMatch(/^ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI[A-Za-z0-9+/]{43}$/);
  });

  it("has a private key in lines of 70 characters", () => {
    const lines = makeKeypair(counting()).privateKey.split("\n");
    expect(lines[0]).toBe("-----BEGIN OPENSSH PRIVATE KEY-----");
    expect(lines.slice(-2)).toEqual(["-----END OPENSSH PRIVATE KEY-----", ""]);
    const body = lines.slice(1, -2);
    expect(body.slice(0, -1).map(({ length }) => length)).toEqual(body.slice(1).map(() => 70));
  });

  it("has a private key in the format of OpenSSH, byte by byte", () => {
    const made = makeKeypair(counting());
    const reader = new Reader(blobOf(made));
    const seed = Buffer.from(Uint8Array.from({ length: 32 }, (_, index) => index));
    expect(reader.take(15).toString("latin1")).toBe("openssh-key-v1\0");
    expect([reader.sized().toString(), reader.sized().toString(), reader.sized().length]).toEqual([
      "none",
      "none",
      0,
    ]);
    expect(reader.uint32()).toBe(1);
    const publicBlob = reader.sized();
    expect(publicBlob.toString("base64")).toBe(made.publicKey.split(" ")[1]);
    const secret = reader.sized();
    expect(reader.rest()).toHaveLength(0);
    expect(secret.length % 8).toBe(0);
    const fields = new Reader(secret);
    // The check integers come after the seed from the random bytes, and are equal.
    expect([fields.take(4), fields.take(4)].map((bytes) => [...bytes])).toEqual([
      [32, 33, 34, 35],
      [32, 33, 34, 35],
    ]);
    expect(fields.sized().toString()).toBe("ssh-ed25519");
    const point = fields.sized();
    expect(publicBlob.subarray(-32)).toEqual(point);
    expect(fields.sized()).toEqual(Buffer.concat([seed, point]));
    expect(fields.sized()).toHaveLength(0);
    const padding = fields.rest();
    expect([...padding]).toEqual(Array.from(padding, (_, index) => index + 1));
    expect(padding.length).toBeLessThan(8);
  });

  it("is the one of RFC 8032 for its seed", () => {
    const seed = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
    const point = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
    const { publicKey } = makeKeypair((length) => Buffer.from(seed, "hex").subarray(0, length));
    expect(
      Buffer.from(publicKey.split(" ")[1] ?? "", "base64")
        .subarray(-32)
        .toString("hex"),
    ).toBe(point);
  });

  it("is the same for the same bytes, and another one for others", () => {
    expect(makeKeypair(counting())).toEqual(makeKeypair(counting()));
    expect(makeKeypair(randomBytes).publicKey).not.toBe(makeKeypair(randomBytes).publicKey);
  });

  it.runIf(hasSshKeygen)("is read by ssh-keygen, which finds the same public key and fingerprint", () => {
    for (let round = 0; round < 5; round++) {
      const made = makeKeypair(randomBytes);
      const [publicKey, fingerprint] = withKeyFile(made, (file) => [
        sshKeygen("-y", "-P", "", "-f", file),
        sshKeygen("-l", "-f", file),
      ]);
      expect(publicKey).toMatchObject({ status: 0, stdout: `${made.publicKey}\n` });
      const blob = Buffer.from(made.publicKey.split(" ")[1] ?? "", "base64");
      const digest = createHash("sha256").update(blob).digest("base64").replace(/=+$/, "");
      expect(fingerprint?.stdout).toContain(`256 SHA256:${digest} `);
    }
  });

  it.runIf(hasSshKeygen)("signs with ssh-keygen what ssh-keygen verifies", () => {
    const [signed, checked] = withKeyFile(makeKeypair(randomBytes), (file, folder) => {
      const message = join(folder, "message");
      writeFileSync(message, "hello");
      const signature = `${message}.sig`;
      return [
        sshKeygen("-Y", "sign", "-n", "keelson", "-f", file, message),
        spawnSync(program, ["-Y", "check-novalidate", "-n", "keelson", "-s", signature], {
          input: "hello",
        }),
      ];
    });
    expect([signed?.status, checked?.status]).toEqual([0, 0]);
  });
});
