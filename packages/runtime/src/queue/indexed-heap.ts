/** A node of a heap. It records its own index, so that it is found again without a search. */
export interface HeapNode {
  /** Written only by the heap that holds the node. A node is in at most one heap at a time. */
  heapIndex: number;
}

/** A node that is in no heap. */
export const inNoHeap = -1;

/**
 * A binary heap: the first node is the one that no other comes before. Adding, taking and removing any node cost
 * O(log n); adding nodes that are already in order costs O(1).
 */
export class IndexedHeap<Node extends HeapNode> {
  /**
   * `nodes[i].heapIndex === i`, and no node comes before its parent, which is at `(i - 1) >> 1`.
   * What a node's order depends on may change only while the node is outside, or before `moved`.
   */
  readonly #nodes: Node[] = [];
  readonly #comesBefore: (a: Node, b: Node) => boolean;

  constructor(comesBefore: (a: Node, b: Node) => boolean) {
    this.#comesBefore = comesBefore;
  }

  get size(): number {
    return this.#nodes.length;
  }

  get first(): Node | undefined {
    return this.#nodes[0];
  }

  push(node: Node): void {
    this.#nodes.push(node);
    this.#siftUp(node, this.#nodes.length - 1);
  }

  pop(): Node | undefined {
    const first = this.#nodes[0];
    if (first !== undefined) this.remove(first);
    return first;
  }

  /** Removes a node that is in this heap. */
  remove(node: Node): void {
    const index = node.heapIndex;
    node.heapIndex = inNoHeap;
    const last = this.#nodes.pop();
    if (last === undefined || last === node) return;
    this.#settle(last, index);
  }

  /** Moves a node whose order has changed to its new position. */
  moved(node: Node): void {
    this.#settle(node, node.heapIndex);
  }

  clear(): void {
    for (const node of this.#nodes) node.heapIndex = inNoHeap;
    this.#nodes.length = 0;
  }

  #settle(node: Node, index: number): void {
    this.#siftDown(node, index);
    if (node.heapIndex === index) this.#siftUp(node, index);
  }

  #siftUp(node: Node, from: number): void {
    const nodes = this.#nodes;
    let index = from;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = nodes[parentIndex];
      if (parent === undefined || !this.#comesBefore(node, parent)) break;
      nodes[index] = parent;
      parent.heapIndex = index;
      index = parentIndex;
    }
    nodes[index] = node;
    node.heapIndex = index;
  }

  #siftDown(node: Node, from: number): void {
    const nodes = this.#nodes;
    let index = from;
    for (;;) {
      let childIndex = 2 * index + 1;
      let child = nodes[childIndex];
      if (child === undefined) break;
      const right = nodes[childIndex + 1];
      if (right !== undefined && this.#comesBefore(right, child)) {
        child = right;
        childIndex++;
      }
      if (!this.#comesBefore(child, node)) break;
      nodes[index] = child;
      child.heapIndex = index;
      index = childIndex;
    }
    nodes[index] = node;
    node.heapIndex = index;
  }
}
