import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import type { TransportResponse } from "@keelson/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { accessTo } from "../../test/support/tls-server.ts";
import { readText } from "../request/response.ts";
import { httpTransport } from "./http-transport.ts";
import { BurstDetector, StreamedResponse } from "./http1-exchange.ts";

/** Sends a request to a server that sends these texts, whatever the request, and then ends unless `ends` is false. */
async function ask(said: readonly string[], { ends = true } = {}): Promise<TransportResponse> {
  const server = createServer((socket: Socket) => {
    socket
      .on("error", () => undefined)
      .once("data", async () => {
        for (const text of said) {
          await new Promise((resolve) => socket.write(text, "latin1", resolve));
          // So that it is not read together with the next.
          await turn();
        }
        if (ends) socket.end();
      });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const transport = httpTransport(accessTo(`http://127.0.0.1:${port}`));
  onTestFinished(async () => {
    await transport.close();
    server.close();
  });
  return transport.send({ method: "GET", path: "/", headers: {}, isStream: true });
}

async function textOf(said: readonly string[], options?: Parameters<typeof ask>[1]): Promise<string> {
  return readText((await ask(said, options)).body);
}

const head = "HTTP/1.1 200 OK\r\n";

describe("the answer to a stream", () => {
  it("comes in chunks", async () => {
    const said = [`${head}Transfer-Encoding: chunked\r\n\r\n3\r\nab`, "c\r\n2\r", "\nde\r\n0\r\n\r\n"];
    expect(await textOf(said, { ends: false })).toBe("abcde");
  });

  it("has a length", async () => {
    expect(await textOf([`${head}Content-Length: 5\r\n\r\nabc`, "de and more"], { ends: false })).toBe(
      "abcde",
    );
  });

  it("goes on until the connection ends, if nothing else is said", async () => {
    expect(await textOf([`${head}\r\nabc`, "de"])).toBe("abcde");
  });

  it("has no body where there cannot be one", async () => {
    expect(await textOf(["HTTP/1.1 204 No Content\r\n\r\n"], { ends: false })).toBe("");
  });

  it("may follow interim responses", async () => {
    const said = [
      "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 1",
      "00 Continue\r\n\r\n",
      `${head}\r\nabc`,
    ];
    expect(await textOf(said)).toBe("abc");
  });

  it("may come byte by byte", async () => {
    const answer = `${head}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`;
    expect(await textOf([...answer], { ends: false })).toBe("abc");
  });

  it("is not complete if the connection ends before it does", async () => {
    const { body } = await ask([`${head}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n`]);
    await expect(readText(body)).rejects.toMatchObject({ code: "ECONNRESET" });
    const shorter = await ask([`${head}Content-Length: 5\r\n\r\nabc`]);
    await expect(readText(shorter.body)).rejects.toMatchObject({ code: "ECONNRESET" });
    await expect(ask([head])).rejects.toMatchObject({ code: "ECONNRESET" });
  });

  it.each([
    ["no head", "220 mail.example.com ESMTP\r\n\r\n"],
    ["a head without an end", `${head}X: ${"x".repeat(300_000)}`],
    ["an encoding that was not requested", `${head}Transfer-Encoding: gzip, chunked\r\n\r\n`],
    ["a length that is none", `${head}Content-Length: many\r\n\r\n`],
    ["two lengths", `${head}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`],
  ])("is refused with %s", async (_, said) => {
    await expect(ask([said], { ends: false })).rejects.toMatchObject({ code: "EPROTO" });
  });

  it("fails at a chunk that is none, after what came before it", async () => {
    const { body } = await ask([`${head}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nno size\r\n`], {
      ends: false,
    });
    const pieces: string[] = [];
    const reading = async (): Promise<void> => {
      for await (const piece of body) pieces.push(Buffer.from(piece).toString());
    };
    await expect(reading()).rejects.toMatchObject({ code: "EPROTO" });
    expect(pieces.join("")).toBe("abc");
  });
});

describe("a flood of small pieces", () => {
  /** Each is written on its own, and so are the sizes between them. */
  const pieces = Array.from({ length: 2_000 }, (_, index) => `${index} `.padEnd(4_096, "x"));
  const flood = [
    `${head}Transfer-Encoding: chunked\r\n\r\n`,
    ...pieces.flatMap((piece) => ["1000\r\n", piece, "\r\n"]),
    "0\r\n\r\n",
  ];

  it("is read in larger ones, and whole", async () => {
    const read: Uint8Array[] = [];
    for await (const piece of (await ask(flood, { ends: false })).body) read.push(piece);
    expect(Buffer.concat(read).toString()).toBe(pieces.join(""));
    // A third of them on a quick machine, all of them if each were read as it comes.
    expect(read.length).toBeLessThan(0.9 * pieces.length);
  });

  it("breaks with its connection, like every stream", async () => {
    const { body } = await ask(flood.slice(0, -1));
    await expect(readText(body)).rejects.toMatchObject({ code: "ECONNRESET" });
  });

  it("can be left in the middle", async () => {
    const { body } = await ask(flood, { ends: false });
    let bytes = 0;
    for await (const piece of body) {
      bytes += piece.length;
      if (bytes > 4_000_000) break;
    }
    expect(bytes).toBeLessThan(8_192_000);
  });
});

it("is not sent with a path that would be more than a path", async () => {
  const transport = httpTransport(accessTo("http://127.0.0.1:1"));
  const request = { method: "GET", path: "/ HTTP/1.1\r\nx: y", headers: {}, isStream: true } as const;
  await expect(transport.send(request)).rejects.toThrow(TypeError);
  await transport.close();
});

const chunkedHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

/** What a reader receives that starts after all of these texts were read, one by one. */
async function readLate(
  texts: readonly string[],
): Promise<{ pieces: string; error: unknown; goesOn: boolean }> {
  const response = new StreamedResponse();
  const [goesOn = false] = texts.map((text) => response.read(Buffer.from(text))).slice(-1);
  let pieces = "";
  try {
    for (let piece = await response.body.next(); piece !== undefined; piece = await response.body.next())
      pieces += Buffer.from(piece).toString();
    return { pieces, error: undefined, goesOn };
  } catch (error) {
    return { pieces, error, goesOn };
  }
}

it("passes on nothing after a malformed chunk, and reads no more", async () => {
  const texts = [`${chunkedHead}3\r\nabc\r\nno size\r\n`, "3\r\nxyz\r\n0\r\n\r\n"];
  expect(await readLate(texts)).toEqual({
    pieces: "abc",
    error: expect.objectContaining({ code: "EPROTO" }),
    goesOn: false,
  });
});

it("passes on nothing after the end", async () => {
  const texts = [`${chunkedHead}3\r\nabc\r\n0\r\nTrailer: x\r\n`, "\r\nmore", "3\r\nxyz\r\n"];
  expect(await readLate(texts)).toEqual({ pieces: "abc", error: undefined, goesOn: false });
});

it("is not read further while a megabyte waits for its reader", async () => {
  const response = new StreamedResponse();
  response.read(Buffer.from(chunkedHead));
  const chunk = Buffer.from(`80000\r\n${"x".repeat(0x80000)}\r\n`);
  // Below that it is.
  expect([response.read(chunk), response.read(chunk)]).toEqual([true, false]);
  await response.body.next();
  expect(response.read(chunk)).toBe(true);
});

it("detects a burst from the bytes of 20 ms", () => {
  const gauge = new BurstDetector(1_000);
  gauge.count(1_000_000, 1_019);
  expect(gauge.isBurst).toBe(false);
  gauge.count(1, 1_020);
  expect(gauge.isBurst).toBe(true);
});

it("does not take a slow and even stream for a burst, however long it is", () => {
  const gauge = new BurstDetector(0);
  for (let nowMs = 1; nowMs < 1_000; nowMs++) {
    gauge.count(1_700, nowMs);
    expect(gauge.isBurst).toBe(false);
  }
});

it("detects the end of a burst with the first bytes after it", () => {
  const gauge = new BurstDetector(0);
  for (let nowMs = 1; nowMs <= 20; nowMs++) gauge.count(4_000, nowMs);
  expect(gauge.isBurst).toBe(true);
  gauge.count(1_700, 60);
  expect(gauge.isBurst).toBe(false);
});
