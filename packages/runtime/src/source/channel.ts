import { KeelsonError } from "@keelson/core";
import { Backlog } from "../backlog.ts";
import { Waiters } from "../queue/waiters.ts";

/** An event was sent through a closed channel. */
export class ChannelClosedError extends KeelsonError {
  static override readonly brand: string = "keelson.ChannelClosedError";
  readonly code = "CHANNEL_CLOSED";

  constructor() {
    super("send through a channel: it is closed; make a new one, or do not close it before the last event");
  }
}

export interface ChannelOptions {
  /** How many events a listener buffers before senders have to wait [EV9]. Default 1024. */
  readonly capacity?: number;
}

/** Distinguishes an event that is `undefined` from no event. */
interface Box<Event> {
  readonly event: Event;
}

interface Sender<Event> {
  readonly box: Box<Event>;
  readonly accept: () => void;
  readonly refuse: (error: Error) => void;
}

/**
 * Carries events from anywhere in the program to controllers: each listener gets each event, in the order of sending.
 * Events that are sent without a listener are kept for the first one. A listener that is too slow makes senders wait, so
 * that memory is bounded and no event is lost.
 */
export class Channel<Event> {
  readonly #capacity: number;
  readonly #listeners = new Set<ChannelListener<Event>>();
  /** The events that were sent without a listener; empty while there is one. */
  #kept = new Backlog<Box<Event>>();
  /** In the order of their arrival. Empty whenever there is room. */
  readonly #senders: Sender<Event>[] = [];
  #isClosed = false;

  constructor({ capacity = 1024 }: ChannelOptions = {}) {
    if (!(capacity >= 1))
      throw new RangeError(`make a channel: its capacity is ${capacity}; at least 1 is needed`);
    this.#capacity = capacity;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * Resolves when the event is in every listener's buffer, which may be long before it is handled. Throws a
   * ChannelClosedError, or the signal's reason as soon as it aborts; then the event was not sent.
   */
  async send(event: Event, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.#isClosed) throw new ChannelClosedError();
    if (this.trySend(event)) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = (): void => {
      this.#senders.splice(this.#senders.indexOf(sender), 1);
      reject(signal?.reason);
    };
    const stopListening = (): void => signal?.removeEventListener("abort", onAbort);
    const sender: Sender<Event> = {
      box: { event },
      accept: () => {
        stopListening();
        resolve();
      },
      refuse: (error) => {
        stopListening();
        reject(error);
      },
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#senders.push(sender);
    await promise;
  }

  /** Sends the event if that needs no waiting. False if it was not sent: there is no room, or the channel is closed. */
  trySend(event: Event): boolean {
    if (this.#isClosed || !this.#hasRoom) return false;
    this.#put({ event });
    return true;
  }

  /** No more events. Those that were sent still arrive; those that wait for room are refused. */
  close(): void {
    this.#isClosed = true;
    for (const { refuse } of this.#senders.splice(0)) refuse(new ChannelClosedError());
    for (const listener of this.#listeners) listener.wake();
  }

  /** Receives all events from now on, and the kept ones if it is the only listener. To be ended by `leave`. */
  listen(): ChannelListener<Event> {
    const listener = new ChannelListener<Event>(this.#kept, {
      hasEnded: () => this.#isClosed,
      onTaken: () => this.#admit(),
      onLeave: (unread) => {
        this.#listeners.delete(listener);
        if (this.#listeners.size === 0) this.#kept = unread;
        this.#admit();
      },
    });
    this.#kept = new Backlog();
    this.#listeners.add(listener);
    return listener;
  }

  get #hasRoom(): boolean {
    if (this.#listeners.size === 0) return this.#kept.size < this.#capacity;
    return [...this.#listeners].every(({ size }) => size < this.#capacity);
  }

  #put(box: Box<Event>): void {
    if (this.#listeners.size === 0) this.#kept.push(box);
    for (const listener of this.#listeners) listener.put(box);
  }

  #admit(): void {
    while (this.#senders.length > 0 && this.#hasRoom) {
      const sender = this.#senders.shift();
      if (sender === undefined) return;
      this.#put(sender.box);
      sender.accept();
    }
  }
}

interface ListenerEvents<Event> {
  readonly hasEnded: () => boolean;
  readonly onTaken: () => void;
  readonly onLeave: (unread: Backlog<Box<Event>>) => void;
}

/** A listener of a channel, with a buffer of its own. */
export class ChannelListener<Event> {
  readonly #buffer: Backlog<Box<Event>>;
  readonly #waiters = new Waiters<void>();
  readonly #events: ListenerEvents<Event>;

  constructor(buffer: Backlog<Box<Event>>, events: ListenerEvents<Event>) {
    this.#buffer = buffer;
    this.#events = events;
  }

  get size(): number {
    return this.#buffer.size;
  }

  /**
   * Waits for the next event; undefined when the channel is closed and all events were returned. Throws the signal's
   * reason as soon as it aborts.
   */
  async next(signal: AbortSignal): Promise<Box<Event> | undefined> {
    for (;;) {
      signal.throwIfAborted();
      const box = this.#buffer.shift();
      if (box !== undefined) {
        this.#events.onTaken();
        return box;
      }
      if (this.#events.hasEnded()) return undefined;
      await this.#waiters.wait(signal);
    }
  }

  put(box: Box<Event>): void {
    this.#buffer.push(box);
    this.wake();
  }

  wake(): void {
    this.#waiters.giveAll();
  }

  /** Ends the listener. Events that it has not read are kept for the next listener, unless there is another one. */
  leave(): void {
    this.#events.onLeave(this.#buffer);
  }
}
