import { crc32 } from "node:zlib";
import { cutText } from "keelson/low-level";
import { InvalidCanisterSettingError } from "./setting-error.ts";

/** The text of a host that speaks the protocol of the Internet Computer, if it is one. */
export function checkHost(host: string): string {
  const url = URL.parse(host);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:"))
    throw new InvalidCanisterSettingError(
      "host",
      `use host ${quoted(host)}: it is no URL; write one such as https://icp-api.io`,
    );
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw new InvalidCanisterSettingError(
      "host",
      "use the host of the canister: its URL has a user, a query or a fragment; write one such as https://icp-api.io",
    );
  return url.href;
}

/** The id of a canister, if it is one; a typing mistake is found by its checksum. */
export function checkCanisterId(canisterId: string): string {
  if (idBytes(canisterId)?.at(-1) !== canisterClass)
    throw new InvalidCanisterSettingError(
      "canisterId",
      `use canister ${quoted(canisterId)}: it is not the id of a canister; write one such as rrkah-fqaaa-aaaaa-aaaaq-cai`,
    );
  return canisterId;
}

/** The public key of a network, if it is one. */
export function checkRootKey(rootKey: Uint8Array): Uint8Array {
  const bytes = Buffer.from(rootKey);
  if (bytes.length !== rootKeyHeader.length + 96 || bytes.indexOf(rootKeyHeader) !== 0)
    throw new InvalidCanisterSettingError(
      "rootKey",
      `use a root key of ${bytes.length} bytes: it is no BLS public key in DER, which has ${rootKeyHeader.length + 96}; \
write root_key of /api/v2/status of a host that you trust, or nothing for the main network`,
    );
  return rootKey;
}

/** Says that a BLS12-381 public key in G2 follows, as the interface specification of the Internet Computer writes it. */
const rootKeyHeader = Buffer.from(
  "308182301d060d2b0601040182dc7c0503010201060c2b0601040182dc7c05030201036100",
  "hex",
);

/** Ids of canisters end with this byte, those of users with others. */
const canisterClass = 1;

const letters = "abcdefghijklmnopqrstuvwxyz234567";

/** The bytes that an id stands for: base32 in groups, of a checksum of 4 bytes and the id. Undefined if it is none. */
function idBytes(text: string): Buffer | undefined {
  if (!/^([a-z2-7]{5}-)+[a-z2-7]{1,5}$/.test(text)) return undefined;
  const bytes: number[] = [];
  let held = 0;
  let bits = 0;
  for (const letter of text.replaceAll("-", "")) {
    held = (held << 5) | letters.indexOf(letter);
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push(held >>> bits);
    held &= (1 << bits) - 1;
  }
  const whole = Buffer.from(bytes);
  const id = whole.subarray(4);
  const isIntact = held === 0 && id.length > 0 && id.length <= 29 && whole.readUInt32BE() === crc32(id);
  return isIntact ? id : undefined;
}

function quoted(text: string): string {
  return JSON.stringify(cutText(text, 100));
}
