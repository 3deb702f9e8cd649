import { expect, it } from "vitest";
import { networkProblem } from "./network-problem.ts";

const refused = (address: string): Error =>
  Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED", address, port: 8443 });

it("reports refused connections as the real server does", () => {
  expect(networkProblem(refused("127.0.0.1"))).toBe("dial tcp 127.0.0.1:8443: connect: connection refused");
});

it("reports the first address of a name with several", () => {
  const error = new AggregateError([refused("::1"), refused("127.0.0.1")]);
  expect(networkProblem(error)).toBe("dial tcp [::1]:8443: connect: connection refused");
});

it("reports unknown names and certificates", () => {
  const unknown = Object.assign(new Error("getaddrinfo"), { code: "ENOTFOUND", hostname: "hook.example" });
  expect(networkProblem(unknown)).toBe("dial tcp: lookup hook.example: no such host");
  const signed = Object.assign(new Error("self-signed"), { code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
  expect(networkProblem(signed)).toBe(
    "tls: failed to verify certificate: x509: certificate signed by unknown authority",
  );
});

it("leaves other errors as they are", () => {
  expect(networkProblem(new Error("no way out"))).toBe("no way out");
});
