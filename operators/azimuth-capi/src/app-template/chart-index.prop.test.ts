import fc from "fast-check";
import { expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { chartLabelAnnotation } from "../api/names.ts";
import { chartBlock, versionsIn } from "./chart-index.ts";

const line = fc.string({ unit: fc.constantFrom(..."ab1 :-#'\"{}[]|>&*!%@`,?\\é"), maxLength: 12 });
const text = fc.oneof(
  line,
  fc.array(line, { maxLength: 4 }).map((lines) => lines.join("\n")),
);
const optional = fc.option(text, { nil: undefined });
const version = fc.record({
  annotations: fc.option(fc.dictionary(fc.constantFrom(chartLabelAnnotation, "version", "- x"), text), {
    nil: undefined,
  }),
  description: optional,
  dependencies: fc.option(
    fc.array(fc.record({ name: text, version: fc.constant("9.9.9") }), { maxLength: 2 }),
    {
      nil: undefined,
    },
  ),
  icon: optional,
  name: fc.constantFrom("app", "app-two"),
  version: fc.constantFrom("1.0.0", "2.0.0-rc.1+b", "v3.0.0", "latest"),
});
const entries = fc.dictionary(
  fc.constantFrom("app", "app-two", "two", "entries"),
  fc.array(version, { maxLength: 3 }),
);
const layout = fc.record({
  indent: fc.constantFrom(2, 4),
  indentSeq: fc.boolean(),
  sortMapEntries: fc.boolean(),
  lineWidth: fc.constantFrom(0, 20),
});

const orUndefined = (value: string | undefined): string | undefined => (value === "" ? undefined : value);

it("C.10: an index is read as if all of it were parsed, however it is laid out", () => {
  fc.assert(
    fc.property(entries, layout, (all, options) => {
      const index = stringify({ apiVersion: "v1", entries: all, generated: "now" }, options);
      const parsed: { readonly entries: typeof all } = parse(index, { version: "1.1" });
      for (const chart of ["app", "app-two", "two", "missing"]) {
        const block = chartBlock(index, chart);
        const read = versionsIn(block ?? "[]").map((each) => ({ version: each.version, ...each.display() }));
        const expected = (parsed.entries[chart] ?? []).map((each) => ({
          version: each.version,
          label: orUndefined(each.annotations?.[chartLabelAnnotation]) ?? each.name,
          logo: orUndefined(each.icon),
          description: orUndefined(each.description),
        }));
        expect(read).toEqual(expected);
      }
    }),
    { numRuns: 100 },
  );
});
