import { expect, it } from "vitest";
import { checkCanisterId, checkHost, checkRootKey } from "./canister-address.ts";
import { InvalidCanisterSettingError } from "./setting-error.ts";

it.each(["https://icp-api.io", "http://127.0.0.1:4943", "https://proxy.shop/ic/"])(
  "accepts host %s",
  (host) => {
    expect(checkHost(host)).toBe(new URL(host).href);
  },
);

it.each([
  "",
  "icp-api.io",
  "127.0.0.1:4943",
  "ftp://icp-api.io",
  "https://me:pw@icp-api.io",
  "https://icp-api.io/?a=1",
])("refuses host %j and says what to write", (host) => {
  expect(() => checkHost(host)).toThrow(InvalidCanisterSettingError);
  expect(() => checkHost(host)).toThrow("write one such as https://icp-api.io");
  expect(() => checkHost(host)).not.toThrow("pw");
});

it.each(["rrkah-fqaaa-aaaaa-aaaaq-cai", "ryjl3-tyaaa-aaaaa-aaaba-cai", "uqqxf-5h777-77774-qaaaa-cai"])(
  "accepts canister %s",
  (id) => {
    expect(checkCanisterId(id)).toBe(id);
  },
);

it.each([
  ["nothing", ""],
  ["other text", "my canister"],
  ["a typing mistake", "rrkah-fqaaa-aaaaa-aaaar-cai"],
  ["other groups", "rrkahfqaaa-aaaaa-aaaaq-cai"],
  ["capital letters", "RRKAH-FQAAA-AAAAA-AAAAQ-CAI"],
  ["the management canister", "aaaaa-aa"],
  ["the anonymous user", "2vxsx-fae"],
])("refuses %s for a canister and says what to write", (_, id) => {
  expect(() => checkCanisterId(id)).toThrow(InvalidCanisterSettingError);
  expect(() => checkCanisterId(id)).toThrow("write one such as rrkah-fqaaa-aaaaa-aaaaq-cai");
});

it("refuses bytes that are no root key and says what to write", () => {
  expect(() => checkRootKey(new Uint8Array(133))).toThrow(InvalidCanisterSettingError);
  expect(() => checkRootKey(new Uint8Array(96))).toThrow(
    "write root_key of /api/v2/status of a host that you trust",
  );
});
