import { DropConnectionError, type HttpService, type TransportRequest } from "@keelson/core";
import { describe, expect, test } from "vitest";
import { ConnectionLostError, createInProcessTransport } from "./in-process-transport.ts";

function get(path: string, signal?: AbortSignal): TransportRequest {
  return { method: "GET", path, headers: {}, isStream: true, ...(signal !== undefined && { signal }) };
}

/** Counts for ever, and records how far it came and whether it was aborted. */
function counter(): { readonly service: HttpService; readonly made: number[]; hasEnded(): boolean } {
  const made: number[] = [];
  let ended = false;
  const service: HttpService = async ({ signal }) => {
    signal.addEventListener("abort", () => {
      ended = true;
    });
    return { status: 200, body: numbers() };
  };
  async function* numbers(): AsyncGenerator<Uint8Array> {
    for (let count = 0; ; count++) {
      made.push(count);
      yield Buffer.from(String(count));
    }
  }
  return { service, made, hasEnded: () => ended };
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of body) text += Buffer.from(chunk).toString();
  return text;
}

describe("the in-process transport", () => {
  test("sends the request with its own headers, and returns the response", async () => {
    const transport = createInProcessTransport(
      async ({ method, path, headers, body }) => ({
        status: 201,
        headers: { a: "b" },
        body: `${method} ${path} ${headers.authorization} ${headers.x} ${await textOf(body)}`,
      }),
      { authorization: "Bearer t" },
    );
    const request = {
      method: "POST",
      path: "/p?q=1",
      headers: { x: "y" },
      body: "{}",
      isStream: false,
    } as const;
    const { status, headers, body } = await transport.send(request);
    expect({ status, headers }).toEqual({ status: 201, headers: { a: "b" } });
    expect(await textOf(body)).toBe("POST /p?q=1 Bearer t y {}");
  });

  test("reads no more than its reader does, and aborts the request when the reader leaves", async () => {
    const { service, made, hasEnded } = counter();
    const { body } = await createInProcessTransport(service).send(get("/"));
    for await (const chunk of body) if (Buffer.from(chunk).toString() === "2") break;
    expect(made).toEqual([0, 1, 2]);
    expect(hasEnded()).toBe(true);
  });

  test("rejects open requests when they are aborted, with the reason, or when it is closed", async () => {
    const hanging: HttpService = async () => ({ status: 200, body: never() });
    async function* never(): AsyncGenerator<Uint8Array> {
      yield Buffer.from("first");
      await new Promise(() => {});
    }
    const transport = createInProcessTransport(hanging);
    const abort = new AbortController();
    const one = (await transport.send(get("/", abort.signal))).body[Symbol.asyncIterator]();
    const other = (await transport.send(get("/"))).body[Symbol.asyncIterator]();
    await Promise.all([one.next(), other.next()]);
    const waiting = [one.next(), other.next()];
    abort.abort(new Error("enough"));
    await expect(waiting[0]).rejects.toThrow("enough");
    await transport.close();
    await expect(waiting[1]).rejects.toThrow(ConnectionLostError);
    await expect(transport.send(get("/"))).rejects.toMatchObject({ code: "ECONNRESET" });
  });

  test("reports a dropped connection as reset, before and within a response", async () => {
    const dropping: HttpService = async ({ path }) => {
      if (path === "/now") throw new DropConnectionError("because");
      return { status: 200, body: broken() };
    };
    // biome-ignore lint/correctness/useYield: it breaks before its first chunk.
    async function* broken(): AsyncGenerator<Uint8Array> {
      throw new DropConnectionError("because");
    }
    const transport = createInProcessTransport(dropping);
    await expect(transport.send(get("/now"))).rejects.toMatchObject({ code: "ECONNRESET" });
    const { body } = await transport.send(get("/later"));
    await expect(textOf(body)).rejects.toMatchObject({ code: "ECONNRESET" });
  });
});
