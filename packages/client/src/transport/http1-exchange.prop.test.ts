import { once } from "node:events";
import { createServer as createTcpServer, type Server, type Socket } from "node:net";
import { setImmediate as turn, setTimeout as wait } from "node:timers/promises";
import { createServer as createTlsServer } from "node:tls";
import fc from "fast-check";
import { expect, it } from "vitest";
import { selfSigned } from "../../test/support/certificates.ts";
import { accessTo } from "../../test/support/tls-server.ts";
import { httpTransport } from "./http-transport.ts";

/** What the server writes at once, and how long it waits then: not at all, a turn of the event loop, or some ms. */
const arrivals = fc.array(
  fc.record({
    bytes: fc.oneof(fc.integer({ min: 1, max: 6_000 }), fc.constant(200_000)),
    pause: fc.oneof(fc.constant("none"), fc.constant("turn"), fc.integer({ min: 1, max: 8 })),
  }),
  { minLength: 1, maxLength: 120 },
);
/** How long the reader is busy with one piece after the other, over and over. */
const takes = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 12 })), {
  minLength: 1,
  maxLength: 8,
});
type Arrival = typeof arrivals extends fc.Arbitrary<(infer One)[]> ? One : never;
type Ending = "whole" | "cut";

const certificate = await selfSigned("localhost");

/** Answers whatever it is asked in chunks, and then ends the answer, or only the connection. */
async function serve(socket: Socket, said: readonly Arrival[], ending: Ending): Promise<void> {
  socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (const [index, { bytes, pause }] of said.entries()) {
    socket.write(`${bytes.toString(16)}\r\n`);
    await new Promise((resolve) => socket.write(blockOf(index, bytes), resolve));
    socket.write("\r\n");
    if (pause === "turn") await turn();
    else if (typeof pause === "number") await wait(pause);
  }
  if (ending === "whole") socket.write("0\r\n\r\n");
  socket.end();
}

const blockOf = (index: number, bytes: number): Buffer => Buffer.alloc(bytes, 97 + (index % 26));

function listenWith(isTls: boolean, onSocket: (socket: Socket) => void): Server {
  return isTls ? createTlsServer({ ...certificate }, onSocket) : createTcpServer(onSocket);
}

it.each([
  ["TLS", true],
  ["a plain connection", false],
])(
  "a stream over %s arrives whole and in order, whichever side is slower, and leaves nothing",
  async (_, isTls) => {
    const check = async (
      said: readonly Arrival[],
      busy: readonly number[],
      ending: Ending,
    ): Promise<void> => {
      const open = new Set<Socket>();
      const server = listenWith(isTls, (socket) => {
        open.add(socket);
        socket.on("error", () => undefined).on("close", () => open.delete(socket));
        socket.once("data", () => void serve(socket, said, ending));
      });
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      const address = server.address();
      const port = typeof address === "object" ? address?.port : undefined;
      const url = `${isTls ? "https" : "http"}://127.0.0.1:${port}`;
      const transport = httpTransport(accessTo(url, isTls ? certificate.cert : undefined));
      const { body } = await transport.send({ method: "GET", path: "/", headers: {}, isStream: true });
      const pieces: Uint8Array[] = [];
      const reading = async (): Promise<void> => {
        for await (const piece of body) {
          const busyMs = busy[pieces.length % busy.length] ?? 0;
          pieces.push(piece);
          if (busyMs > 0) await wait(busyMs);
        }
      };
      if (ending === "whole") await reading();
      else await expect(reading()).rejects.toMatchObject({ code: "ECONNRESET" });
      const expected = Buffer.concat(said.map(({ bytes }, index) => blockOf(index, bytes)));
      expect(Buffer.concat(pieces).equals(expected)).toBe(true);
      await transport.close();
      await expect.poll(() => open.size, { timeout: 10_000 }).toBe(0);
      server.close();
    };
    await fc.assert(fc.asyncProperty(arrivals, takes, fc.constantFrom<Ending>("whole", "cut"), check), {
      numRuns: 20,
    });
  },
  60_000,
);
