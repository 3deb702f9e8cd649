import { type Client, waitFor } from "@keelson/client";
import { keyOf } from "@keelson/core";
import { Namespace, ServiceAccount } from "keelson/kinds/core/v1";

const accountTimeoutMs = 30_000;

/** Makes a namespace whose name is the server's choice, and gives it when pods can be made there. Needs controllers. */
export async function createNamespace(client: Client): Promise<string> {
  const { name } = keyOf(await client.create(Namespace, { metadata: { generateName: "test-" } }));
  const account = { namespace: name, name: "default" };
  await waitFor(client, ServiceAccount, account, () => true, { timeoutMs: accountTimeoutMs });
  return name;
}
