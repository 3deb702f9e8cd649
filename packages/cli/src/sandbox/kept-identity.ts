import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CertificateAuthority } from "@keelson/controlplane";
import { UnreadableDataError } from "./errors.ts";
import { replaceFile } from "./folder-journal.ts";

/** By what clients know a control plane, and it knows them. */
export interface ClusterIdentity {
  readonly authority: CertificateAuthority;
  /** Signs the tokens of ServiceAccounts. */
  readonly tokenSecret: Uint8Array;
}

const certificateFile = "authority.crt";
const keyFile = "authority.key";
const tokenFile = "token.key";

export async function newIdentity(): Promise<ClusterIdentity> {
  return { authority: await CertificateAuthority.create("keelson-sandbox"), tokenSecret: randomBytes(32) };
}

/**
 * The identity that is kept in a folder, so that kubeconfigs and tokens of a former run hold; a new one if the folder has no
 * data yet. Throws an UnreadableDataError, or what reading or writing a file throws.
 */
export async function keptIdentity(
  folder: string,
  { isNew }: { readonly isNew: boolean },
): Promise<ClusterIdentity> {
  const path = (file: string): string => join(folder, file);
  const missing = [certificateFile, keyFile, tokenFile].find((file) => !existsSync(path(file)));
  if (missing !== undefined && !isNew) throw new UnreadableDataError(path(missing), "it is missing");
  if (missing === undefined) {
    const certificate = readFileSync(path(certificateFile), "utf8");
    const key = readFileSync(path(keyFile), "utf8");
    const tokenSecret = readFileSync(path(tokenFile));
    const authority = await CertificateAuthority.restore({ certificate, key }).catch((cause: unknown) => {
      const place = `${path(certificateFile)} and ${keyFile}`;
      throw new UnreadableDataError(place, "they are not a certificate and its key", { cause });
    });
    return { authority, tokenSecret };
  }
  const identity = await newIdentity();
  const { certificate, key } = identity.authority.pair;
  replaceFile(path(certificateFile), [certificate]);
  replaceFile(path(keyFile), [key]);
  replaceFile(path(tokenFile), identity.tokenSecret);
  return identity;
}
