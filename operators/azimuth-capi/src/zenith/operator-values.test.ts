import { describe, expect, it } from "vitest";
import { enabledZenith, settings } from "../settings.ts";
import { NotYamlError } from "../yaml-text.ts";
import { CloudCredentialsError, zenithOperatorValues } from "./operator-values.ts";

const clouds = (auth: string): string => `
clouds:
  openstack:
    auth_type: v3applicationcredential
    auth:
      auth_url: https://cloud.example.com:5000
      application_credential_secret: hunter2
${auth}`;
const project = clouds("      project_id: 0123456789abcdef0123456789abcdef\n");

function valuesOf(cloudsYaml: string, zenith: object = {}): unknown {
  const chosen = enabledZenith(
    settings.parse({
      zenith: { registrarAdminUrl: "http://registrar:8000", sshdHost: "sshd.example.com", ...zenith },
    }),
  );
  if (chosen === undefined) throw new Error("Zenith is off");
  return zenithOperatorValues({ zenith: chosen, cluster: "demo", cloudsYaml });
}

describe("G.3: the values of the Zenith operator", () => {
  it("L12: have the kubeconfig, the registrar and the project, under the names of all versions", () => {
    const params = { "tenancy-id": "0123456789abcdef0123456789abcdef" };
    expect(valuesOf(project)).toEqual({
      kubeconfigSecret: { name: "demo-kubeconfig", key: "value" },
      config: {
        ...{ registrarAdminUrl: "http://registrar:8000/", sshdHost: "sshd.example.com", sshdPort: 22 },
        ...{ defaultExternalAuthParams: params, defaultAuthParams: params },
      },
    });
  });

  it("have the defaults of the settings", () => {
    const operatorDefaults = { image: { tag: "1" }, config: { sshdPort: 1, debug: true } };
    expect(valuesOf(project, { sshdPort: 2222, operatorDefaults })).toMatchObject({
      image: { tag: "1" },
      config: { sshdPort: 2222, debug: true },
    });
  });

  it.each(["12345678901234567890123456789012", "4e10", "0x12", "true", "1234567890123456789012345678e123"])(
    "have the project as it is written, also if it looks like a number: %s",
    (id) => {
      expect(valuesOf(clouds(`      project_id: ${id}\n`))).toMatchObject({
        config: { defaultExternalAuthParams: { "tenancy-id": id } },
      });
    },
  );

  it("read credentials in JSON", () => {
    const text = JSON.stringify({ clouds: { openstack: { auth: { project_id: "abc" } } } });
    expect(valuesOf(text)).toMatchObject({ config: { defaultExternalAuthParams: { "tenancy-id": "abc" } } });
  });

  it.each([
    ["without a project", clouds("")],
    ["with an empty project", clouds("      project_id: ''\n")],
    ["with a project that is no text", clouds("      project_id: [a]\n")],
    ["of another cloud", "clouds: { other: { auth: { project_id: abc } } }"],
    ["that are a text", "hunter2"],
    ["that are empty", ""],
  ])("cannot be made of credentials %s, which are not quoted", (_, text) => {
    expect(() => valuesOf(text)).toThrow(CloudCredentialsError);
    expect(() => valuesOf(text)).not.toThrow(/hunter2/);
  });

  it("cannot be made of what is no YAML", () => {
    const broken = (): unknown => valuesOf("clouds: [hunter2");
    expect(broken).toThrow(NotYamlError);
    expect(broken).not.toThrow(/hunter2/);
  });
});
