import { describe, expect, it } from "vitest";
import { enabledZenith, settings } from "./settings.ts";

/** The problems of some settings, each with the path of what it is about. */
function problemsOf(chosen: object): readonly string[] {
  const { error } = settings.safeParse(chosen);
  return (error?.issues ?? []).map(({ path, message }) => `${path.join(".")}: ${message}`);
}

describe("the settings", () => {
  it("H.1: have the defaults of the original", () => {
    expect(settings.parse({})).toEqual({
      apiGroup: "azimuth.stackhpc.com",
      crdCategories: ["azimuth"],
      annotationPrefix: "azimuth.stackhpc.com",
      timerInterval: 60,
      clusterTimeoutSeconds: 1800,
      easykubeFieldManager: "azimuth-capi-operator",
      helmClient: {
        defaultTimeout: 3_600_000,
        executable: "helm",
        historyMaxRevisions: 10,
        insecureSkipTlsVerify: false,
      },
      capiHelm: {
        chartName: "/charts/openstack-cluster",
        defaultValues: {},
        flavorSpecificNodeGroupOverrides: {},
      },
      clusterApi: { version: "v1beta1", infrastructureVersion: "v1beta1" },
      zenith: {
        sshdPort: 22,
        apiserverChartName: "/charts/zenith-apiserver",
        operatorChartName: "/charts/zenith-operator",
        apiserverDefaults: {},
        operatorDefaults: {},
        monitoringIconUrl:
          "https://raw.githubusercontent.com/cncf/artwork/master/projects/prometheus/icon/color/prometheus-icon-color.png",
        apiVersion: "zenith.stackhpc.com/v1alpha1",
      },
      identity: {
        oidcEnabled: false,
        apiVersion: "identity.azimuth.stackhpc.com/v1alpha1",
        clusterOidcClientIdTemplate: "kube-{cluster_name}",
        clusterPlatformNameTemplate: "kube-{cluster_name}",
        appPlatformNameTemplate: "kubeapp-{app_name}",
      },
    });
  });

  it("H.1: have roles that are complete as soon as they are named", () => {
    const { identity } = settings.parse({
      identity: { defaultUserNamespaceRole: {}, defaultUserClusterRole: { rules: [{ verbs: ["get"] }] } },
    });
    expect(identity).toMatchObject({
      defaultUserNamespaceRole: { name: "oidc:default-users-namespaced", namespaces: [], rules: [] },
      defaultUserClusterRole: {
        name: "oidc:default-users-cluster",
        rules: [{ apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [], verbs: ["get"] }],
      },
    });
  });

  it.each([
    ["https://charts.example.com", "https://charts.example.com/"],
    ["http://Registrar:80/admin?x=1", "http://registrar/admin?x=1"],
    ["https://charts.example.com/stable", "https://charts.example.com/stable"],
  ])("H.1: normalise the URL %s", (url, expected) => {
    const { capiHelm, zenith } = settings.parse({
      capiHelm: { chartRepository: url },
      zenith: { chartRepository: url, registrarAdminUrl: url, sshdHost: "sshd", monitoringIconUrl: url },
    });
    expect([capiHelm.chartRepository, zenith.chartRepository]).toEqual([expected, expected]);
    expect([zenith.registrarAdminUrl, zenith.monitoringIconUrl]).toEqual([expected, expected]);
  });

  it.each([
    [90, 90_000],
    ["90", 90_000],
    ["5m", 300_000],
    ["1h30m", 5_400_000],
  ])("H.1: read the timeout %j as seconds or as a duration", (given, expected) => {
    expect(settings.parse({ helmClient: { defaultTimeout: given } }).helmClient.defaultTimeout).toBe(
      expected,
    );
  });

  it.each(["1.2.3", "v1.2.3", "0.27.0-dev.0.main.5+build.1"])(
    "H.1: take the version %s of a chart",
    (version) => {
      expect(settings.parse({ capiHelm: { chartVersion: version } }).capiHelm.chartVersion).toBe(version);
    },
  );

  it("H.1: let rules name the core group, which the original cannot", () => {
    const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
    const { identity } = settings.parse({ identity: { defaultUserClusterRole: { rules } } });
    expect(identity.defaultUserClusterRole?.rules[0]?.apiGroups).toEqual([""]);
  });

  it.each<readonly [object, string]>([
    [{ apiGroup: "" }, "apiGroup: write a domain"],
    [{ apiGroup: "Azimuth" }, "apiGroup: write a domain"],
    [{ annotationPrefix: "a/b" }, "annotationPrefix: write a domain"],
    [{ crdCategories: [""] }, "crdCategories.0: write names"],
    [{ timerInterval: 0 }, "timerInterval: Too small"],
    [{ clusterTimeoutSeconds: -1 }, "clusterTimeoutSeconds: Too small"],
    [{ easykubeFieldManager: "" }, "easykubeFieldManager: Too small"],
    [{ helmClient: { defaultTimeout: "soon" } }, "helmClient.defaultTimeout: write seconds"],
    [{ helmClient: { defaultTimeout: 0 } }, "helmClient.defaultTimeout: write seconds"],
    [{ helmClient: { executable: "" } }, "helmClient.executable: Too small"],
    [{ helmClient: { historyMaxRevisions: -1 } }, "helmClient.historyMaxRevisions: Too small"],
    [{ capiHelm: { chartName: "" } }, "capiHelm.chartName: Too small"],
    [{ capiHelm: { chartRepository: "charts" } }, "capiHelm.chartRepository: write a URL"],
    [{ capiHelm: { chartRepository: "oci://charts/x" } }, "capiHelm.chartRepository: write a URL"],
    [{ capiHelm: { chartVersion: "1.2" } }, "capiHelm.chartVersion: write a version"],
    [{ capiHelm: { defaultValues: [] } }, "capiHelm.defaultValues: Invalid input"],
    [{ clusterApi: { version: "1" } }, "clusterApi.version: write a version"],
    [{ zenith: { chartVersion: "newest" } }, "zenith.chartVersion: write a version"],
    [{ zenith: { sshdPort: 0 } }, "zenith.sshdPort: Too small"],
    [{ zenith: { sshdPort: 65_536 } }, "zenith.sshdPort: Too big"],
    [{ zenith: { apiVersion: "v1alpha1" } }, "zenith.apiVersion: write a group and a version"],
    [{ identity: { apiVersion: "v1alpha1" } }, "identity.apiVersion: write a group and a version"],
    [
      { identity: { clusterPlatformNameTemplate: "kube" } },
      "identity.clusterPlatformNameTemplate: write a name that contains {cluster_name}",
    ],
    [
      { identity: { appPlatformNameTemplate: "{app_name}-{cluster}" } },
      "identity.appPlatformNameTemplate: write a name that contains {app_name}",
    ],
    [
      { identity: { defaultUserClusterRole: { rules: [{ verbs: [""] }] } } },
      "identity.defaultUserClusterRole.rules.0.verbs.0: Too small",
    ],
    [
      { identity: { defaultUserClusterRole: { rules: [{ resource: ["pods"] }] } } },
      'identity.defaultUserClusterRole.rules.0: Unrecognized key: "resource"',
    ],
  ])("H.1: refuse %j", (chosen, start) => {
    const [problem, ...rest] = problemsOf(chosen);
    expect(problem?.slice(0, start.length)).toBe(start);
    expect(rest).toEqual([]);
  });
});

describe("Zenith", () => {
  it("H.1: is switched on by its registrar and its SSH server", () => {
    const chosen = { zenith: { registrarAdminUrl: "http://registrar", sshdHost: "sshd" } };
    expect(enabledZenith(settings.parse(chosen))).toMatchObject({
      registrarAdminUrl: "http://registrar/",
      sshdHost: "sshd",
      sshdPort: 22,
    });
    expect(enabledZenith(settings.parse({}))).toBeUndefined();
  });

  it.each([
    [{ registrarAdminUrl: "http://registrar" }, "zenith.sshdHost"],
    [{ sshdHost: "sshd" }, "zenith.registrarAdminUrl"],
  ])("H.1: is refused with one of both alone: %j", (zenith, missing) => {
    expect(problemsOf({ zenith })).toEqual([
      `${missing}: registrarAdminUrl and sshdHost belong together; set both, or neither`,
    ]);
  });
});
