import { Duplex } from 'node:stream';

/** The client's end of a connection in memory, with what `node:http` asks of a socket besides bytes. */
export abstract class HttpSocket extends Duplex {
  setKeepAlive(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setTimeout(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}
