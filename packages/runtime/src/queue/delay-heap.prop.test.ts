import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type HeapNode, IndexedHeap, inNoHeap } from "./delay-heap.ts";

interface Node extends HeapNode {
  rank: number;
}

type Step =
  | { readonly do: "push"; readonly rank: number }
  | { readonly do: "pop" }
  | { readonly do: "remove" | "move"; readonly which: number; readonly rank: number };

const rank = fc.integer({ min: 0, max: 9 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: fc.record({ do: fc.constant("push" as const), rank }), weight: 3 },
  { arbitrary: fc.constant({ do: "pop" as const }), weight: 1 },
  {
    arbitrary: fc.record({ do: fc.constantFrom("remove" as const, "move" as const), which: fc.nat(), rank }),
    weight: 2,
  },
);

/** The reference: all nodes in a list without order. */
function apply(heap: IndexedHeap<Node>, nodes: Set<Node>, step: Step): void {
  if (step.do === "push") {
    const node = { rank: step.rank, heapIndex: inNoHeap };
    heap.push(node);
    nodes.add(node);
    return;
  }
  if (step.do === "pop") {
    const lowest = Math.min(...[...nodes].map((node) => node.rank));
    const popped = heap.pop();
    expect(popped?.rank).toBe(nodes.size === 0 ? undefined : lowest);
    if (popped !== undefined) nodes.delete(popped);
    return;
  }
  const node = [...nodes][step.which % nodes.size];
  if (node === undefined) return;
  if (step.do === "remove") {
    heap.remove(node);
    nodes.delete(node);
    expect(node.heapIndex).toBe(inNoHeap);
    return;
  }
  node.rank = step.rank;
  heap.moved(node);
}

describe("a heap of nodes that know their places", () => {
  it("always has a node first that no other comes before, whatever is added, removed and moved", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const heap = new IndexedHeap<Node>((a, b) => a.rank < b.rank);
        const nodes = new Set<Node>();
        for (const step of steps) {
          apply(heap, nodes, step);
          expect(heap.size).toBe(nodes.size);
          if (nodes.size > 0) expect(heap.first?.rank).toBe(Math.min(...[...nodes].map((node) => node.rank)));
        }
        const ranks = [...nodes].map((node) => node.rank).sort((a, b) => a - b);
        expect(ranks.map(() => heap.pop()?.rank)).toEqual(ranks);
        expect(heap.pop()).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  it("forgets all nodes when cleared", () => {
    const heap = new IndexedHeap<Node>((a, b) => a.rank < b.rank);
    const node = { rank: 1, heapIndex: inNoHeap };
    heap.push(node);
    heap.clear();
    expect([heap.size, heap.first, node.heapIndex]).toEqual([0, undefined, inNoHeap]);
  });
});
