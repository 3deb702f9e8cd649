import { errorCode, type Listen, listenHttp } from "keelson";
import type { RunConfig } from "../config/run-config.ts";
import { PortError } from "./errors.ts";

/** Opens ports; of one that cannot be had it says by which flag another is chosen. */
export function listenByFlags(config: RunConfig): Listen {
  const flags: ReadonlyMap<number, string> = new Map([
    [config.webhookPort, "--webhook-port"],
    [config.healthPort, "--health-port"],
    [config.metricsPort, "--metrics-port"],
  ]);
  return async (options, service) => {
    try {
      return await listenHttp(options, service);
    } catch (error) {
      const flag = flags.get(options.port);
      if (flag === undefined || errorCode(error) === undefined) throw error;
      throw new PortError({ port: options.port, flag }, { cause: error });
    }
  };
}
