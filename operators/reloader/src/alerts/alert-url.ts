import type { ObjectKey } from "keelson";
import { isPublicAddress } from "keelson/low-level";
import type { ReloaderSettings } from "../settings.ts";

/** Where the URL of a channel is from: written out, or the value of a key in a Secret. */
export type UrlSource =
  | { readonly type: "value"; readonly url: string }
  | { readonly type: "secret"; readonly secret: SecretKey }
  /** It cannot be used, for this reason. */
  | { readonly type: "invalid"; readonly problem: string };

/** A value in a Secret. */
interface SecretKey {
  readonly namespace: string;
  readonly name: string;
  readonly key: string;
}

/** Which URLs of alerts are called. */
export interface AlertUrlPolicy {
  /** Whether also `http:` is. */
  readonly allowHttp: boolean;
  /** Whether hosts with private, loopback, link-local and similar addresses are. */
  readonly allowPrivateAddresses: boolean;
}

/** For URLs of the administrator, who decides what the operator may call. */
export const anyUrl: AlertUrlPolicy = { allowHttp: true, allowPrivateAddresses: true };

/** For URLs of ReloaderConfigs, whose authors may not be administrators. */
export function configUrls(
  settings: Pick<ReloaderSettings, "allowHttpAlerts" | "allowPrivateAlertAddresses">,
): AlertUrlPolicy {
  return {
    allowHttp: settings.allowHttpAlerts,
    allowPrivateAddresses: settings.allowPrivateAlertAddresses,
  };
}

/** Reads the data of one Secret, in base64 as the API server returns it; undefined if the Secret does not exist. */
export type ReadSecret = (
  key: ObjectKey,
  signal: AbortSignal,
) => Promise<Readonly<Record<string, string>> | undefined>;

/**
 * What is wrong with the URL of an alert, and what to write instead; undefined if nothing is. The text does not contain
 * the URL. What a name of a host resolves to is checked when the alert is sent.
 */
export function alertUrlProblem(
  text: string,
  { allowHttp, allowPrivateAddresses }: AlertUrlPolicy,
): string | undefined {
  const url = URL.parse(text.trim());
  if (url === null) return "it is not a URL; write one such as https://hooks.example.com/path";
  if (url.protocol === "http:" && !allowHttp)
    return "it is an http URL; write an https URL, or allow http by --allow-http-alerts";
  if (url.protocol !== "https:" && url.protocol !== "http:")
    return "it is neither an https nor an http URL; write an https URL";
  if (url.username !== "" || url.password !== "")
    return "it contains credentials, which are not sent; write it without them";
  if (!allowPrivateAddresses && isAddress(url) && !isPublicAddress(addressOf(url)))
    return privateAddressProblem;
  return undefined;
}

/** For an address in the URL, and for one that the name of its host resolves to. */
export const privateAddressProblem =
  "its host has a private, loopback, link-local or otherwise not public address; use a public one, or allow these by --allow-private-alert-addresses";

/** The URL parser has brought addresses, in whatever form they were written, into their usual one. */
function isAddress({ hostname }: URL): boolean {
  return hostname.startsWith("[") || /^\d+\.\d+\.\d+\.\d+$/.test(hostname);
}

function addressOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}

/** A URL, or why there is none. */
export type ResolvedUrl =
  | { readonly url: string; readonly problem?: never }
  | { readonly url?: never; readonly problem: string };

/** Reads the URL of a channel and checks it. A problem names the Secret and the key, and never the URL. */
export async function resolveUrl(
  source: UrlSource,
  policy: AlertUrlPolicy,
  readSecret: ReadSecret,
  signal: AbortSignal,
): Promise<ResolvedUrl> {
  switch (source.type) {
    case "invalid":
      return { problem: source.problem };
    case "value":
      return checked(source.url, "its url cannot be used", policy);
    case "secret": {
      const { namespace, name, key } = source.secret;
      const data = await readSecret({ namespace, name }, signal);
      if (data === undefined)
        return { problem: `Secret ${name} does not exist; create it with the URL under the key ${key}` };
      const value = data[key];
      if (value === undefined)
        return { problem: `Secret ${name} has no key ${key}; store the URL under that key` };
      return checked(
        Buffer.from(value, "base64").toString(),
        `the URL in key ${key} of Secret ${name} cannot be used`,
        policy,
      );
    }
  }
}

function checked(text: string, what: string, policy: AlertUrlPolicy): ResolvedUrl {
  const problem = alertUrlProblem(text, policy);
  return problem === undefined ? { url: text.trim() } : { problem: `${what}: ${problem}` };
}
