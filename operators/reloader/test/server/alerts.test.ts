import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { text } from "node:stream/consumers";
import { type RunningOperator, startWorld, type World } from "@keelson/testkit";
import { Deployment } from "keelson/kinds/apps/v1";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ReloaderConfig } from "../../src/api/reloader-config.ts";
import { reloader } from "../../src/operator.ts";
import { ReloaderSpace } from "../support/space.ts";

let world: World;
let operator: RunningOperator;
let server: Server;
let url: string;
/** The paths and bodies of what the endpoint has received. */
const received: { readonly path: string; readonly body: string }[] = [];

beforeAll(async () => {
  // Answers nothing under /hangs, and refuses the first POST to /reload.
  let refused = 0;
  server = createServer(async (request, response) => {
    const path = request.url ?? "";
    received.push({ path, body: await text(request) });
    if (path.startsWith("/hangs")) return;
    response.writeHead(path.startsWith("/reload") && refused++ === 0 ? 500 : 202).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  world = await startWorld(process.env.KEELSON_LEVEL);
});
afterAll(async () => {
  await world?.stop();
  server.closeAllConnections();
  server.close();
});

const settings = {
  ...{ coalesceWindow: "200ms", allowPrivateAlertAddresses: true, allowHttpAlerts: true },
  // So that the operator need not wait for the endpoint that hangs when it stops.
  ...{ alertTimeout: "2s", alertAttempts: 1 },
};

/** The bodies of what was received at a path. */
function receivedAt(path: string): readonly unknown[] {
  return received.filter((each) => each.path === path).map(({ body }) => body);
}

async function spaceWithTarget(alerts: object): Promise<ReloaderSpace> {
  const space = await ReloaderSpace.create(world);
  await space.createSecret("db", { password: "one" });
  await space.createDeployment("web");
  await space.createConfig("mine", {
    watchedResources: { secrets: ["db"] },
    targets: [{ kind: "Deployment", name: "web" }],
    alerts,
  });
  return space;
}

it("sends alerts of a reload to all channels that work, while another one hangs and others cannot be used", async () => {
  operator = await world.runOperator(reloader, {
    settings: {
      ...settings,
      alertSink: "gchat",
      alertWebhookUrl: `${url}/settings`,
      alertAdditionalInfo: "c1",
    },
  });
  const space = await spaceWithTarget({
    slack: { secretRef: { name: "hooks", key: "slack" } },
    teams: { secretRef: { name: "absent" } },
    googleChat: { url: `${url}/hangs/token-123` },
    customWebhook: {
      url: `${url}/custom`,
      format: "Template",
      template: '{"{{workloadName}}": "{{resources}}"}',
    },
  });
  await space.createSecret("hooks", { slack: `${url}/slack\n` });
  await space.isAdopted("web");
  await space.changeSecret("db", { password: "two" });
  await space.isReloaded("web");
  await expect.poll(() => receivedAt("/custom")).toEqual([`{"web": "${space.namespace}/Secret/db"}`]);
  await expect
    .poll(() => receivedAt("/slack"))
    .toEqual([expect.stringContaining("Successfully reloaded Deployment/web due to Secret change")]);
  await expect
    .poll(() => receivedAt("/settings"))
    .toEqual([
      `{"text":"c1 : Reloader detected changes in *db* of type *SECRET* in namespace *${space.namespace}*. Hence reloaded *web* of type *Deployment* in namespace *${space.namespace}*"}`,
    ]);
  expect(receivedAt("/hangs/token-123")).toHaveLength(1);
  await expect
    .poll(() => space.eventsAbout(ReloaderConfig, "mine"), { timeout: 15_000 })
    .toContain("Warning AlertFailed");
  const events = await space.kubectl("get", "events", "-o", "json");
  expect(events).toContain("Secret absent does not exist; create it with the URL under the key url");
  expect(events).not.toContain("token-123");

  // The channel that hangs does not delay a second reload.
  await space.changeSecret("db", { password: "three" });
  await space.isReloaded("web", 2);
  await expect.poll(() => receivedAt("/slack")).toHaveLength(2);
  await operator.stop();
});

it("calls the webhook instead of reloading, again until it accepts", async () => {
  operator = await world.runOperator(reloader, { settings: { ...settings, webhookUrl: `${url}/reload` } });
  const space = await spaceWithTarget({});
  await space.isAdopted("web");
  await space.changeSecret("db", { password: "two" });
  await expect.poll(() => receivedAt("/reload"), { timeout: 15_000 }).toHaveLength(2);
  expect(JSON.parse(String(receivedAt("/reload")[1]))).toMatchObject({
    ...{ kind: "secret", namespace: space.namespace, resourceName: "db", resourceType: "secret" },
    workloads: [{ kind: "Deployment", name: "web", namespace: space.namespace }],
  });
  await operator.idle();
  expect(receivedAt("/reload")).toHaveLength(2);
  expect(await space.eventsAbout(Deployment, "web")).toEqual(
    expect.arrayContaining(["Warning ReloadFail", "Normal ChangeNotified"]),
  );
  expect(await operator.metrics()).toContain('reloader_errors_total{type="webhook_send"} 1');
  expect(await space.reloadsOf("web")).toBe(0);
});
