// Loaded into every worker: ends it when the process that started it is gone. Left to itself a worker would first
// finish its current test, with the control plane that belongs to it.
process.once("disconnect", () => process.exit(1));
