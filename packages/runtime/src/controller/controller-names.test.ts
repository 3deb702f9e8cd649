import { expect, it } from "vitest";
import { controllerWorld } from "../../test/support/controller-world.ts";
import { ControllerNames } from "./controller-names.ts";
import { DuplicateControllerNameError } from "./errors.ts";

const reconcile = () => undefined;

it("[CT15] refuses a second controller of a name, until the first has ended", async () => {
  const environment = { names: new ControllerNames() };
  const first = controllerWorld({ reconcile, environment });
  expect(() => controllerWorld({ reconcile, environment })).toThrow(DuplicateControllerNameError);
  await first.start();
  await first.stop();
  controllerWorld({ reconcile, environment });
});

it("[CT15] releases the name when a warm-up ended without a run", async () => {
  const environment = { names: new ControllerNames() };
  const { controller } = controllerWorld({ reconcile, environment });
  const signals = new AbortController();
  await controller.warmUp(signals.signal);
  signals.abort();
  await controller.ended();
  controllerWorld({ reconcile, environment });
});

it("[CT15] lets those share a name who want to", async () => {
  const environment = { names: new ControllerNames() };
  const one = controllerWorld({ reconcile, environment });
  const other = controllerWorld({ reconcile, environment, allowSharedName: true });
  await other.start();
  await other.stop();
  expect(
    () => controllerWorld({ reconcile, environment }),
    "the end of one who shares frees nothing",
  ).toThrow();
  await one.start();
  await one.stop();
});
