import { VirtualClock } from "@keelson/testkit";
import { describe, expect, it } from "vitest";
import { ChartRepositories } from "./chart-repositories.ts";
import { RepositoryError } from "./errors.ts";

interface Sent {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const index = (...versions: readonly string[]): string =>
  `entries:\n  app:\n${versions.map((version) => `  - version: ${version}\n`).join("")}`;

/** Repositories of a server that responds as the test chooses. */
function repositoriesOf(respond: (sent: Sent, signal: AbortSignal) => Response | Promise<Response>) {
  const clock = new VirtualClock();
  const sent: Sent[] = [];
  const repositories = new ChartRepositories(async (input, init) => {
    const request = new Request(input, init);
    const each = { url: request.url, headers: Object.fromEntries(new Headers(init?.headers)) };
    sent.push(each);
    return respond(each, request.signal);
  });
  const { signal } = new AbortController();
  const read = async (repo: string, chart = "app", end = signal): Promise<readonly string[] | undefined> =>
    (await repositories.versionsOf({ repo, name: chart }, clock, end))?.map(({ version }) => version);
  return { clock, sent, read };
}

describe("C.10: a repository", () => {
  it.each([
    ["https://charts.example.com", "https://charts.example.com/index.yaml"],
    ["https://charts.example.com/", "https://charts.example.com/index.yaml"],
    ["http://charts.example.com/a/b//", "http://charts.example.com/a/b/index.yaml"],
    ["https://charts.example.com/a?token=b", "https://charts.example.com/a/index.yaml?token=b"],
  ])("%s has its index at %s", async (repo, url) => {
    const { read, sent } = repositoriesOf(() => new Response(index("1.0.0", "2.0.0")));
    expect(await read(repo)).toEqual(["1.0.0", "2.0.0"]);
    expect(sent.map((each) => each.url)).toEqual([url]);
  });

  it("may lack a chart", async () => {
    const { read } = repositoriesOf(() => new Response(index("1.0.0")));
    expect(await read("https://charts.example.com", "other")).toBeUndefined();
  });

  it("gets the credentials of its URL, and no message shows them", async () => {
    const { read, sent } = repositoriesOf(() => new Response(null, { status: 401 }));
    const failure = read("https://me:p%40ss@charts.example.com/a?token=hidden");
    await expect(failure).rejects.toThrow(
      new RepositoryError("read https://charts.example.com/a/index.yaml: the repository responded with 401"),
    );
    const authorization = `Basic ${Buffer.from("me:p@ss").toString("base64")}`;
    expect(sent).toMatchObject([
      { url: "https://charts.example.com/a/index.yaml?token=hidden", headers: { authorization } },
    ]);
  });

  it.each(["http://", "http://exa mple.com", "https://me:%zz@charts.example.com"])(
    "is not %s, which is no URL",
    async (repo) => {
      const { read, sent } = repositoriesOf(() => new Response(index("1.0.0")));
      await expect(read(repo)).rejects.toMatchObject({
        reason: "InvalidRepository",
        message: "chart.repo is no URL; write it like https://host/path",
      });
      expect(sent).toEqual([]);
    },
  );

  it.each([429, 500, 503, 404, 206, 304])("cannot be read if it responds with %i", async (status) => {
    const { read } = repositoriesOf(() => new Response(null, { status }));
    await expect(read("https://charts.example.com")).rejects.toThrow(`responded with ${status}`);
  });

  it("cannot be read if it is not reached", async () => {
    const { read } = repositoriesOf(() => {
      const cause = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
      throw new TypeError("fetch failed", { cause });
    });
    await expect(read("https://charts.example.com")).rejects.toThrow(
      "read https://charts.example.com/index.yaml: the repository did not respond: ECONNREFUSED",
    );
  });

  it("cannot be read if its index is something else", async () => {
    const { read } = repositoriesOf(() => new Response("<html>"));
    await expect(read("https://charts.example.com")).rejects.toThrow(RepositoryError);
  });

  it("cannot be read if its index is larger than 32 MB, which are not downloaded to their end", async () => {
    let pulled = 0;
    const chunk = new Uint8Array(1024 * 1024).fill(35);
    const body = new ReadableStream({
      pull: (controller) => {
        pulled++;
        controller.enqueue(chunk);
      },
    });
    const { read } = repositoriesOf(() => new Response(body));
    await expect(read("https://charts.example.com")).rejects.toThrow("the index has more than 32 MB");
    expect(pulled).toBeLessThan(40);
  });

  it("has 30 s to respond", async () => {
    const { clock, read } = repositoriesOf((_, signal) => forever(signal));
    const failure = expect(read("https://charts.example.com")).rejects.toThrow(
      "read https://charts.example.com/index.yaml: it took longer than 30 s",
    );
    await clock.advance(29_999);
    expect(clock.pendingTimers).toHaveLength(1);
    await clock.advance(1);
    await failure;
    expect(clock.pendingTimers).toEqual([]);
  });

  it("is not waited for once the reconcile ends", async () => {
    const { clock, read } = repositoriesOf((_, signal) => forever(signal));
    const stop = new AbortController();
    const reading = read("https://charts.example.com", "app", stop.signal);
    const reason = new Error("the operator stops");
    stop.abort(reason);
    await expect(reading).rejects.toBe(reason);
    expect(clock.pendingTimers).toEqual([]);
  });
});

describe("C.10: an index that has not changed", () => {
  const tagged = (etag: string, text: string): Response => new Response(text, { headers: { etag } });

  it("is not downloaded again", async () => {
    const { read, sent } = repositoriesOf(({ headers }) =>
      headers["if-none-match"] === '"1"'
        ? new Response(null, { status: 304 })
        : tagged('"1"', index("1.0.0")),
    );
    expect(await read("https://charts.example.com")).toEqual(["1.0.0"]);
    expect(await read("https://charts.example.com")).toEqual(["1.0.0"]);
    expect(sent.map(({ headers }) => headers["if-none-match"])).toEqual([undefined, '"1"']);
  });

  it("is downloaded for another chart or repository", async () => {
    const { read, sent } = repositoriesOf(() => tagged('"1"', index("1.0.0")));
    await read("https://charts.example.com");
    await read("https://charts.example.com", "other");
    await read("https://charts.example.com/more");
    expect(sent.map(({ headers }) => headers["if-none-match"])).toEqual([undefined, undefined, undefined]);
  });

  it("is replaced by a newer one", async () => {
    let count = 0;
    const { read, sent } = repositoriesOf(() => {
      count++;
      return tagged(`"${count}"`, index(`${count}.0.0`));
    });
    expect(await read("https://charts.example.com")).toEqual(["1.0.0"]);
    expect(await read("https://charts.example.com")).toEqual(["2.0.0"]);
    await read("https://charts.example.com");
    expect(sent.map(({ headers }) => headers["if-none-match"])).toEqual([undefined, '"1"', '"2"']);
  });

  it("is kept for so many charts at most", async () => {
    const { read, sent } = repositoriesOf(() => tagged('"1"', index("1.0.0")));
    for (let number = 0; number <= 64; number++) await read(`https://charts.example.com/${number}`);
    await read("https://charts.example.com/0");
    await read("https://charts.example.com/64");
    expect(sent.slice(-2).map(({ headers }) => headers["if-none-match"])).toEqual([undefined, '"1"']);
  });
});

/** A response that never comes, as `fetch` ends it. */
function forever(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => reject(signal.reason));
  return promise;
}
