import type { Client } from "@keelson/client";
import { SelfSubjectReview } from "@keelson/core/kinds/authentication/v1";

/** The name of everybody whom the API server does not know; what is granted to it is granted to all. */
const anonymous = "system:anonymous";

/**
 * Whom the API server takes this client for, such as `system:serviceaccount:shop:operator`; undefined if it does not say,
 * or knows nobody. Throws only the signal's reason.
 */
export async function currentUser(client: Client, signal?: AbortSignal): Promise<string | undefined> {
  try {
    const options = signal === undefined ? {} : { signal };
    const { status } = await client.create(SelfSubjectReview, { metadata: {} }, options);
    const { username } = status?.userInfo ?? {};
    return username === anonymous ? undefined : username;
  } catch {
    signal?.throwIfAborted();
    // Servers before 1.28 do not have it. Whoever asks can do without the answer.
    return undefined;
  }
}
