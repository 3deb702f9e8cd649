import { createHash, createHmac, pbkdf2Sync } from "node:crypto";

/** The iterations that PostgreSQL uses by default. */
const defaultIterations = 4096;

/** How many bytes of salt PostgreSQL uses. */
export const saltLength = 16;

/**
 * What PostgreSQL stores of a password for SCRAM-SHA-256 (RFC 5802 and 7677), as `psql` computes it for `\password`. A
 * statement that sets a password is written to logs of the server, and shown to its administrators; with this text
 * no login is possible. The password must be of ASCII characters, as others would have to be normalized first.
 */
export function scramVerifier(
  password: string,
  salt: Uint8Array,
  iterations: number = defaultIterations,
): string {
  const salted = pbkdf2Sync(password, salt, iterations, 32, "sha256");
  const storedKey = createHash("sha256").update(keyOf(salted, "Client Key")).digest("base64");
  const serverKey = keyOf(salted, "Server Key").toString("base64");
  return `SCRAM-SHA-256$${iterations}:${Buffer.from(salt).toString("base64")}$${storedKey}:${serverKey}`;
}

function keyOf(salted: Buffer, name: string): Buffer {
  return createHmac("sha256", salted).update(name).digest();
}
