import { describe, expect, it } from "vitest";
import { makePod, PodStory } from "../../test/support/situations.ts";
import { annotations } from "./behaviour.ts";

const job = { restartPolicy: "Never" } as const;

describe("a pod that was bound to the node", () => {
  it("runs and is ready at once when nothing is delayed, in one write", () => {
    const story = new PodStory(makePod());
    story.step();
    expect(story.pod.status).toEqual({
      phase: "Running",
      qosClass: "BestEffort",
      observedGeneration: 1,
      startTime: "2026-03-01T12:00:00Z",
      hostIP: "172.16.0.1",
      hostIPs: [{ ip: "172.16.0.1" }],
      podIP: "10.128.0.1",
      podIPs: [{ ip: "10.128.0.1" }],
      conditions: [
        { type: "PodScheduled", status: "True", lastTransitionTime: "2026-03-01T12:00:00Z" },
        ...["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady"].map((type) => ({
          type,
          status: "True",
          observedGeneration: 1,
          lastTransitionTime: "2026-03-01T12:00:00Z",
        })),
      ],
      containerStatuses: [
        {
          name: "web",
          image: "web:1",
          imageID: "hollow://web:1",
          containerID: "hollow://u-1/web/0",
          ready: true,
          started: true,
          restartCount: 0,
          lastState: {},
          state: { running: { startedAt: "2026-03-01T12:00:00Z" } },
        },
      ],
    });
    expect(story.decide()).toEqual({});
  });

  it("is being created until the start delay is over", () => {
    const story = new PodStory(makePod(), { timing: { startDelayMs: 300 } });
    expect(story.step().againInMs).toBe(300);
    expect(story.containers).toEqual(["waiting ContainerCreating"]);
    expect(story.condition("PodReadyToStartContainers")).toBe("False");
    expect(story.pod.status?.podIP).toBeUndefined();
    story.nowMs += 299;
    expect(story.step()).toEqual({ againInMs: 1 });
    story.nowMs += 1;
    story.step();
    expect(story.containers).toEqual(["running"]);
    expect(story.pod.status?.podIP).toBe("10.128.0.1");
  });

  it("stays Pending as long as its annotation says, and starts when that is removed", () => {
    const story = new PodStory(makePod({ annotations: { [annotations.start]: "never" } }));
    story.pass(3_600_000);
    expect([story.phase, story.containers]).toEqual(["Pending", ["waiting ContainerCreating"]]);
    expect(story.decide()).toEqual({});
    story.pod = { ...story.pod, metadata: { ...story.pod.metadata, annotations: {} } };
    story.step();
    expect(story.phase).toBe("Running");
  });

  it("fails by the code of one container, while the others end well", () => {
    const containers = [
      { name: "web", image: "web:1" },
      { name: "log", image: "log:1" },
    ];
    const story = new PodStory(
      makePod({ annotations: { [annotations.exitCode]: "log=3" }, spec: { ...job, containers } }),
    );
    story.pass(10_000);
    expect([story.phase, story.containers]).toEqual(["Failed", ["terminated 0", "terminated 3"]]);
  });

  it("fails by the code of an init container, and starts nothing else", () => {
    const initContainers = [{ name: "setup", image: "setup:1" }];
    const story = new PodStory(
      makePod({ annotations: { [annotations.exitCode]: "setup=2" }, spec: { ...job, initContainers } }),
    );
    story.pass(10_000);
    expect([story.phase, story.containers]).toEqual(["Failed", ["terminated 2", "waiting PodInitializing"]]);
  });

  it("is ready only after the ready delay", () => {
    const story = new PodStory(makePod(), { timing: { readyDelayMs: 700 } });
    story.pass(699);
    expect([story.phase, story.condition("Ready")]).toEqual(["Running", "False ContainersNotReady"]);
    story.pass(1);
    expect(story.condition("Ready")).toBe("True");
    expect(story.decide()).toEqual({});
  });

  it("has the address of its node when it uses the node's network", () => {
    const story = new PodStory(makePod({ spec: { hostNetwork: true } }));
    story.step();
    expect(story.pod.status?.podIP).toBe("172.16.0.1");
  });

  it("keeps conditions of other writers, and is ready only when its readiness gates are open", () => {
    const gate = { type: "example.com/gate", status: "False" };
    const story = new PodStory(
      makePod({ spec: { readinessGates: [{ conditionType: gate.type }] }, status: { conditions: [gate] } }),
    );
    story.step();
    expect(story.condition("ContainersReady")).toBe("True");
    expect(story.condition("Ready")).toBe("False ReadinessGatesNotReady");
    expect(story.condition("PodScheduled")).toBe("True");
    const conditions = story.pod.status?.conditions?.map((each) =>
      each.type === gate.type ? { ...each, status: "True" } : each,
    );
    story.pod = { ...story.pod, status: { ...story.pod.status, conditions: conditions ?? [] } };
    story.step();
    expect(story.condition("Ready")).toBe("True");
  });

  it("goes on where it was after a restart of the program", () => {
    const story = new PodStory(makePod({ spec: job }), { timing: { runMs: 5000 } });
    story.pass(3000);
    const before = story.pod;
    story.restart();
    expect(story.step().status).toBeUndefined();
    expect(story.pod).toBe(before);
    story.pass(2000);
    expect(story.phase).toBe("Succeeded");
  });

  it("does not move on a node that is not ready", () => {
    const story = new PodStory(makePod(), { node: { address: "172.16.0.1", isReady: false } });
    expect(story.step()).toEqual({});
  });

  it("starts a container again when its image is changed", () => {
    const story = new PodStory(makePod());
    story.step();
    story.pod = makePod({
      spec: { containers: [{ name: "web", image: "web:2" }] },
      metadata: { name: "web", namespace: "shop", uid: "u-1", generation: 2 },
      status: { ...story.pod.status },
    });
    story.pass(10);
    const [container] = story.pod.status?.containerStatuses ?? [];
    expect(container).toMatchObject({ image: "web:2", restartCount: 1, ready: true });
    expect(story.pod.status?.observedGeneration).toBe(2);
  });
});

describe("a pod that is not restarted always", () => {
  it("runs for a while and succeeds", () => {
    const story = new PodStory(makePod({ spec: job }));
    story.step();
    expect(story.phase).toBe("Running");
    story.pass(200);
    expect([story.phase, ...story.containers]).toEqual(["Succeeded", "terminated 0"]);
    expect(story.condition("Ready")).toBe("False PodCompleted");
    expect(story.condition("PodReadyToStartContainers")).toBe("False");
    expect(story.decide()).toEqual({});
  });

  it("fails with the exit code of the annotation", () => {
    const story = new PodStory(makePod({ spec: job, annotations: { [annotations.exitCode]: "3" } }));
    story.pass(300);
    expect([story.phase, ...story.containers]).toEqual(["Failed", "terminated 3"]);
    expect(story.condition("Ready")).toBe("False PodFailed");
  });

  it("runs as long as the annotation sets", () => {
    const story = new PodStory(makePod({ spec: job, annotations: { [annotations.run]: "5s" } }));
    story.pass(4999);
    expect(story.phase).toBe("Running");
    story.pass(1);
    expect(story.phase).toBe("Succeeded");
  });

  it("can be made to run for ever", () => {
    const story = new PodStory(makePod({ spec: job, annotations: { [annotations.run]: "forever" } }));
    expect(story.step().againInMs).toBeUndefined();
    expect(story.phase).toBe("Running");
  });

  it("restarts on failure at once, then ever later, and stays Running", () => {
    const story = new PodStory(
      makePod({ spec: { restartPolicy: "OnFailure" }, annotations: { [annotations.exitCode]: "1" } }),
    );
    const seen: string[] = [];
    for (let looks = 0; looks < 40 && (story.restarts ?? 0) < 3; looks += 1) {
      const { status, againInMs = 0 } = story.step();
      if (status !== undefined) seen.push(`${story.phase} ${story.restarts} ${story.containers.join()}`);
      story.nowMs += Math.max(1, againInMs);
    }
    expect(seen).toEqual([
      "Running 0 running",
      "Running 0 terminated 1",
      "Running 1 running",
      "Running 1 terminated 1",
      "Running 1 waiting CrashLoopBackOff",
      "Running 2 running",
      "Running 2 terminated 1",
      "Running 2 waiting CrashLoopBackOff",
      "Running 3 running",
    ]);
    // 10 s and 20 s of back-off.
    expect(story.nowMs - Date.parse(story.pod.status?.startTime ?? "")).toBeGreaterThan(30_000);
    const [container] = story.pod.status?.containerStatuses ?? [];
    expect(container?.lastState?.terminated?.exitCode).toBe(1);
  });

  it("fails when it is active for longer than its deadline", () => {
    const story = new PodStory(makePod({ spec: { activeDeadlineSeconds: 2 } }));
    story.pass(3000);
    expect(story.pod.status).toMatchObject({ phase: "Failed", reason: "DeadlineExceeded" });
    expect(story.containers).toEqual(["terminated 137"]);
  });
});

describe("a pod whose containers crash", () => {
  it("runs, crashes and is restarted over and over", () => {
    const story = new PodStory(makePod({ annotations: { [annotations.crashAfter]: "2s" } }));
    story.pass(1999);
    expect([story.phase, story.restarts, ...story.containers]).toEqual(["Running", 0, "running"]);
    story.pass(2);
    expect([story.phase, story.restarts, ...story.containers]).toEqual(["Running", 1, "running"]);
    story.pass(2500);
    expect([story.phase, ...story.containers]).toEqual(["Running", "waiting CrashLoopBackOff"]);
    expect(story.condition("Ready")).toBe("False ContainersNotReady");
    const [container] = story.pod.status?.containerStatuses ?? [];
    expect(container?.state?.waiting?.message).toBe(
      "back-off 10s restarting failed container=web pod=web_shop(u-1)",
    );
  });
});

describe("an image that cannot be pulled", () => {
  it("leaves the pod Pending, first with the error and then backing off", () => {
    const story = new PodStory(makePod(), { canPull: (image) => image !== "web:1" });
    expect(story.step().againInMs).toBe(1000);
    expect([story.phase, ...story.containers]).toEqual(["Pending", "waiting ErrImagePull"]);
    story.nowMs += 1000;
    story.step();
    expect([story.phase, ...story.containers]).toEqual(["Pending", "waiting ImagePullBackOff"]);
    expect(story.decide()).toEqual({});
    story.changes = {};
    story.step();
    expect([story.phase, ...story.containers]).toEqual(["Running", "running"]);
    expect(story.restarts).toBe(0);
  });

  it("can be requested by an annotation", () => {
    const story = new PodStory(makePod({ annotations: { [annotations.pull]: "fail" } }));
    story.step();
    expect(story.containers).toEqual(["waiting ErrImagePull"]);
  });

  it("does not keep a container from being restarted that has the image", () => {
    const story = new PodStory(makePod({ annotations: { [annotations.crashAfter]: "1s" } }));
    story.step();
    story.changes = { canPull: () => false };
    story.pass(1500);
    expect([story.restarts, ...story.containers]).toEqual([1, "running"]);
  });
});

describe("a pod with init containers", () => {
  const initContainers = [
    { name: "first", image: "init:1" },
    { name: "second", image: "init:2" },
  ];

  it("runs them one after the other before the regular containers", () => {
    const story = new PodStory(makePod({ spec: { initContainers } }), { timing: { initRunMs: 1000 } });
    const seen: string[] = [];
    for (let looks = 0; looks < 3; looks += 1) {
      const { againInMs = 0 } = story.step();
      seen.push(`${story.phase} ${story.condition("Initialized")}: ${story.containers.join(", ")}`);
      story.nowMs += againInMs;
    }
    expect(seen).toEqual([
      "Pending False ContainersNotInitialized: running, waiting PodInitializing, waiting PodInitializing",
      "Pending False ContainersNotInitialized: terminated 0, running, waiting PodInitializing",
      "Running True: terminated 0, terminated 0, running",
    ]);
    expect(story.pod.status?.initContainerStatuses?.map(({ ready }) => ready)).toEqual([true, true]);
    expect(story.decide()).toEqual({});
  });

  it("is stuck with the first whose image cannot be pulled", () => {
    const story = new PodStory(makePod({ spec: { initContainers } }), {
      canPull: (image) => image !== "init:2",
    });
    story.step();
    expect(story.containers).toEqual(["terminated 0", "waiting ErrImagePull", "waiting PodInitializing"]);
  });

  it("runs sidecars beside the regular containers, and ends them after those have ended", () => {
    const sidecar = { name: "proxy", image: "proxy:1", restartPolicy: "Always" };
    const story = new PodStory(makePod({ spec: { ...job, initContainers: [sidecar] } }));
    story.step();
    expect([story.phase, ...story.containers]).toEqual(["Running", "running", "running"]);
    expect(story.condition("Ready")).toBe("True");
    story.pass(200);
    expect([story.phase, ...story.containers]).toEqual(["Succeeded", "terminated 0", "terminated 0"]);
  });
});

describe("annotations that make no sense", () => {
  it("keep the containers from starting, and show why", () => {
    const story = new PodStory(makePod({ annotations: { [annotations.run]: "soon" } }));
    expect(story.step().againInMs).toBeUndefined();
    expect([story.phase, ...story.containers]).toEqual(["Pending", "waiting InvalidHollowAnnotation"]);
    const [container] = story.pod.status?.containerStatuses ?? [];
    expect(container?.state?.waiting?.message).toBe(
      'annotation hollow.keelson.dev/run is "soon", must be a duration such as 5s or forever',
    );
  });

  it("leave alone what runs already", () => {
    const story = new PodStory(makePod());
    story.step();
    const { metadata } = story.pod;
    story.pod = { ...story.pod, metadata: { ...metadata, annotations: { [annotations.exitCode]: "x" } } };
    expect(story.decide()).toEqual({});
  });
});

describe("a pod that was deleted", () => {
  it("stops as soon as its containers have, and may go then", () => {
    const story = new PodStory(makePod(), { timing: { terminationDelayMs: 4000 } });
    story.step();
    story.delete(30);
    const { status, isReadyToGo, againInMs = 0 } = story.step();
    expect([status, isReadyToGo]).toEqual([undefined, undefined]);
    // The deletion's time is in whole seconds, a quarter of one before it happened.
    expect(againInMs).toBe(3750);
    story.nowMs += againInMs;
    expect(story.step().isReadyToGo).toBe(true);
    expect([story.phase, ...story.containers]).toEqual(["Succeeded", "terminated 0"]);
    expect(story.condition("Ready")).toBe("False PodCompleted");
    expect(story.decide()).toEqual({ isReadyToGo: true });
  });

  it("is killed at the end of its grace period", () => {
    const story = new PodStory(makePod(), { timing: { terminationDelayMs: 60_000 } });
    story.step();
    story.delete(2);
    story.pass(2000);
    expect([story.phase, ...story.containers]).toEqual(["Failed", "terminated 137"]);
  });

  it("has not succeeded if it was meant to end by itself", () => {
    const story = new PodStory(makePod({ spec: job }));
    story.step();
    story.delete(30);
    story.step();
    expect([story.phase, ...story.containers]).toEqual(["Failed", "terminated 143"]);
  });

  it("may go also if its containers never started", () => {
    const story = new PodStory(makePod(), { canPull: () => false });
    story.step();
    story.delete(30);
    expect(story.step().isReadyToGo).toBe(true);
    expect([story.phase, ...story.containers]).toEqual(["Failed", "waiting ErrImagePull"]);
  });

  it("goes from a node that reports that it is not ready", () => {
    const story = new PodStory(makePod());
    story.step();
    story.delete(30);
    story.changes = { node: { address: "172.16.0.1", isReady: false } };
    expect(story.step().isReadyToGo).toBe(true);
  });

  it("may go when it had ended before", () => {
    const story = new PodStory(makePod({ spec: job }));
    story.pass(1000);
    const ended = story.pod.status;
    story.delete(30);
    expect(story.step()).toEqual({ isReadyToGo: true });
    expect(story.pod.status).toBe(ended);
  });
});
