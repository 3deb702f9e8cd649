import type { Draft } from "@keelson/core";
import type { DownwardAPIVolumeFile, Volume, VolumeProjection } from "@keelson/core/kinds/core/v1";
import type { Given } from "../given.ts";
import { setClaimSpecDefaults } from "../storage/claim-defaults.ts";
import { isEmpty } from "./container-defaults.ts";
import { defaultPullPolicy } from "./image-pull-policy.ts";

/** 0644 */
const defaultMode = 0o644;
const tokenSeconds = 3600;

/** A volume without a source is an empty directory. */
export function setVolumeDefaults(volume: Draft<Given<Volume>>): void {
  if (Object.keys(volume).every((field) => field === "name")) volume.emptyDir = {};
  if (volume.configMap !== undefined) volume.configMap.defaultMode ??= defaultMode;
  if (volume.secret !== undefined) volume.secret.defaultMode ??= defaultMode;
  if (volume.hostPath !== undefined) volume.hostPath.type ??= "";
  if (volume.downwardAPI !== undefined) {
    volume.downwardAPI.defaultMode ??= defaultMode;
    setFileDefaults(volume.downwardAPI.items);
  }
  if (volume.projected !== undefined) {
    volume.projected.defaultMode ??= defaultMode;
    for (const source of volume.projected.sources ?? []) setProjectionDefaults(source);
  }
  if (volume.image !== undefined && isEmpty(volume.image.pullPolicy)) {
    volume.image.pullPolicy = defaultPullPolicy(volume.image.reference ?? "");
  }
  const claim = volume.ephemeral?.volumeClaimTemplate;
  if (claim !== undefined) {
    claim.metadata ??= {};
    claim.spec ??= {};
    setClaimSpecDefaults(claim.spec);
  }
  setRareVolumeDefaults(volume);
}

function setRareVolumeDefaults(volume: Draft<Given<Volume>>): void {
  if (volume.iscsi !== undefined && isEmpty(volume.iscsi.iscsiInterface)) {
    volume.iscsi.iscsiInterface = "default";
  }
  if (volume.rbd !== undefined) {
    if (isEmpty(volume.rbd.pool)) volume.rbd.pool = "rbd";
    if (isEmpty(volume.rbd.user)) volume.rbd.user = "admin";
    if (isEmpty(volume.rbd.keyring)) volume.rbd.keyring = "/etc/ceph/keyring";
  }
}

function setProjectionDefaults(source: Draft<Given<VolumeProjection>>): void {
  if (source.serviceAccountToken !== undefined) {
    source.serviceAccountToken.expirationSeconds ??= tokenSeconds;
  }
  setFileDefaults(source.downwardAPI?.items);
}

function setFileDefaults(files: Draft<Given<DownwardAPIVolumeFile>>[] | undefined): void {
  for (const file of files ?? []) {
    if (file.fieldRef !== undefined && isEmpty(file.fieldRef.apiVersion)) file.fieldRef.apiVersion = "v1";
    if (file.resourceFieldRef !== undefined) file.resourceFieldRef.divisor ??= "0";
  }
}
