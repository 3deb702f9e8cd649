// Loaded into every worker, once for each file: ends it when the process that started it has ended. Left to itself a
// worker would first finish its current test, with the control plane that belongs to it.
function endWithRunner(): void {
  process.exit(1);
}

const isWatched = process.listeners("disconnect").some(({ name }) => name === endWithRunner.name);
if (!isWatched) process.once("disconnect", endWithRunner);
