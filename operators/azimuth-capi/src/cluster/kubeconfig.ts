import type { Stored } from "keelson";
import { Secret } from "keelson/kinds/core/v1";
import { userKubeconfig } from "../kubeconfig/user-kubeconfig.ts";
import { adoptOrphan } from "./adopt-orphan.ts";
import { adopterOf, oidcClientName } from "./identity.ts";
import type { ClusterContext, ClusterParts } from "./parts.ts";

const key = "value";

/** The text of the kubeconfig in a Secret of Cluster API. */
export function kubeconfigText(secret: Stored<Secret> | undefined): string | undefined {
  const data = secret?.data?.[key];
  return data === undefined ? undefined : Buffer.from(data, "base64").toString();
}

/**
 * The name of the Secret whose kubeconfig users get. With OIDC it is one of its own, which has nothing but the addresses of
 * the cluster and a login; undefined as long as there is none.
 */
export async function ensureUserKubeconfig(
  context: ClusterContext,
  parts: ClusterParts,
  admin: Stored<Secret> | undefined,
): Promise<string | undefined> {
  const text = kubeconfigText(admin);
  if (admin === undefined || text === undefined) return undefined;
  if (!parts.settings.identity.oidcEnabled) return admin.metadata.name;
  const client = await context.find(
    parts.kinds.OidcClient,
    oidcClientName(parts, context.object.metadata.name),
  );
  const { issuerUrl, clientId } = client?.status ?? {};
  if (!issuerUrl || !clientId) return undefined;
  const name = `${admin.metadata.name}-user`;
  await adoptOrphan(context, adopterOf(parts), Secret, name);
  await context.apply(Secret, {
    metadata: { name, labels: { ...admin.metadata.labels } },
    stringData: { [key]: userKubeconfig(text, { issuerUrl, clientId }) },
  });
  return name;
}
