// A program that has nothing to wait for but kubectl.
import { startControlPlane } from "../../src/index.ts";

const controlPlane = await startControlPlane();
process.stdout.write(await controlPlane.kubectl(["get", "namespaces", "-o", "name"]));
await controlPlane.stop();
