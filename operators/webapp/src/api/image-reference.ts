/** The parts of an image reference: `ghcr.io/acme/shop:1.2@sha256:…`. */
export interface ImageReference {
  /** Host and port; undefined if the container runtime chooses the registry. */
  readonly registry: string | undefined;
  readonly repository: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

const hostLabel = "[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?";
const host = `(?:${hostLabel}(?:\\.${hostLabel})*|\\[[a-fA-F0-9:]+\\])`;
const registryPattern = `${host}(?::[0-9]+)?`;
const pathPart = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const repositoryPattern = `${pathPart}(?:/${pathPart})*`;
const tagPattern = "[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,127}";
const digestPattern = "(?:sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128})";

/** The form of a reference in RE2's syntax, for CEL. */
export const imageReferencePattern: string = `^(?:${registryPattern}/)?${repositoryPattern}(?::${tagPattern})?(?:@${digestPattern})?$`;

/** Matches the end of a reference that has a tag and no digest, for CEL. The port of a registry is followed by a slash. */
export const taggedPattern: string = `:${tagPattern}$`;

const whole = new RegExp(imageReferencePattern);

/** Parses an image reference; undefined if the text is not one. */
export function parseImageReference(text: string): ImageReference | undefined {
  if (!whole.test(text)) return undefined;
  const [named = "", digest] = splitOnce(text, text.indexOf("@"));
  const lastSlash = named.lastIndexOf("/");
  const colon = named.indexOf(":", lastSlash + 1);
  const [path = "", tag] = splitOnce(named, colon);
  const [registry, repository] = splitRegistry(path);
  return { registry, repository, tag, digest };
}

/** Whether a reference names one version of an image: it has a digest, or a tag other than `latest`. */
export function isPinned({ tag, digest }: ImageReference): boolean {
  return digest !== undefined || (tag !== undefined && tag !== "latest");
}

/** The first part is a registry only if it is `localhost` or cannot be part of the name of a repository. */
function splitRegistry(path: string): readonly [string | undefined, string] {
  const [first = "", rest] = splitOnce(path, path.indexOf("/"));
  if (rest === undefined || !(first === "localhost" || /[.:A-Z[]/.test(first))) return [undefined, path];
  return [first, rest];
}

function splitOnce(text: string, at: number): readonly [string, string?] {
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
