/** As Node's sockets fail, so that what tells errors apart by their code finds what it knows. */
function socketError(code: string, syscall: string): Error {
  return Object.assign(new Error(`${syscall} ${code} (injected)`), { code, syscall });
}

export function connectionRefused(): Error {
  return socketError("ECONNREFUSED", "connect");
}

export function connectionReset(): Error {
  return socketError("ECONNRESET", "read");
}
