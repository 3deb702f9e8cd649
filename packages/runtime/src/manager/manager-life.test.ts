import { describe, expect, it } from "vitest";
import { ManagerReusedError, ManagerStartedError, ManagerStoppedError } from "./errors.ts";
import { ManagerLife } from "./manager-life.ts";

describe("the life of a manager", () => {
  it("begins once", () => {
    const life = new ManagerLife();
    life.start();
    expect(life.state).toBe("starting");
    expect(() => life.start()).toThrow(ManagerReusedError);
  });

  it("only goes on, and may leave steps out", () => {
    const life = new ManagerLife();
    life.start();
    expect(life.moveTo("running")).toBe(true);
    expect(life.moveTo("starting")).toBe(false);
    expect(life.moveTo("stopping")).toBe(true);
    expect(life.moveTo("stopping")).toBe(false);
    expect(life.moveTo("stopped")).toBe(true);
  });

  it("[MG6] does not come to lead once it stops", () => {
    const life = new ManagerLife();
    life.start();
    life.moveTo("stopping");
    expect(life.moveTo("leading")).toBe(false);
    expect(life.state).toBe("stopping");
  });

  it("[MG5] [MG8] allows some things until the start, and others until the stop", () => {
    const life = new ManagerLife();
    life.demandNew("add a check");
    life.start();
    expect(() => life.demandNew("add a check")).toThrow(ManagerStartedError);
    life.moveTo("leading");
    life.demandNotOver("add it");
    life.moveTo("stopping");
    expect(() => life.demandNotOver("add it")).toThrow(ManagerStoppedError);
  });
});
