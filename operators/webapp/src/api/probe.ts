import { intOrString, rule, z } from "keelson";

const port = z.int32().min(1).max(65_535);

/** A probe whose failure restarts the container. */
export function restartingProbe() {
  return rule(probe(), {
    rule: "!has(self.successThreshold) || self.successThreshold == 1",
    message: "successThreshold must be 1, except for a readinessProbe",
  });
}

/** A probe whose failure keeps traffic away from the container. */
export function readinessProbe() {
  return rule(probe(), {
    rule: "!has(self.terminationGracePeriodSeconds)",
    message:
      "a readinessProbe has no terminationGracePeriodSeconds, because it does not restart the container",
  });
}

/** A probe of the container. The port of an HTTP or TCP probe may be named: the app's own is `http`. */
function probe() {
  const handlers = {
    exec: z.object({ command: z.array(z.string()).min(1) }).exactOptional(),
    grpc: z.object({ port, service: z.string().exactOptional() }).exactOptional(),
    httpGet: z
      .object({
        host: z.string().exactOptional(),
        httpHeaders: z.array(z.object({ name: z.string(), value: z.string() })).exactOptional(),
        path: z.string().exactOptional(),
        port: intOrString(),
        scheme: z.enum(["HTTP", "HTTPS"]).exactOptional(),
      })
      .exactOptional(),
    tcpSocket: z.object({ host: z.string().exactOptional(), port: intOrString() }).exactOptional(),
  };
  const timings = {
    failureThreshold: z.int32().min(1).exactOptional(),
    initialDelaySeconds: z.int32().min(0).exactOptional(),
    periodSeconds: z.int32().min(1).exactOptional(),
    successThreshold: z.int32().min(1).exactOptional(),
    terminationGracePeriodSeconds: z.int().min(1).exactOptional(),
    timeoutSeconds: z.int32().min(1).exactOptional(),
  };
  return rule(z.object({ ...handlers, ...timings }), {
    rule: "[has(self.exec), has(self.grpc), has(self.httpGet), has(self.tcpSocket)].exists_one(is, is)",
    message: "a probe has exactly one of exec, grpc, httpGet and tcpSocket",
  });
}
