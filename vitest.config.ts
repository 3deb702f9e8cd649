import { defineConfig } from "vitest/config";

/** Packages resolve to each other's sources, so that a test never runs against a stale build. */
const conditions = ["@keelson/source"];

/** A busy machine takes its time; a condition that holds is seen at once however long it might have taken. */
const patient = { testTimeout: 60_000, hookTimeout: 60_000, expect: { poll: { timeout: 30_000 } } };

export default defineConfig({
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    setupFiles: ["scripts/test/end-with-runner.ts"],
    // Operators show warnings, which tests with faults cause on purpose.
    silent: "passed-only",
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["{packages,operators}/*/src/**/*.test.ts", "scripts/**/*.test.ts"],
          // Our modules hold no global state; running files side by side in one process also proves it.
          isolate: false,
          ...patient,
        },
      },
      {
        extends: true,
        test: {
          name: "embedded",
          include: ["{packages,operators}/*/test/{embedded,server}/**/*.test.ts"],
          env: { KEELSON_LEVEL: "embedded" },
          sequence: { groupOrder: 1 },
          ...patient,
        },
      },
      {
        extends: true,
        test: {
          name: "conformance",
          maxConcurrency: 10,
          include: ["packages/*/test/conformance/**/*.test.ts"],
          sequence: { groupOrder: 2 },
          maxWorkers: 2,
          ...patient,
        },
      },
      {
        extends: true,
        test: {
          name: "cluster",
          include: ["{packages,operators}/*/test/{cluster,server}/**/*.test.ts"],
          env: { KEELSON_LEVEL: "cluster" },
          // Fast levels first; two control planes at a time are what a small machine bears.
          sequence: { groupOrder: 3 },
          maxWorkers: 2,
          ...patient,
        },
      },
    ],
  },
});
