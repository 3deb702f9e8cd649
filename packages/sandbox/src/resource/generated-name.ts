import type { Random } from "@keelson/core";

/** No vowels, so that no words come out, and no characters that look alike. */
const alphabet = "bcdfghjklmnpqrstvwxz2456789";
const suffixLength = 5;
/** So that the whole name is a DNS label. */
const longestPrefix = 63 - suffixLength;

/** A name made of a prefix, such as `metadata.generateName`, and five random characters. */
export function generatedName(prefix: string, random: Random): string {
  let name = prefix.slice(0, longestPrefix);
  for (let count = 0; count < suffixLength; count++) {
    name += alphabet.charAt(Math.floor(random.next() * alphabet.length));
  }
  return name;
}
