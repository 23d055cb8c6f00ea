import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import type { FromWorker, StreamPort } from '../wire/messages.js';
import type { NearPort } from './stream-handle.js';

/** The two ends of one stream's channel. */
export interface StreamChannel {
  readonly near: NearPort;
  /** To be handed over to the thread. */
  readonly far: StreamPort;
}

/** A `MessageChannel`: works between threads, and within one. */
export function openStreamChannel(): StreamChannel {
  const { port1, port2 } = new MessageChannel();
  const take = (): FromWorker | undefined => receiveMessageOnPort(port1)?.message;
  return { near: Object.assign(port1, { take }), far: port2 };
}
