import { createClient } from "@keelson/client";
import { ConfigMap } from "@keelson/core/kinds/core/v1";
import { RecordingLogger, VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { silentTransport } from "../../test/support/controller-world.ts";
import { makeWebhookCall } from "./webhook-call.ts";

function world() {
  const clock = new VirtualClock();
  const log = new RecordingLogger();
  const client = createClient({ transport: silentTransport, clock });
  const controller = new AbortController();
  const { signal } = controller;
  const call = makeWebhookCall(
    { client, liveClient: client, clock, log },
    { path: "/validate-v1-configmap", uid: "u-1", signal },
  );
  return { call, clock, log, controller };
}

describe("the call of a webhook", () => {
  it.each(["client", "liveClient"] as const)("ends what its %s waits for with the signal", async (name) => {
    const { call, clock, controller } = world();
    const reading = call[name].get(ConfigMap, { namespace: "shop", name: "limits" });
    reading.catch(() => undefined);
    await clock.settle();
    controller.abort(new Error("the API server waits no longer"));
    await expect(reading).rejects.toThrow("the API server waits no longer");
    expect(clock.pendingTimers).toEqual([]);
  });

  it("logs the path of the webhook and the uid of the request on every line", () => {
    const { call, log } = world();
    call.log.info("checked", { size: 1 });
    expect(log.lines).toEqual([
      {
        level: "info",
        message: "checked",
        fields: { webhook: "/validate-v1-configmap", requestUid: "u-1", size: 1 },
      },
    ]);
  });

  it("can be copied", () => {
    const { call } = world();
    expect({ ...call }).toEqual(call);
    expect({ ...call }.client).toBe(call.client);
  });
});
