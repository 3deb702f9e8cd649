// A program that looks for the binaries with the environment it was given; its owner kills it half-way.
import { findBinaries } from "../../src/binaries/find-binaries.ts";
import { unreachableRelease } from "./releases.ts";

await findBinaries({
  release: unreachableRelease,
  onProgress: (message) => process.stdout.write(`${message}\n`),
});
