// A program that starts a process under a guardian, prints a line, and waits to be killed; with a second argument it
// returns instead.
import { spawnGuarded } from "../../src/process/guarded-process.ts";
import { Guardian } from "../../src/process/guardian.ts";

const [folder = "", thenReturn] = process.argv.slice(2);
const guardian = new Guardian(folder);
const { child } = spawnGuarded(guardian, "sh", ["-c", `sleep 1000 & wait # ${folder}`], { stdio: "ignore" });
child.unref();
process.stdout.write("started\n");
if (thenReturn === undefined) setInterval(() => undefined, 60_000);
