/** npm passes the Ctrl-C on that the terminal has already sent us: so soon after the first, a signal says nothing new. */
export const echoMs = 200;
