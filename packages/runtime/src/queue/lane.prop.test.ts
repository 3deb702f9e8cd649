import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inNoHeap } from "./indexed-heap.ts";
import { Lane, type LaneNode } from "./lane.ts";

interface Node extends LaneNode<Node> {}

function makeNode(order: number): Node {
  return { order, previous: undefined, next: undefined, heapIndex: inNoHeap };
}

function take<Value>(values: Value[], which: number): Value | undefined {
  return values.length === 0 ? undefined : values.splice(which % values.length, 1)[0];
}

describe("a lane", () => {
  it("hands out its entries by their numbers, also after some left and came back to their old places", () => {
    const step = fc.record({
      do: fc.constantFrom("push", "push", "pop", "remove", "return"),
      which: fc.nat(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const lane = new Lane<Node>();
        const inside: Node[] = [];
        const outside: Node[] = [];
        let nextOrder = 0;
        for (const { do: action, which } of steps) {
          const coming = action === "push" ? makeNode(nextOrder++) : undefined;
          const returning = action === "return" ? take(outside, which) : undefined;
          for (const node of [coming, returning]) {
            if (node === undefined) continue;
            lane.push(node);
            inside.push(node);
          }
          inside.sort((a, b) => a.order - b.order);
          if (action === "pop") expect(lane.pop()?.order).toBe(inside.shift()?.order);
          const leaving = action === "remove" ? take(inside, which) : undefined;
          if (leaving !== undefined) {
            lane.remove(leaving);
            outside.push(leaving);
          }
          expect(lane.isEmpty).toBe(inside.length === 0);
        }
        expect(inside.map(() => lane.pop()?.order)).toEqual(inside.map(({ order }) => order));
        expect(lane.isEmpty).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
