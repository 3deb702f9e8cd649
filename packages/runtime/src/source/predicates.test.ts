import type { KubeObject, ObjectMeta, Stored } from "@keelson/core";
import { InvalidLabelSelectorError } from "@keelson/core";
import { describe, expect, expectTypeOf, it } from "vitest";
import { stored } from "../../test/support/stored.ts";
import {
  allOf,
  annotationsChanged,
  anyOf,
  deletionStarted,
  finalizersChanged,
  generationChanged,
  inNamespaces,
  labelsChanged,
  matchesSelector,
  named,
  not,
  type Predicate,
  passesAll,
  predicateOf,
  resourceVersionChanged,
} from "./predicates.ts";
import type { SourceEvent } from "./source-event.ts";

interface Widget extends KubeObject {
  readonly spec: { readonly size: number };
}

const key = { namespace: "shop", name: "web" };

function widget(metadata: ObjectMeta = {}, size = 1): Stored<Widget> {
  return stored({
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { ...key, uid: "1", ...metadata },
    spec: { size },
  });
}

const create = (object: Stored<Widget>): SourceEvent<Widget> => ({
  type: "create",
  key,
  object,
  isInInitialList: false,
});
const update = (old: Stored<Widget>, object: Stored<Widget>): SourceEvent<Widget> => ({
  type: "update",
  key,
  old,
  object,
  isSync: false,
});
const remove = (object: Stored<Widget>): SourceEvent<Widget> => ({
  type: "delete",
  key,
  object,
  finalStateUnknown: false,
});
const generic = (object: Stored<Widget>): SourceEvent<Widget> => ({ type: "generic", object });

const passes = (predicate: Predicate<Widget>, event: SourceEvent<Widget>): boolean =>
  passesAll([predicate], event);

/** The results for a create, an update without a change, a delete and a generic event of that object. */
const results = (predicate: Predicate<Widget>, object: Stored<Widget>): readonly boolean[] =>
  [create(object), update(object, object), remove(object), generic(object)].map((event) =>
    passes(predicate, event),
  );

const onlyUpdatesFall = [true, false, true, true];

describe("a predicate", () => {
  it("[EV6] without a function for a type of event passes it", () => {
    expect(results({}, widget())).toEqual([true, true, true, true]);
    expect(results({ delete: () => false }, widget())).toEqual([true, true, false, true]);
  });

  it("[EV6] is tested after those before it, and only if they pass", () => {
    const tested: string[] = [];
    const recording = (name: string, result: boolean): Predicate<Widget> => ({
      create: () => {
        tested.push(name);
        return result;
      },
    });
    const all = [recording("global", true), recording("first", false), recording("second", true)];
    expect(passesAll(all, create(widget()))).toBe(false);
    expect(tested).toEqual(["global", "first"]);
  });

  it("for any kind fits every kind", () => {
    expectTypeOf(generationChanged).toExtend<Predicate<Widget>>();
    const both = allOf(
      generationChanged,
      predicateOf(({ spec }: Widget) => spec.size > 1),
    );
    expect(results(both, widget({}, 2))).toEqual(onlyUpdatesFall);
  });
});

describe("generationChanged", () => {
  it("[EV6] filters updates only", () => {
    expect(results(generationChanged, widget({ generation: 1 }))).toEqual(onlyUpdatesFall);
  });

  it("[EV6] passes a change of the spec, and not one of the status, the labels or the finalizers", () => {
    const old = widget({ generation: 1 });
    expect(passes(generationChanged, update(old, widget({ generation: 2 })))).toBe(true);
    const metadata = { generation: 1, resourceVersion: "2", labels: { a: "b" }, finalizers: ["x"] };
    expect(passes(generationChanged, update(old, widget(metadata)))).toBe(false);
  });

  it("[EV6] passes an object that was made again with the same generation", () => {
    const again = update(widget({ generation: 1 }), widget({ generation: 1, uid: "2" }));
    expect(passes(generationChanged, again)).toBe(true);
  });

  it("[EV6] passes a deletion that finalizers hold, also of a kind without generations", () => {
    const deletionTimestamp = "2026-01-01T00:00:00Z";
    const held = update(widget(), widget({ deletionTimestamp, finalizers: ["x"] }));
    expect(passes(generationChanged, held)).toBe(true);
    const later = update(widget({ deletionTimestamp, finalizers: ["x"] }), widget({ deletionTimestamp }));
    expect(passes(generationChanged, later)).toBe(false);
  });
});

describe.each<[string, Predicate, ObjectMeta, ObjectMeta, ObjectMeta]>([
  [
    "resourceVersionChanged",
    resourceVersionChanged,
    { resourceVersion: "1" },
    { resourceVersion: "1", labels: { a: "b" } },
    { resourceVersion: "2" },
  ],
  ["labelsChanged", labelsChanged, { labels: { a: "1" } }, { labels: { a: "1" }, generation: 2 }, {}],
  ["labelsChanged, without labels", labelsChanged, {}, { labels: {} }, { labels: { a: "1" } }],
  [
    "annotationsChanged",
    annotationsChanged,
    { annotations: { a: "1" } },
    { annotations: { a: "1" }, labels: { a: "1" } },
    { annotations: { a: "2" } },
  ],
  [
    "finalizersChanged",
    finalizersChanged,
    { finalizers: ["a", "b"] },
    { finalizers: ["b", "a"] },
    { finalizers: ["a"] },
  ],
  ["deletionStarted", deletionStarted, {}, { generation: 2 }, { deletionTimestamp: "2026-01-01T00:00:00Z" }],
])("%s", (_, predicate, before, same, changed) => {
  it("[EV6] filters updates only, and passes those that change what it is about", () => {
    expect(results(predicate, widget(before))).toEqual(onlyUpdatesFall);
    expect(passes(predicate, update(widget(before), widget(same)))).toBe(false);
    expect(passes(predicate, update(widget(before), widget(changed)))).toBe(true);
  });

  it("[EV6] passes an object that was made again and looks the same", () => {
    const again = { ...before, resourceVersion: "9", uid: "2" };
    expect(passes(predicate, update(widget(before), widget(again)))).toBe(true);
  });

  it("[EV6] filters an update of which an object is missing, and does not crash", () => {
    const nothing: Stored<Widget> = JSON.parse('{"object":null}').object;
    expect(passes(predicate, update(nothing, widget()))).toBe(false);
    expect(passes(predicate, update(widget(), nothing))).toBe(false);
  });
});

describe("predicates about the object", () => {
  it("[EV6] matchesSelector tests labels, of an update the new ones", () => {
    const web = widget({ labels: { app: "web" } });
    const db = widget({ labels: { app: "db" } });
    for (const predicate of [matchesSelector("app=web"), matchesSelector({ matchLabels: { app: "web" } })]) {
      expect(results(predicate, web)).toEqual([true, true, true, true]);
      expect(results(predicate, db)).toEqual([false, false, false, false]);
      expect(passes(predicate, update(db, web))).toBe(true);
      expect(passes(predicate, update(web, db))).toBe(false);
    }
  });

  it("matchesSelector refuses a selector that is none, at once", () => {
    expect(() => matchesSelector("app in")).toThrow(InvalidLabelSelectorError);
    expect(() => matchesSelector({ matchLabels: { "not a key": "x" } })).toThrow(InvalidLabelSelectorError);
  });

  it("inNamespaces and named test the key, and do not read the object", () => {
    const unread: SourceEvent<Widget> = {
      type: "delete",
      key,
      get object(): Stored<Widget> {
        throw new Error("the object was parsed");
      },
      finalStateUnknown: true,
    };
    expect(passes(inNamespaces("home", "shop"), unread)).toBe(true);
    expect(passes(inNamespaces("home"), unread)).toBe(false);
    expect(passes(named("db", "web"), unread)).toBe(true);
    expect(passes(named("db"), unread)).toBe(false);
    expect(results(inNamespaces("shop"), widget())).toEqual([true, true, true, true]);
    expect(results(named("db"), widget())).toEqual([false, false, false, false]);
  });

  it("[EV6] do not crash on an object that is missing", () => {
    const nothing: SourceEvent<Widget> = { type: "generic", object: JSON.parse('{"object":null}').object };
    expect(passes(matchesSelector("app=web"), nothing)).toBe(false);
    expect(passes(inNamespaces("shop"), nothing)).toBe(false);
    expect(passes(named("web"), nothing)).toBe(false);
  });
});

describe("predicates of predicates", () => {
  const yes: Predicate<Widget> = predicateOf(() => true);
  const no: Predicate<Widget> = predicateOf(() => false);

  it("[EV6] allOf passes what all pass", () => {
    expect(results(allOf(yes, yes), widget())).toEqual([true, true, true, true]);
    expect(results(allOf(yes, no), widget())).toEqual([false, false, false, false]);
    expect(results(allOf(), widget())).toEqual([true, true, true, true]);
  });

  it("[EV6] anyOf passes what one passes", () => {
    expect(results(anyOf(no, yes), widget())).toEqual([true, true, true, true]);
    expect(results(anyOf(no, no), widget())).toEqual([false, false, false, false]);
    expect(results(anyOf(), widget())).toEqual([false, false, false, false]);
    expect(results(anyOf(generationChanged, labelsChanged), widget())).toEqual(onlyUpdatesFall);
  });

  it("[EV6] not passes events that the other does not pass", () => {
    expect(results(not(yes), widget())).toEqual([false, false, false, false]);
    expect(results(not(generationChanged), widget({ generation: 1 }))).toEqual([false, true, false, false]);
  });
});
