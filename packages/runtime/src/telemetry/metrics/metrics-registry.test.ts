import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseExposition } from "../../../test/support/exposition.ts";
import { CounterDecreaseError, DuplicateMetricError, InvalidMetricError } from "./errors.ts";
import { MetricsRegistry } from "./metrics-registry.ts";
import { boundText } from "./series.ts";

describe("a registry", () => {
  it("escapes any value of a label and any help", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'"\\\n{}=, aé\r') }),
        fc.string({ minLength: 1 }),
        (value, help) => {
          const registry = new MetricsRegistry();
          registry
            .counter({ name: "made_total", help: `x${help}`, labels: ["what"] })
            .with(value)
            .add(2);
          const [sample] = parseExposition(registry.render()).get("made_total")?.samples ?? [];
          expect(sample).toEqual({ name: "made_total", labels: { what: value }, value: 2 });
        },
      ),
    );
  });

  it("counts each value in every bucket that it is not above", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true, min: -1, max: 100 })), (values) => {
        const registry = new MetricsRegistry();
        const bounds = [0, 0.5, 1, 10];
        const series = registry.histogram({ name: "h", help: "h", buckets: bounds }).with();
        for (const value of values) series.observe(value);
        const samples = parseExposition(registry.render()).get("h")?.samples ?? [];
        const buckets = samples.slice(0, bounds.length).map(({ value }) => value);
        expect(buckets).toEqual(bounds.map((bound) => values.filter((value) => value <= bound).length));
        expect(samples.at(-1)?.value).toBe(values.length);
      }),
    );
  });

  it("returns the same series for the same labels, and leaves out metrics without series", () => {
    const registry = new MetricsRegistry();
    const gauge = registry.gauge({ name: "depth", help: "depth", labels: ["a", "b"] });
    expect(registry.render()).toBe("");
    gauge.with("x", "y").set(1);
    gauge.with("x", "y").add(0.5);
    gauge.with("y", "x").set(Number.POSITIVE_INFINITY);
    expect(registry.render()).toBe(
      '# HELP depth depth\n# TYPE depth gauge\ndepth{a="x",b="y"} 1.5\ndepth{a="y",b="x"} +Inf\n',
    );
  });

  it("refuses names that are taken or not allowed, and buckets that do not ascend", () => {
    const registry = new MetricsRegistry();
    registry.gauge({ name: "depth", help: "depth" });
    expect(() => registry.counter({ name: "depth", help: "depth" })).toThrow(DuplicateMetricError);
    const refused = [
      () => registry.gauge({ name: "a-b", help: "" }),
      () => registry.gauge({ name: "a", help: "", labels: ["__name"] }),
      () => registry.histogram({ name: "h", help: "", labels: ["le"], buckets: [1] }),
      () => registry.histogram({ name: "h", help: "", buckets: [1, 1] }),
      () => registry.histogram({ name: "h", help: "", buckets: [1, Number.POSITIVE_INFINITY] }),
      () => registry.histogram({ name: "h", help: "", buckets: [Number.NaN] }),
      () => registry.counter({ name: "c", help: "", labels: ["a", "a"] }),
    ];
    for (const register of refused) expect(register).toThrow(InvalidMetricError);
  });

  it("refuses a name under which a histogram has samples, whichever comes first", () => {
    const registry = new MetricsRegistry();
    registry.histogram({ name: "h", help: "h", buckets: [1] });
    expect(() => registry.counter({ name: "h_count", help: "" })).toThrow(DuplicateMetricError);
    registry.gauge({ name: "g_sum", help: "g" });
    expect(() => registry.histogram({ name: "g", help: "g", buckets: [1] })).toThrow(DuplicateMetricError);
  });

  it("ignores NaN, and refuses to decrease a counter", () => {
    const registry = new MetricsRegistry();
    const histogram = registry.histogram({ name: "h", help: "h", buckets: [1] }).with();
    histogram.observe(Number.NaN);
    histogram.observe(0.5);
    const counter = registry.counter({ name: "c_total", help: "c" }).with();
    counter.add(5);
    for (const amount of [-7, Number.NaN]) expect(() => counter.add(amount)).toThrow(CounterDecreaseError);
    const text = registry.render();
    expect(text).toContain("h_sum 0.5\nh_count 1\n");
    expect(text).toContain("c_total 5\n");
  });

  it("leaves out a metric that cannot be collected, and reports it once, until it works again", () => {
    const broken: string[] = [];
    const onBroken = (metric: string, { message }: Error): void => void broken.push(`${metric}: ${message}`);
    const registry = new MetricsRegistry({ onBroken });
    let isBroken = true;
    registry.collected("gauge", { name: "mine", help: "h" }, () => {
      if (isBroken) throw new Error("no disk");
      return [{ labels: [], value: 1 }];
    });
    registry.gauge({ name: "other", help: "h" }).with().set(2);
    for (let scrapes = 0; scrapes < 3; scrapes++)
      expect(registry.render()).toBe("# HELP other h\n# TYPE other gauge\nother 2\n");
    expect(broken).toEqual(["mine: no disk"]);
    isBroken = false;
    expect(registry.render()).toContain("mine 1\n");
    isBroken = true;
    registry.render();
    expect(broken).toHaveLength(2);
  });
});

it.each([
  [1e-8, "1e-08"],
  [1e-5, "1e-05"],
  [1e-4, "0.0001"],
  [0.005, "0.005"],
  [2.5, "2.5"],
  [0, "0"],
  [1000, "1000"],
  [Number.POSITIVE_INFINITY, "+Inf"],
])("the bound %d is written %s, as Go writes it", (bound, text) => {
  expect(boundText(bound)).toBe(text);
});
