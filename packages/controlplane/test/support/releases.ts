import { pinnedRelease, type Release } from "../../src/binaries/release.ts";

/** A release whose download sites refuse every connection. */
export const unreachableRelease: Release = {
  ...pinnedRelease,
  envtestUrl: "http://127.0.0.1:65500/envtest",
  programsUrl: "http://127.0.0.1:65500/programs",
};
