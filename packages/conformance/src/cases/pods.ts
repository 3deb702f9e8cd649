import { type CaseGroup, conforms, creations } from "../conformance-case.ts";
import { container, type Fields, manifest, pod } from "./manifests.ts";

const withContainer = (fields: Fields): Fields => pod("a", { containers: [{ ...container, ...fields }] });
const withVolume = (volume: Fields, mount: Fields = {}): Fields =>
  pod("a", {
    volumes: [volume],
    containers: [{ ...container, volumeMounts: [{ name: "v", mountPath: "/v", ...mount }] }],
  });
const probe = (fields: Fields): Fields => withContainer({ livenessProbe: fields });

export const podCases: CaseGroup = {
  title: "validation of pods",
  cases: [
    ...creations([
      ["a pod has containers", "pods", manifest("v1", "Pod", "a", { spec: {} })],
      ["a pod without a spec has nothing", "pods", manifest("v1", "Pod", "a")],
      ["containers have names", "pods", withContainer({ name: "" })],
      ["containers have names of DNS labels", "pods", withContainer({ name: "Main_1" })],
      ["containers have different names", "pods", pod("a", { containers: [container, container] })],
      [
        "init containers and containers have different names",
        "pods",
        pod("a", { initContainers: [container] }),
      ],
      ["containers have images", "pods", withContainer({ image: "" })],
      ["an image has no blanks around it", "pods", withContainer({ image: " web:1 " })],
      [
        "an image is pulled by one of three policies",
        "pods",
        withContainer({ imagePullPolicy: "Sometimes" }),
      ],
      ["the restart policy is one of three", "pods", pod("a", { restartPolicy: "Maybe" })],
      ["a DNS policy of None needs a configuration", "pods", pod("a", { dnsPolicy: "None" })],
      [
        "a port is a number of a port",
        "pods",
        withContainer({ ports: [{ containerPort: 0 }, { containerPort: 65_536 }] }),
      ],
      [
        "a port has a name of a port",
        "pods",
        withContainer({ ports: [{ containerPort: 80, name: "this-is-too-long-a-name" }] }),
      ],
      [
        "ports have different names",
        "pods",
        withContainer({
          ports: [
            { containerPort: 80, name: "a" },
            { containerPort: 81, name: "a" },
          ],
        }),
      ],
      ["a port has a protocol", "pods", withContainer({ ports: [{ containerPort: 80, protocol: "HTTP" }] })],
      ["a variable has a name", "pods", withContainer({ env: [{ value: "x" }] })],
      ["a variable's name has no equals sign", "pods", withContainer({ env: [{ name: "A=B", value: "x" }] })],
      [
        "a variable has one source",
        "pods",
        withContainer({
          env: [{ name: "A", value: "x", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
        }),
      ],
      [
        "a variable has a source that exists",
        "pods",
        withContainer({ env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "spec.nothing" } } }] }),
      ],
      ["a variable from nowhere", "pods", withContainer({ env: [{ name: "A", valueFrom: {} }] })],
      [
        "a request is no larger than its limit",
        "pods",
        withContainer({ resources: { requests: { cpu: "2" }, limits: { cpu: "1" } } }),
      ],
      ["a request is not negative", "pods", withContainer({ resources: { requests: { memory: "-1" } } })],
      ["a request is a quantity", "pods", withContainer({ resources: { requests: { memory: "lots" } } })],
      ["a resource has a name", "pods", withContainer({ resources: { requests: { disk: "1" } } })],
      [
        "a resource beyond the known ones is whole",
        "pods",
        withContainer({ resources: { limits: { "example.com/gpu": "500m" } } }),
      ],
      ["a mount has a volume", "pods", withContainer({ volumeMounts: [{ name: "none", mountPath: "/v" }] })],
      [
        "mounts have different paths",
        "pods",
        withContainer({
          volumeMounts: [
            { name: "v", mountPath: "/v" },
            { name: "v", mountPath: "/v" },
          ],
        }),
      ],
      [
        "a mount's path below the volume does not go up",
        "pods",
        withVolume({ name: "v", emptyDir: {} }, { subPath: "../up" }),
      ],
      ["a volume has one source", "pods", withVolume({ name: "v", emptyDir: {}, hostPath: { path: "/" } })],
      ["a volume of a Secret has a name", "pods", withVolume({ name: "v", secret: {} })],
      [
        "a volume's mode is a mode",
        "pods",
        withVolume({ name: "v", configMap: { name: "c", defaultMode: 4096 } }),
      ],
      ["volumes have different names", "pods", pod("a", { volumes: [{ name: "v" }, { name: "v" }] })],
      ["a probe has one way to look", "pods", probe({})],
      ["a probe looks in one way", "pods", probe({ exec: { command: ["a"] }, tcpSocket: { port: 1 } })],
      [
        "a probe's numbers are positive",
        "pods",
        probe({ tcpSocket: { port: 1 }, periodSeconds: -1, failureThreshold: -1 }),
      ],
      ["a liveness probe needs one success", "pods", probe({ tcpSocket: { port: 1 }, successThreshold: 2 })],
      ["a probe's port is a port", "pods", probe({ httpGet: { port: 0 } })],
      [
        "a toleration has an effect that exists",
        "pods",
        pod("a", { tolerations: [{ key: "a", effect: "Never" }] }),
      ],
      [
        "a toleration that exists has no value",
        "pods",
        pod("a", { tolerations: [{ key: "a", operator: "Exists", value: "x" }] }),
      ],
      ["a node selector has labels", "pods", pod("a", { nodeSelector: { "a b": "c" } })],
      [
        "an affinity has terms",
        "pods",
        pod("a", {
          affinity: {
            nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } },
          },
        }),
      ],
      ["a priority class exists", "pods", pod("a", { priorityClassName: "never-made" })],
      ["a priority is that of the class", "pods", pod("a", { priority: 7 })],
      ["a service account exists", "pods", pod("a", { serviceAccountName: "never-made" })],
      ["a deadline is positive", "pods", pod("a", { activeDeadlineSeconds: 0 })],
      [
        "a grace period that is negative is a second",
        "pods",
        pod("a", { terminationGracePeriodSeconds: -5 }),
      ],
      ["a host name is a DNS label", "pods", pod("a", { hostname: "a.b" })],
      ["an overhead needs its class", "pods", pod("a", { runtimeClassName: "never-made" })],
      ["a user is not negative", "pods", withContainer({ securityContext: { runAsUser: -1 } })],
      [
        "a privileged container may escalate",
        "pods",
        withContainer({ securityContext: { privileged: true, allowPrivilegeEscalation: false } }),
      ],
      ["ephemeral containers are not created", "pods", pod("a", { ephemeralContainers: [container] })],
      [
        "all mistakes are reported together",
        "pods",
        pod("a", { restartPolicy: "X", containers: [{ name: "A", imagePullPolicy: "Y" }] }),
      ],
      [
        "a spread has a skew",
        "pods",
        pod("a", { topologySpreadConstraints: [{ maxSkew: 0, topologyKey: "", whenUnsatisfiable: "X" }] }),
      ],
    ]),
    conforms("a pod's spec does not change, but for a few fields", async (stage) => {
      await stage.prepare(stage.path("pods"), pod("a"));
      const path = stage.path("pods/a");
      await stage.strategicPatch(path, { spec: { containers: [{ name: "main", command: ["x"] }] } });
      await stage.strategicPatch(path, { spec: { restartPolicy: "Never" } });
      await stage.strategicPatch(path, { spec: { containers: [{ name: "more", image: "x" }] } });
      await stage.strategicPatch(path, { spec: { activeDeadlineSeconds: 60 } });
      await stage.strategicPatch(path, { spec: { activeDeadlineSeconds: 90 } });
      await stage.strategicPatch(path, { spec: { tolerations: [{ key: "x", operator: "Exists" }] } });
      await stage.strategicPatch(path, { spec: { nodeName: "somewhere" } });
    }),
  ],
};
