import { expect, it } from "vitest";
import * as entry from "./index.ts";

it("exports exactly what users may rely on", () => {
  expect(Object.keys(entry).sort()).toMatchInlineSnapshot(`
    [
      "ApiRequestError",
      "BinariesUnavailableError",
      "CertificateAuthority",
      "ComponentExitedError",
      "ComponentNotReadyError",
      "ControlPlaneError",
      "ControlPlaneStoppedError",
      "GrantNotInForceError",
      "InvalidBinaryError",
      "KubectlError",
      "NoFreePortError",
      "ProgressLine",
      "UnknownComponentError",
      "binariesFolder",
      "findBinaries",
      "openKubectl",
      "startControlPlane",
    ]
  `);
});
