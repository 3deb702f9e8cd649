import { VirtualClock } from "@keelson/testkit";
import fc from "fast-check";
import { expect, it } from "vitest";
import { Channel, type ChannelListener } from "./channel.ts";

const capacity = 3;
const clock = new VirtualClock();
const never = new AbortController().signal;

type Step = "send" | "trySend" | "take" | "listen" | "leave" | "giveUp";
const steps = fc.array(
  fc.record({
    step: fc.constantFrom<Step>("send", "send", "trySend", "take", "take", "listen", "leave", "giveUp"),
    which: fc.nat(3),
  }),
  { maxLength: 60 },
);

it("[EV9] a channel delivers to each listener, once and in order, all events from its first one on", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (script) => {
      const channel = new Channel<number>({ capacity });
      const listeners: { readonly listener: ChannelListener<number>; readonly got: number[] }[] = [];
      const left: (readonly number[])[] = [];
      const senders: AbortController[] = [];
      const accepted: number[] = [];
      let last = 0;
      let wasShared = false;
      const send = async (): Promise<void> => {
        last++;
        const event = last;
        const giveUp = new AbortController();
        senders.push(giveUp);
        await channel.send(event, giveUp.signal).then(
          () => accepted.push(event),
          () => undefined,
        );
      };
      const takeFrom = async ({ listener, got }: (typeof listeners)[number]): Promise<void> => {
        if (listener.size > 0) got.push((await listener.next(never))?.event ?? -1);
      };
      for (const { step, which } of script) {
        const chosen = listeners[which % Math.max(1, listeners.length)];
        if (step === "send") void send();
        else if (step === "trySend") {
          last++;
          if (channel.trySend(last)) accepted.push(last);
        } else if (step === "listen") {
          wasShared ||= listeners.length > 0;
          listeners.push({ listener: channel.listen(), got: [] });
        } else if (step === "giveUp") senders[which]?.abort();
        else if (chosen !== undefined && step === "take") await takeFrom(chosen);
        else if (chosen !== undefined) {
          chosen.listener.leave();
          left.push(chosen.got);
          listeners.splice(listeners.indexOf(chosen), 1);
        }
        await clock.settle();
        for (const { listener } of listeners) expect(listener.size).toBeLessThanOrEqual(capacity);
      }
      if (listeners.length === 0) listeners.push({ listener: channel.listen(), got: [] });
      while (listeners.some(({ listener }) => listener.size > 0)) await Promise.all(listeners.map(takeFrom));
      for (const { got } of listeners) {
        // A listener that stays to the end has received every event since it began.
        expect(got).toEqual(got.length === 0 ? [] : accepted.slice(-got.length));
      }
      for (const got of left) {
        const from = accepted.indexOf(got[0] ?? -1);
        expect(got).toEqual(got.length === 0 ? [] : accepted.slice(from, from + got.length));
      }
      // Those who came one after the other have lost nothing between them.
      if (!wasShared) expect([...left, ...listeners.map(({ got }) => got)].flat()).toEqual(accepted);
    }),
  );
});
