import { describe, expect, it } from "vitest";
import { EventReason } from "./api/reasons.ts";
import { reloadedEvent, reloadFailedEvent, waitEvent } from "./events.ts";

const workload = { kind: "Deployment", namespace: "shop", name: "web" } as const;
const secret = { kind: "Secret", namespace: "shop", name: "db" } as const;
const breaker = { reloads: 5, periodMs: 600_000 };
const untilMs = Date.parse("2026-06-10T02:00:00Z");

describe("the Events of a workload", () => {
  it("have upstream's text for a reload", () => {
    expect(reloadedEvent(workload, [secret])).toMatchObject({
      ...{ type: "Normal", reason: "Reloaded" },
      message:
        "Changes detected in 'db' of type 'SECRET' in namespace 'shop', Updated 'web' of type 'Deployment' in namespace 'shop'",
    });
    expect(reloadFailedEvent(workload, "forbidden")).toMatchObject({
      ...{ type: "Warning", reason: "ReloadFail" },
      message: "Update for 'web' of type 'Deployment' in namespace 'shop' failed with error forbidden",
    });
  });

  it("name every resource of a reload", () => {
    const { message } = reloadedEvent(workload, [secret, { ...secret, kind: "ConfigMap", name: "app" }]);
    expect(message).toContain(
      "'db' of type 'SECRET' in namespace 'shop', 'app' of type 'CONFIGMAP' in namespace 'shop', Updated",
    );
  });

  it("say for what changes wait", () => {
    const events = [
      waitEvent({ open: false, reason: "Paused", untilMs }, [secret], breaker),
      waitEvent({ open: false, reason: "OutsideWindow", untilMs }, [secret], breaker),
      waitEvent({ open: false, reason: "OutsideWindow", untilMs: undefined }, [secret], breaker),
      waitEvent({ open: false, reason: "CircuitOpen", untilMs }, [secret], breaker),
    ];
    expect(events.map((event) => `${event?.type} ${event?.reason}`)).toEqual([
      `Normal ${EventReason.ReloadPaused}`,
      `Normal ${EventReason.ReloadWaiting}`,
      `Warning ${EventReason.WindowNeverOpens}`,
      `Warning ${EventReason.CircuitOpened}`,
    ]);
    expect(events[3]?.message).toContain(
      "until 2026-06-10T02:00:00.000Z: 5 reloads within 10m0s are too many",
    );
  });

  it("are none for what ends after a short time", () => {
    for (const reason of ["Collecting", "RateLimited"] as const)
      expect(waitEvent({ open: false, reason, untilMs }, [secret], breaker)).toBeUndefined();
    expect(waitEvent({ open: true }, [secret], breaker)).toBeUndefined();
  });
});
