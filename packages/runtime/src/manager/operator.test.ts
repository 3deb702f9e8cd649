import { describe, expect, it } from "vitest";
import { managerWorld } from "../../test/support/manager/manager-world.ts";
import { InvalidManagerError } from "./errors.ts";
import { defineOperator } from "./operator.ts";

describe("an operator", () => {
  it("adds to a manager what it consists of, and declares what it uses", async () => {
    const world = managerWorld();
    const uses = [{ verb: "patch", group: "apps", resource: "deployments" }];
    const declared: unknown[] = [];
    world.manager.declareUses = (...args) => void declared.push(args);
    const operator = defineOperator({
      name: "webapp",
      uses,
      setup: (manager) => manager.add(world.runnable("web")),
    });
    expect(operator.resources).toEqual([]);
    await operator.setup(world.manager);
    await world.start();
    expect(declared).toEqual([["operator webapp", uses]]);
    expect(world.history).toContain("start web");
    await world.stop();
    await world.running;
  });

  it("has a name that manifests can carry", () => {
    expect(() => defineOperator({ name: "Web App", setup: () => undefined })).toThrow(InvalidManagerError);
  });
});
