import {
  AlreadyExistsError,
  type Client,
  ConflictError,
  mergePatch,
  NotFoundError,
  type ObjectKey,
  type Random,
  type Stored,
} from "keelson";
import { Node } from "keelson/kinds/core/v1";
import { NodeTakenError } from "../errors.ts";
import { makeNode, programAnnotation } from "./node-object.ts";
import { type NodeSettings, nodeLabel } from "./node-settings.ts";

export interface NodeClaimOptions {
  readonly client: Client;
  readonly settings: NodeSettings;
  /** The mark of this program; no other has it. */
  readonly program: string;
}

/**
 * Who may remove a Node: the program that made it, while the Node carries its mark. A program that finds a Node takes
 * it up by writing its own mark, so that the maker leaves it alone, and gives the old mark back at its end.
 *
 * A request that failed may have been executed. So the mark on the Node decides and not the response,
 * and what writes the mark is not aborted: a mark that appears after the check would have no owner.
 */
export class NodeClaim {
  readonly #options: NodeClaimOptions;
  /** The Node that another program made, and the mark that it had then. */
  #takenUp: { readonly uid: string | undefined; readonly mark: string | undefined } | undefined;

  constructor(options: NodeClaimOptions) {
    this.#options = options;
  }

  /** Creates the Node, or adopts the one that exists unless it is the known one. Throws a NodeTakenError. */
  async take(known: Node | undefined, signal: AbortSignal | undefined): Promise<Stored<Node>> {
    for (;;) {
      signal?.throwIfAborted();
      const node = (await this.#make()) ?? (await this.#takeUp(known));
      if (node !== undefined) return node;
    }
  }

  /** Removes the Node if it is this program's to remove, or gives it back. */
  async release(): Promise<void> {
    for (;;) {
      const node = await this.#find();
      if (node === undefined || markOf(node) !== this.#options.program) return;
      const isTakenUp = this.#takenUp?.uid === node.metadata.uid;
      const done = isTakenUp ? await this.#mark(node, this.#takenUp?.mark) : await this.#delete(node);
      if (done !== undefined) return;
    }
  }

  /** Undefined if there is one. */
  async #make(): Promise<Stored<Node> | undefined> {
    const { client, settings, program } = this.#options;
    try {
      return await client.create(Node, makeNode(settings, program));
    } catch (error) {
      if (error instanceof AlreadyExistsError) return undefined;
      throw error;
    }
  }

  /** Undefined if it was deleted or changed meanwhile. */
  async #takeUp(known: Node | undefined): Promise<Stored<Node> | undefined> {
    const { settings, program } = this.#options;
    const node = await this.#find();
    if (node === undefined) return undefined;
    if (node.metadata.labels?.[nodeLabel] !== "true") throw new NodeTakenError(settings.name);
    const { uid } = node.metadata;
    if (uid === known?.metadata.uid || markOf(node) === program) return node;
    this.#takenUp = { uid, mark: markOf(node) };
    return this.#mark(node, program);
  }

  #find(): Promise<Stored<Node> | undefined> {
    return this.#options.client.get(Node, this.#key).catch(undefinedIfOvertaken);
  }

  /** Only on the Node as it was seen. */
  #mark({ metadata }: Node, mark: string | undefined): Promise<Stored<Node> | undefined> {
    const { resourceVersion } = metadata;
    const patch = mergePatch({
      metadata: { resourceVersion, annotations: { [programAnnotation]: mark ?? null } },
    });
    return this.#options.client.patch(Node, this.#key, patch).catch(undefinedIfOvertaken);
  }

  /** Only the Node as it was seen: a mark that another program has written since saves it. */
  #delete({ metadata }: Node): Promise<unknown> {
    const { uid = "", resourceVersion = "" } = metadata;
    const preconditions = { uid, resourceVersion };
    return this.#options.client.delete(Node, this.#key, { preconditions }).catch(undefinedIfOvertaken);
  }

  get #key(): ObjectKey {
    return { name: this.#options.settings.name };
  }
}

/** A mark that no other program has. */
export function makeProgramMark(random: Random): string {
  const part = () => Math.floor(random.next() * 2 ** 32).toString(16);
  return `${part()}-${part()}`;
}

function markOf({ metadata }: Node): string | undefined {
  return metadata.annotations?.[programAnnotation];
}

/** For what is then looked at again: another program was faster. */
function undefinedIfOvertaken(error: unknown): undefined {
  if (error instanceof NotFoundError || error instanceof ConflictError) return undefined;
  throw error;
}
