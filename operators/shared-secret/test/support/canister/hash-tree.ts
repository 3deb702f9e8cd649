import { createHash } from "node:crypto";

/** A hash tree as the interface specification of the Internet Computer writes it: empty, fork, labelled, leaf, pruned. */
export type HashTree =
  | readonly [0]
  | readonly [1, HashTree, HashTree]
  | readonly [2, Uint8Array, HashTree]
  | readonly [3, Uint8Array]
  | readonly [4, Uint8Array];

/** The children of a node by their labels, in any order. */
export type Branches = readonly (readonly [label: string | Uint8Array, child: HashTree])[];

export function branches(children: Branches): HashTree {
  const nodes = children
    .map(([label, child]): [Buffer, HashTree] => [Buffer.from(label), child])
    .sort(([a], [b]) => Buffer.compare(a, b))
    .map(([label, child]): HashTree => [2, label, child]);
  return forked(nodes);
}

export function leaf(value: string | Uint8Array): HashTree {
  return [3, Buffer.from(value)];
}

/** A part of the tree of which only the hash is shown. */
export function pruned(tree: HashTree): HashTree {
  return [4, rootHash(tree)];
}

export function rootHash(tree: HashTree): Buffer {
  switch (tree[0]) {
    case 0:
      return hash("empty");
    case 1:
      return hash("fork", rootHash(tree[1]), rootHash(tree[2]));
    case 2:
      return hash("labeled", tree[1], rootHash(tree[2]));
    case 3:
      return hash("leaf", tree[1]);
    case 4:
      return Buffer.from(tree[1]);
  }
}

function forked(nodes: readonly HashTree[]): HashTree {
  const [first] = nodes;
  if (first === undefined) return [0];
  if (nodes.length === 1) return first;
  const middle = Math.ceil(nodes.length / 2);
  return [1, forked(nodes.slice(0, middle)), forked(nodes.slice(middle))];
}

function hash(kind: string, ...parts: readonly Uint8Array[]): Buffer {
  const separator = `ic-hashtree-${kind}`;
  return createHash("sha256")
    .update(Buffer.concat([Buffer.from([separator.length]), Buffer.from(separator), ...parts]))
    .digest();
}
