import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ImageReference, isPinned, parseImageReference } from "./image-reference.ts";

function formatImageReference({
  registry: host,
  repository: path,
  tag,
  digest: hash,
}: ImageReference): string {
  const place = host === undefined ? path : `${host}/${path}`;
  return place + (tag === undefined ? "" : `:${tag}`) + (hash === undefined ? "" : `@${hash}`);
}

const label = fc.stringMatching(/^[a-zA-Z0-9]([a-zA-Z0-9-]{0,8}[a-zA-Z0-9])?$/);
const port = fc.integer({ min: 1, max: 65_535 }).map((number) => `:${number}`);
const domain = fc.tuple(label, label).map((labels) => labels.join("."));
const registry = fc
  .tuple(fc.oneof(domain, fc.constant("localhost"), fc.constant("[::1]")), fc.option(port, { nil: "" }))
  .map(([host, suffix]) => host + suffix);
const part = fc.stringMatching(/^[a-z0-9]{1,6}((\.|_|__|-{1,3})[a-z0-9]{1,6}){0,2}$/);
const repository = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
const digest = fc
  .constantFrom(["sha256", 64] as const, ["sha384", 96] as const, ["sha512", 128] as const)
  .chain(([algorithm, size]) =>
    fc.stringMatching(new RegExp(`^[a-f0-9]{${size}}$`)).map((hex) => `${algorithm}:${hex}`),
  );

const reference: fc.Arbitrary<ImageReference> = fc
  .record({
    registry: fc.option(registry, { nil: undefined }),
    repository,
    tag: fc.option(fc.stringMatching(/^[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,20}$/), { nil: undefined }),
    digest: fc.option(digest, { nil: undefined }),
  })
  // `localhost/web` without a registry would be read as one with it.
  .filter((made) => made.registry !== undefined || !made.repository.startsWith("localhost/"))
  .filter((made) => made.registry !== undefined || !/^[^/]*\..*\//.test(made.repository));

describe("an image reference", () => {
  it("is parsed into the parts that it was made of", () => {
    fc.assert(
      fc.property(reference, (made) => {
        expect(parseImageReference(formatImageReference(made))).toEqual(made);
      }),
      { numRuns: 200 },
    );
  });

  it("can be formatted again from its parts, or is invalid", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."aZ1./:@_-[]sha256") }), (text) => {
        const parsed = parseImageReference(text);
        if (parsed !== undefined) expect(formatImageReference(parsed)).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  it("is pinned by a digest, and by a tag that is not latest", () => {
    fc.assert(
      fc.property(reference, (made) => {
        const hasTag = made.tag !== undefined && made.tag !== "latest";
        expect(isPinned(made)).toBe(made.digest !== undefined || hasTag);
      }),
    );
  });
});
