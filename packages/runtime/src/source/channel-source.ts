import type { Channel } from "./channel.ts";
import { Dispatcher } from "./dispatcher.ts";
import type { HandlerContext, Keys } from "./handlers.ts";
import { normalizeError } from "./normalize-error.ts";
import type { RunningSource, Source, SourceContext } from "./source.ts";
import { type GenericEvent, genericEnqueueOptionsOf } from "./source-event.ts";

/** The part of a predicate that tests the events of a channel. */
export interface GenericPredicate<Item> {
  readonly generic?: (event: GenericEvent<Item>) => boolean;
}

export interface ChannelSourceOptions<Item, Key> {
  readonly channel: Channel<Item>;
  /** Such as `enqueueSelf()`, for objects; `({ object }) => [object]`, for keys. */
  readonly handler: (event: GenericEvent<Item>, context: HandlerContext) => Keys<Key>;
  /** All must pass, in this order. Default: none. */
  readonly predicates?: readonly GenericPredicate<Item>[];
  /** For logs and the causal log. Default `channel`. */
  readonly name?: string;
}

/**
 * The events of a channel, as generic events [EV9]. Events that were sent before it runs are kept; closing the channel ends
 * it. Of several sources on one channel each gets every event that is sent while it runs.
 */
export function channelSource<Item, Key>(options: ChannelSourceOptions<Item, Key>): Source<Key> {
  const { name = "channel" } = options;
  return { name, run: (context) => runChannel({ ...options, name }, context) };
}

function runChannel<Item, Key>(
  { channel, handler, predicates = [], name }: ChannelSourceOptions<Item, Key> & { readonly name: string },
  context: SourceContext<Key>,
): RunningSource {
  const { signal, log } = context;
  const dispatcher = new Dispatcher<GenericEvent<Item>, Key>({
    source: name,
    context,
    handler,
    passes: (event) => predicates.every(({ generic }) => generic?.(event) ?? true),
    describe: (event) => genericEnqueueOptionsOf(event, name),
  });
  const logFailure = (caught: unknown): void => {
    const error = normalizeError(caught);
    log.error(`read ${name}: ${error.message}`, { error });
  };
  const listener = channel.listen();
  const listen = async (): Promise<void> => {
    try {
      for (let box = await listener.next(signal); box !== undefined; box = await listener.next(signal)) {
        await dispatcher.dispatch({ type: "generic", object: box.event });
      }
    } catch (caught) {
      // The signal's reason is no failure.
      if (!signal.aborted) logFailure(caught);
    } finally {
      listener.leave();
      await dispatcher.ended();
    }
  };
  return { synced: Promise.resolve(), ended: listen() };
}
