import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inNoHeap } from "./delay-heap.ts";
import { OrderedList, type OrderedNode } from "./ready-order.ts";

interface Node extends OrderedNode<Node> {}

function makeNode(order: number): Node {
  return { order, previous: undefined, next: undefined, heapIndex: inNoHeap };
}

function take<Value>(values: Value[], which: number): Value | undefined {
  return values.length === 0 ? undefined : values.splice(which % values.length, 1)[0];
}

describe("a list", () => {
  it("returns its entries in the order of their numbers, also after some were removed and added again", () => {
    const step = fc.record({
      do: fc.constantFrom("push", "push", "pop", "remove", "return"),
      which: fc.nat(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const list = new OrderedList<Node>();
        const inside: Node[] = [];
        const outside: Node[] = [];
        let nextOrder = 0;
        for (const { do: action, which } of steps) {
          const coming = action === "push" ? makeNode(nextOrder++) : undefined;
          const returning = action === "return" ? take(outside, which) : undefined;
          for (const node of [coming, returning]) {
            if (node === undefined) continue;
            list.push(node);
            inside.push(node);
          }
          inside.sort((a, b) => a.order - b.order);
          if (action === "pop") expect(list.pop()?.order).toBe(inside.shift()?.order);
          const leaving = action === "remove" ? take(inside, which) : undefined;
          if (leaving !== undefined) {
            list.remove(leaving);
            outside.push(leaving);
          }
          expect(list.isEmpty).toBe(inside.length === 0);
        }
        expect(inside.map(() => list.pop()?.order)).toEqual(inside.map(({ order }) => order));
        expect(list.isEmpty).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
