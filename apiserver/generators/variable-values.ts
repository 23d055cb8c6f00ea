/** The values of the variables for one object at a time, computed from its index alone. */

import { NameLayout, nodeDigits, writeDigits } from './name-layout.js';
import { VARIABLES, type VariableName } from './placeholder.js';
import type { ResolvedPopulateSpec } from './populate-spec.js';
import { hash32, mix32 } from './random.js';

/** Where in `VariableValues.bytes` the value of a variable is. */
export interface Slot {
  readonly start: number;
  readonly end: number;
}

/** Values that are computed together. A set computes only those that its templates use. */
const PARTS = ['key', 'uid', 'ownerUid', 'node', 'podIp', 'times', 'digest'] as const;

type Part = (typeof PARTS)[number];

const PART_OF: Readonly<Record<VariableName, Part>> = {
  namespace: 'key',
  name: 'key',
  app: 'key',
  owner: 'key',
  hash: 'key',
  uid: 'uid',
  ownerUid: 'ownerUid',
  node: 'node',
  nodeIp: 'node',
  podIp: 'podIp',
  created: 'times',
  started: 'times',
  changed: 'times',
  createdSecond: 'times',
  changedSecond: 'times',
  digest: 'digest',
  digestTail: 'digest',
  token: 'digest',
};

/** All objects are created in the 180 days from here: no clock, so that the bytes are reproducible. */
const EPOCH_MS: number = Date.UTC(2026, 0, 5);
const CREATION_WINDOW_SECONDS: number = 180 * 86_400;
/** A mutation advances `changed` by 61 seconds, modulo 30 days: coprime, so no value recurs early. */
const CHANGE_STEP_SECONDS = 61;
const CHANGE_WINDOW_SECONDS: number = 30 * 86_400;
const DATES: Buffer = Buffer.from(
  Array.from({ length: 220 }, (_, day) =>
    new Date(EPOCH_MS + day * 86_400_000).toISOString().slice(0, 10),
  ).join(''),
  'latin1',
);

const TIME_VARIABLES: readonly VariableName[] = ['created', 'started', 'changed'];

const UUID_WIDTH = 36;
const TIME_WIDTH = 20;
const DIGEST_WIDTH = 64;
/** `10.128.100.100`: every octet has three digits, so addresses are equally long. 3.1 million of them. */
const IP_WIDTH = 14;
const HEX_PAIRS: Buffer = Buffer.from(
  Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0')).join(''),
  'latin1',
);

export class VariableValues {
  /** Valid after `fill`, for the requested parts, until the next call. */
  readonly bytes: Buffer;
  /** The times of TIME_VARIABLES as seconds since 1970; valid as long as `bytes` is. */
  readonly seconds: Float64Array = new Float64Array(TIME_VARIABLES.length);
  readonly names: NameLayout;
  readonly #slots: Readonly<Record<VariableName, Slot>>;
  readonly #nodes: number;
  readonly #nodeWidth: number;
  readonly #salt: number;
  readonly #ownerSalt: number;
  /** Where each part begins. */
  readonly #uid: number;
  readonly #ownerUid: number;
  readonly #node: number;
  readonly #podIp: number;
  readonly #times: number;
  readonly #digest: number;

  constructor(spec: ResolvedPopulateSpec) {
    this.names = new NameLayout(spec);
    this.#nodes = spec.nodes;
    this.#salt = hash32(spec.seed, spec.apiVersion, spec.kind, spec.namePrefix);
    this.#ownerSalt = hash32(spec.seed, 'owner', spec.namePrefix);
    const node = `node-${'0'.repeat(nodeDigits(spec.nodes))}`;
    this.#nodeWidth = node.length;

    this.#uid = this.names.keyWidth;
    this.#ownerUid = this.#uid + UUID_WIDTH;
    this.#node = this.#ownerUid + UUID_WIDTH;
    this.#podIp = this.#node + this.#nodeWidth + IP_WIDTH;
    this.#times = this.#podIp + IP_WIDTH;
    this.#digest = this.#times + 3 * TIME_WIDTH;
    this.bytes = Buffer.alloc(this.#digest + DIGEST_WIDTH);
    this.names.writeLiterals(this.bytes, 0);
    this.bytes.write(node, this.#node, 'latin1');
    this.#slots = this.#layout();
  }

  slot(name: VariableName): Slot {
    return this.#slots[name];
  }

  /** The parts that these variables need, to be passed to `fill`. */
  partsOf(variables: Iterable<VariableName>): number {
    let parts = 0;
    for (const name of variables) parts |= partBit(PART_OF[name]);
    return parts;
  }

  fill(parts: number, index: number, mutation: number): void {
    if (parts & (KEY | OWNER_UID)) this.names.locate(index);
    if (parts & KEY) this.names.writeKey(this.bytes, 0);
    if (parts & UID) this.#writeUuid(this.#uid, this.#salt, index);
    if (parts & OWNER_UID) this.#writeUuid(this.#ownerUid, this.#ownerSalt, this.names.groupHash());
    if (parts & NODE) this.#writeNode(index);
    if (parts & POD_IP) this.#writeIp(this.#podIp, index, 128, 128);
    if (parts & TIMES) this.#writeTimes(index, mutation);
    if (parts & DIGEST) this.#writeDigest(index);
  }

  /** The index in `seconds` of a variable that is a time. */
  timeIndex(name: VariableName): number {
    const index = TIME_VARIABLES.findIndex(
      (variable) => this.#slots[variable].start === this.#slots[name].start,
    );
    if (index < 0) throw new Error(`${name} is no time`);
    return index;
  }

  /** The value of a variable, after `fill`. */
  string(name: VariableName): string {
    const slot = this.#slots[name];
    return this.bytes.toString('latin1', slot.start, slot.end);
  }

  /** `namespace/name`, after `fill`. */
  key(): string {
    return this.bytes.toString('latin1', 0, this.names.keyWidth);
  }

  #layout(): Record<VariableName, Slot> {
    const { names } = this;
    const created = this.#times;
    const started = created + TIME_WIDTH;
    const changed = started + TIME_WIDTH;
    const nodeIp = this.#node + this.#nodeWidth;
    const slots: Record<VariableName, Slot> = {
      namespace: { start: 0, end: names.namespaceEnd },
      name: { start: names.nameStart, end: names.keyWidth },
      app: { start: names.nameStart, end: names.appEnd },
      owner: { start: names.nameStart, end: names.ownerEnd },
      hash: { start: Math.min(names.appEnd + 1, names.ownerEnd), end: names.ownerEnd },
      uid: { start: this.#uid, end: this.#uid + UUID_WIDTH },
      ownerUid: { start: this.#ownerUid, end: this.#ownerUid + UUID_WIDTH },
      node: { start: this.#node, end: nodeIp },
      nodeIp: { start: nodeIp, end: nodeIp + IP_WIDTH },
      podIp: { start: this.#podIp, end: this.#podIp + IP_WIDTH },
      created: { start: created, end: created + TIME_WIDTH },
      started: { start: started, end: started + TIME_WIDTH },
      changed: { start: changed, end: changed + TIME_WIDTH },
      createdSecond: { start: created, end: created + TIME_WIDTH - 1 },
      changedSecond: { start: changed, end: changed + TIME_WIDTH - 1 },
      digest: { start: this.#digest, end: this.#digest + DIGEST_WIDTH },
      digestTail: { start: this.#digest + 8, end: this.#digest + DIGEST_WIDTH },
      token: { start: this.#digest, end: this.#digest + 5 },
    };
    for (const name of VARIABLES) Object.freeze(slots[name]);
    return slots;
  }

  /** Version 4 in form. The first 32 bits are a bijection of `index`, so no two objects of a set share a uid. */
  #writeUuid(at: number, salt: number, index: number): void {
    const { bytes } = this;
    const a = mix32(index ^ salt);
    const b = (mix32(a ^ salt) & 0xffff0fff) | 0x4000;
    const c = (mix32(b ^ index) & 0x3fffffff) | 0x80000000;
    const d = mix32(c + salt);
    writeHex32(bytes, at, a);
    bytes[at + 8] = 45;
    writeHex16(bytes, at + 9, b >>> 16);
    bytes[at + 13] = 45;
    writeHex16(bytes, at + 14, b & 0xffff);
    bytes[at + 18] = 45;
    writeHex16(bytes, at + 19, c >>> 16);
    bytes[at + 23] = 45;
    writeHex16(bytes, at + 24, c & 0xffff);
    writeHex32(bytes, at + 28, d);
  }

  #writeNode(index: number): void {
    const node = mix32(this.#salt + index) % this.#nodes;
    writeDigits(this.bytes, this.#node + this.#nodeWidth, this.#nodeWidth - 5, node);
    this.#writeIp(this.#node + this.#nodeWidth, node, 100, 28);
  }

  #writeIp(at: number, ordinal: number, firstOctet: number, octets: number): void {
    const { bytes } = this;
    const high = Math.floor(ordinal / 156);
    const higher = Math.floor(high / 156);
    bytes[at] = 49;
    bytes[at + 1] = 48;
    bytes[at + 2] = 46;
    writeDigits(bytes, at + 6, 3, firstOctet + (higher % octets));
    bytes[at + 6] = 46;
    writeDigits(bytes, at + 10, 3, 100 + (high % 156));
    bytes[at + 10] = 46;
    writeDigits(bytes, at + 14, 3, 100 + (ordinal % 156));
  }

  #writeTimes(index: number, mutation: number): void {
    const random = mix32(this.#salt - index);
    const created = random % CREATION_WINDOW_SECONDS;
    const started = created + 2 + (random & 7);
    const changed = started + 5 + ((mutation * CHANGE_STEP_SECONDS) % CHANGE_WINDOW_SECONDS);
    this.seconds[0] = EPOCH_MS / 1000 + created;
    this.seconds[1] = EPOCH_MS / 1000 + started;
    this.seconds[2] = EPOCH_MS / 1000 + changed;
    this.#writeTime(this.#times, created);
    this.#writeTime(this.#times + TIME_WIDTH, started);
    this.#writeTime(this.#times + 2 * TIME_WIDTH, changed);
  }

  /** 2026-01-05T00:00:00Z */
  #writeTime(at: number, second: number): void {
    const { bytes } = this;
    const day = Math.floor(second / 86_400);
    const inDay = second - day * 86_400;
    const hour = Math.floor(inDay / 3600);
    const minute = Math.floor((inDay - hour * 3600) / 60);
    for (let k = 0; k < 10; k++) bytes[at + k] = DATES[day * 10 + k] as number;
    bytes[at + 10] = 84;
    writeDigits(bytes, at + 13, 2, hour);
    bytes[at + 13] = 58;
    writeDigits(bytes, at + 16, 2, minute);
    bytes[at + 16] = 58;
    writeDigits(bytes, at + 19, 2, inDay % 60);
    bytes[at + 19] = 90;
  }

  #writeDigest(index: number): void {
    // Not `mix32(index ^ salt)`, which is how the uid begins.
    let h = mix32(mix32(index ^ this.#salt) + 1);
    for (let at = this.#digest; at < this.#digest + DIGEST_WIDTH; at += 8) {
      writeHex32(this.bytes, at, h);
      h = mix32(h + 0x9e3779b9);
    }
  }
}

function partBit(part: Part): number {
  return 1 << PARTS.indexOf(part);
}

const KEY: number = partBit('key');
const UID: number = partBit('uid');
const OWNER_UID: number = partBit('ownerUid');
const NODE: number = partBit('node');
const POD_IP: number = partBit('podIp');
const TIMES: number = partBit('times');
const DIGEST: number = partBit('digest');

function writeHex32(target: Buffer, at: number, value: number): void {
  writeHex16(target, at, value >>> 16);
  writeHex16(target, at + 4, value & 0xffff);
}

function writeHex16(target: Buffer, at: number, value: number): void {
  const high = (value >>> 8) << 1;
  const low = (value & 0xff) << 1;
  target[at] = HEX_PAIRS[high] as number;
  target[at + 1] = HEX_PAIRS[high + 1] as number;
  target[at + 2] = HEX_PAIRS[low] as number;
  target[at + 3] = HEX_PAIRS[low + 1] as number;
}
