import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { changedFields } from "../../source/changed-paths.ts";
import { parseFieldPath, valueAt } from "./field-path.ts";

describe("a path", () => {
  it("is taken apart into fields, places and elements by name", () => {
    const path = 'spec.my-list[name=web].env["a.b/c"][2][port=80][type="8.0]"]';
    expect(parseFieldPath(path)).toEqual([
      { type: "field", name: "spec" },
      { type: "field", name: "my-list" },
      { type: "element", name: "name", value: "web" },
      { type: "field", name: "env" },
      { type: "field", name: "a.b/c" },
      { type: "place", place: 2 },
      { type: "element", name: "port", value: "80" },
      { type: "element", name: "type", value: "8.0]" },
    ]);
  });

  it("leads to what is there, and nowhere where nothing is", () => {
    const object = { spec: { containers: [{ name: "web", ports: [80, 81] }], constructor: 1 } };
    const at = (path: string): unknown => valueAt(object, parseFieldPath(path));
    expect(at("spec.containers[name=web].ports[1]")).toBe(81);
    expect(at("spec.containers[name=db].ports[1]")).toBeUndefined();
    expect(at("spec.containers.ports")).toBeUndefined();
    expect([at("spec.constructor"), at("constructor")]).toEqual([1, undefined]);
  });

  it("of any change leads to the value before and the value after", () => {
    const name = fc.oneof(fc.constantFrom("web", "8080", "a]b", 'a"b', "x\\", "é ü"), fc.string());
    const element = fc.record({ name, image: fc.constantFrom("a", "b") });
    const list = fc.uniqueArray(element, { selector: (item) => item.name, maxLength: 4 });
    const objects = fc.record({
      spec: fc.dictionary(
        fc.oneof(name, fc.constantFrom("a.b/c", "constructor")),
        fc.integer({ max: 1, min: 0 }),
      ),
      list,
      places: fc.array(fc.integer({ max: 1, min: 0 }), { maxLength: 3 }),
    });
    fc.assert(
      fc.property(objects, objects, (old, now) => {
        for (const { path, before, after } of changedFields(old, now)) {
          const steps = parseFieldPath(path);
          expect([path, valueAt(old, steps), valueAt(now, steps)]).toEqual([path, before, after]);
        }
      }),
    );
  });
});
