import { type Platform, platformName } from "./platform.ts";

/** One Kubernetes version and where it is published. The go module in `go/` builds the same version. */
export interface Release {
  readonly kubernetes: `v${string}`;
  /** Archives of etcd, kube-apiserver and kubectl, published for tests by the controller-tools project. */
  readonly envtestUrl: string;
  /** SHA-512 of each archive, from the project's own index. */
  readonly envtestSha512: Readonly<Record<string, string>>;
  /** The Kubernetes release site; it has each server program with its SHA-512, for Linux only. */
  readonly programsUrl: string;
}

export const pinnedRelease: Release = {
  kubernetes: "v1.36.2",
  envtestUrl: "https://github.com/kubernetes-sigs/controller-tools/releases/download",
  envtestSha512: {
    "darwin/amd64":
      "b4fe9f973cd1992e3880f8b230ed32c0c243b83371591e3e3315f4404df2cdbef8ee94eeb9bb245b7e5feb987d5c4a76c43e0877654ab73f00d7bbc2b9984514",
    "darwin/arm64":
      "9278f9e5af556b2f1f2d139769c1f0d717c7b4426917fdebdba898bcb725a916e4910d6160886194ff9be9589ea7c5c32c2b8ae0754703874b7c8ba8ddfc41ce",
    "linux/amd64":
      "ea743186c8a799f5cf8faf16969f86189d003cb7d130e0ac4b58789f1e5748dcf30ebe91c837a10d5ac415383da3e10b9e64d65785c938c23e739781cfb76f08",
    "linux/arm64":
      "2d72ee985a8e262a3c57dc9f7f0fd891f6a8c7bf7ebaa2db6dc6d8eac8ae28181afe51c1f368b67756cdb40b10de9b205609e1726e5f27f7c6d824dd9c6649ac",
  },
  programsUrl: "https://dl.k8s.io/release",
};

/** The cache folder of a release; two releases or two platforms never share one. */
export function releaseFolderName(release: Release, platform: Platform): string {
  return `kubernetes-${release.kubernetes}-${platformName(platform).replace("/", "-")}`;
}
