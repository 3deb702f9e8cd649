import type { ObjectContext } from "keelson";
import { secretReader } from "../alerts/alert-runnable.ts";
import { type AlertUrlPolicy, resolveUrl } from "../alerts/alert-url.ts";
import type { ReloaderConfig } from "../api/reloader-config.ts";
import type { ReloaderParts } from "../workload/parts.ts";
import { channelsOf } from "./spec-problems.ts";

/** What was wrong with a value of a Secret when its content had this hash. */
interface Checked {
  readonly hash: string;
  readonly problem: string | undefined;
}

type Context = Pick<ObjectContext<ReloaderConfig>, "object" | "client" | "liveClient" | "signal">;

/**
 * Finds alert channels whose Secret has no usable URL. A Secret is read once for each content that it has; the content is not
 * kept.
 */
export class AlertChecks {
  readonly urls: AlertUrlPolicy;
  readonly #parts: Pick<ReloaderParts, "reader">;
  readonly #checked: Map<string, Checked> = new Map();

  constructor(parts: Pick<ReloaderParts, "reader">, urls: AlertUrlPolicy) {
    this.#parts = parts;
    this.urls = urls;
  }

  /** Each names the channel, and none contains a URL. */
  async problemsOf(context: Context): Promise<readonly string[]> {
    const { namespace } = context.object.metadata;
    const problems: string[] = [];
    for (const [channel, { secretRef }] of channelsOf(context.object.spec.alerts)) {
      const isOwn = secretRef?.namespace === undefined || secretRef.namespace === namespace;
      if (secretRef === undefined || !isOwn) continue;
      const problem = await this.#check({ namespace, name: secretRef.name, key: secretRef.key }, context);
      if (problem !== undefined) problems.push(`spec.alerts.${channel}: ${problem}`);
    }
    return problems;
  }

  async #check(
    secret: { readonly namespace: string; readonly name: string; readonly key: string },
    { client, liveClient, signal }: Context,
  ): Promise<string | undefined> {
    const { namespace, name, key } = secret;
    const id = `${namespace}/${name}/${key}`;
    const cached = await this.#parts.reader(client).get({ kind: "Secret", namespace, name });
    const known = this.#checked.get(id);
    if (cached !== undefined && cached.hash === known?.hash) return known.problem;
    const source = { type: "secret", secret } as const;
    const { problem } = await resolveUrl(source, this.urls, secretReader(liveClient), signal);
    if (cached === undefined) this.#checked.delete(id);
    else this.#checked.set(id, { hash: cached.hash, problem });
    return problem;
  }
}
