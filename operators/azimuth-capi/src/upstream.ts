import { posix } from "node:path";
import type { ReplacedKey, ReplacedProgram } from "keelson/manager";

const keys: readonly ReplacedKey[] = [
  { key: "webhook.port", setting: "webhookPort" },
  { key: "webhook.certfile", setting: "webhookCertDir", value: (written) => folderOf(written, "tls.crt") },
  { key: "webhook.keyfile", setting: "webhookCertDir", value: (written) => folderOf(written, "tls.key") },
  {
    key: "webhook.host",
    because: "--webhook-service or --webhook-url names how the API server reaches the webhooks",
  },
  {
    key: "webhook.managed",
    because: "--webhook-service or --webhook-url lets the operator maintain the webhook configurations",
    // As in the chart of the original, where cert-manager does it.
    default: "false",
  },
  { key: "watchTimeout", because: "a watch that has ended or hangs is always renewed" },
  {
    key: "zenith.registrarAdminUrlInternal",
    because: "the registrar is reached by zenith.registrarAdminUrl, as by the original",
  },
  { key: "logging", because: "logs are configured by --log-level and --log-format" },
];

/** The file, the variables and the ports of the original. It installs its kinds itself. */
export const upstream: ReplacedProgram = {
  name: "azimuth-cloud/azimuth-capi-operator",
  aliases: [],
  defaults: { installCrds: "true", webhookPort: "8443", healthPort: "8000" },
  configuration: {
    fileVariable: "AZIMUTH_CAPI_CONFIG",
    defaultFile: "/etc/azimuth/capi-operator.yaml",
    variablePrefix: "AZIMUTH_CAPI",
    keys,
  },
};

/** The folder of a file, which has to have this name. */
function folderOf(path: unknown, name: string): string {
  if (typeof path !== "string" || posix.basename(path) !== name)
    throw new Error(`must be the path of a file called ${name}; mount it by that name`);
  return posix.dirname(path);
}
