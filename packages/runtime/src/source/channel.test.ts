import { describe, expect, it } from "vitest";
import { Channel, ChannelClosedError, type ChannelListener } from "./channel.ts";

const never = new AbortController().signal;

/** The next events, which must have been sent. */
async function take<Event>(
  listener: ChannelListener<Event>,
  count: number,
): Promise<readonly (Event | undefined)[]> {
  const events: (Event | undefined)[] = [];
  for (let i = 0; i < count; i++) events.push((await listener.next(never))?.event);
  return events;
}

function filled(count: number): Channel<number> {
  const channel = new Channel<number>();
  for (let i = 0; i < count; i++) expect(channel.trySend(i)).toBe(true);
  return channel;
}

describe("a channel", () => {
  it("[EV9] keeps events that were sent without a listener, for the first one", async () => {
    const channel = filled(2);
    const first = channel.listen();
    const second = channel.listen();
    channel.trySend(2);
    expect([first.size, second.size]).toEqual([3, 1]);
    expect(await take(first, 3)).toEqual([0, 1, 2]);
    expect(await take(second, 1)).toEqual([2]);
  });

  it("[EV9] holds 1024 events for each listener, and then makes senders wait for the slowest", async () => {
    const channel = new Channel<number>();
    const [slow, fast] = [channel.listen(), channel.listen()];
    for (let i = 0; i < 1024; i++) expect(channel.trySend(i)).toBe(true);
    await take(fast, 1024);
    expect(channel.trySend(1024)).toBe(false);
    const sent: string[] = [];
    const sending = [
      channel.send(1024).then(() => sent.push("a")),
      channel.send(1025).then(() => sent.push("b")),
    ];
    await take(slow, 1);
    await sending[0];
    expect(sent).toEqual(["a"]);
    expect(fast.size).toBe(1);
    await take(slow, 1);
    await sending[1];
    expect(await take(fast, 2)).toEqual([1024, 1025]);
    expect((await take(slow, 1024)).at(-1)).toBe(1025);
  });

  it("[EV9] holds 1024 events without a listener", async () => {
    const channel = filled(1024);
    expect(channel.trySend(1024)).toBe(false);
    const sending = channel.send(1024);
    const listener = channel.listen();
    expect(await take(listener, 1)).toEqual([0]);
    await sending;
    expect((await take(listener, 1024)).at(-1)).toBe(1024);
  });

  it("does not let a sender overtake those that wait", async () => {
    const channel = new Channel<string>({ capacity: 1 });
    const listener = channel.listen();
    await channel.send("a");
    const sending = channel.send("b");
    const taken = take(listener, 1);
    expect(channel.trySend("c")).toBe(false);
    await Promise.all([taken, sending]);
    expect(await take(listener, 1)).toEqual(["b"]);
  });

  it("does not send an event that its sender has given up", async () => {
    const channel = new Channel<string>({ capacity: 1 });
    const listener = channel.listen();
    channel.trySend("a");
    const controller = new AbortController();
    const givenUp = channel.send("b", controller.signal);
    const sending = channel.send("c");
    controller.abort(new Error("too slow"));
    await expect(givenUp).rejects.toThrow("too slow");
    expect(await take(listener, 1)).toEqual(["a"]);
    await sending;
    expect(await take(listener, 1)).toEqual(["c"]);
    await expect(channel.send("d", controller.signal)).rejects.toThrow("too slow");
    expect(listener.size).toBe(0);
  });

  it("wakes listeners that wait, and distinguishes an event that is undefined from the end", async () => {
    const channel = new Channel<undefined>();
    const listener = channel.listen();
    const next = listener.next(never);
    channel.trySend(undefined);
    expect(await next).toEqual({ event: undefined });
    const last = listener.next(never);
    channel.close();
    expect(await last).toBeUndefined();
  });

  it("[EV9] that is closed delivers what was sent, then ends, and accepts no more", async () => {
    const channel = new Channel<string>({ capacity: 1 });
    const listener = channel.listen();
    await channel.send("a");
    const waiting = channel.send("b");
    channel.close();
    await expect(waiting).rejects.toBeInstanceOf(ChannelClosedError);
    await expect(channel.send("c")).rejects.toBeInstanceOf(ChannelClosedError);
    expect(channel.isClosed).toBe(true);
    expect(await take(listener, 2)).toEqual(["a", undefined]);
    expect(channel.trySend("d")).toBe(false);
    const late = channel.listen();
    expect(await late.next(never)).toBeUndefined();
  });

  it("keeps events that the last listener has not read, for the next", async () => {
    const channel = filled(3);
    const first = channel.listen();
    await take(first, 1);
    first.leave();
    channel.trySend(3);
    expect(await take(channel.listen(), 3)).toEqual([1, 2, 3]);
  });

  it("does not wait any more for a listener that has left", async () => {
    const channel = new Channel<string>({ capacity: 1 });
    const [slow, other] = [channel.listen(), channel.listen()];
    channel.trySend("a");
    await take(other, 1);
    const sending = channel.send("b");
    slow.leave();
    await sending;
    expect(await take(other, 1)).toEqual(["b"]);
  });

  it("refuses a capacity that makes no sense", () => {
    expect(() => new Channel({ capacity: 0 })).toThrow(
      "make a channel: its capacity is 0; at least 1 is needed",
    );
  });

  it("stops waiting for an event as soon as the signal aborts", async () => {
    const controller = new AbortController();
    const channel = new Channel<string>();
    const next = channel.listen().next(controller.signal);
    controller.abort(new Error("enough"));
    await expect(next).rejects.toThrow("enough");
  });
});
