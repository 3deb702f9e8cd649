// The check for dead code: `npm run dead-code`. It runs twice: over everything, where an export must have an importer,
// and over what is published, where code that only tests use counts as dead.

/** Files of a package, and with `!` what is published of it. */
const project = ["src/**/*.ts!", "!src/**/*.test.ts!", "test/**/*.ts"];
const tests = ["src/**/*.test.ts", "test/**/*.test.ts"];

export default ({ production = false }: { readonly production?: boolean }): object => ({
  // A function that its own file uses, and that a test calls directly, is not dead.
  ignoreExportsUsedInFile: production,
  // What only the tests of another package use.
  tags: ["-testOnly"],
  // Two names of one value may have two meanings.
  exclude: ["duplicates"],
  // Made from the sources, and not there in a fresh checkout.
  ignore: ["**/dist/**"],
  treatConfigHintsAsErrors: true,
  workspaces: {
    ".": {
      entry: [
        "scripts/**/*.test.ts",
        "scripts/{conformance,test}/run.ts",
        "bench/*.ts",
        "bench/sync/{client-node,keelson}.ts",
        "examples/*.ts",
      ],
      project: ["scripts/**/*.{ts,mjs}", "bench/**/*.ts", "examples/**/*.ts"],
    },
    "packages/*": { entry: tests, project },
    // Operators and modules that a started `keelson` loads by their path.
    "packages/cli": {
      entry: [
        ...tests,
        "src/main.ts!",
        "test/support/*-operator.ts",
        "test/support/{failing-module,harbour-neighbours}.ts",
      ],
      project,
    },
    // Programs that tests start in processes of their own.
    "packages/controlplane": {
      entry: [...tests, "test/support/{find-then-wait,guarded-owner,kubectl-then-end,start-then-wait}.ts"],
      project,
    },
    "packages/conformance": { entry: ["test/**/*.test.ts"], project },
    // Node finds the program of a thread by its file name.
    "packages/runtime": { entry: [...tests, "src/leader/renew-worker.ts!"], project },
    "operators/*": { entry: tests, project },
    // What the samples need around them is loaded by its path.
    "operators/azimuth-capi": {
      entry: [...tests, "testing/sample-neighbours.ts"],
      project: [...project, "testing/**/*.ts"],
    },
    // The program of a sidecar.
    "operators/shared-secret": { entry: [...tests, "src/main.ts!"], project },
  },
});
