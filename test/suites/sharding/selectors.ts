/** 200 values of `shardSelector`, of which the real API server's parser and ours must think the same. */

const UID = 'object.metadata.uid';
const HALF = "'0x8000000000000000'";
const ZERO = "'0x0000000000000000'";
const ALL = "'0x10000000000000000'";

function term(start: string, end: string, field = UID): string {
  return `shardRange(${field}, ${start}, ${end})`;
}

function hex(value: bigint): string {
  return `'0x${value.toString(16).padStart(16, '0')}'`;
}

const LOWER = term(ZERO, HALF);
const UPPER = term(HALF, ALL);

/** Selectors that the API server accepts, and their canonical form if that differs. */
export const VALID_SELECTORS: readonly (readonly [text: string, canonical?: string])[] = [
  [LOWER],
  [UPPER],
  [term(ZERO, ALL)],
  [`${LOWER} || ${UPPER}`],
  [`${UPPER} || ${LOWER}`],
  [`${LOWER} || ${LOWER}`],
  [term(ZERO, HALF, 'object.metadata.namespace')],
  [`${term(ZERO, HALF, 'object.metadata.namespace')} || ${term(HALF, ALL, 'object.metadata.namespace')}`],
  [term("'0x0000000000000000'", "'0x0000000000000001'")],
  [term("'0xffffffffffffffff'", ALL)],
  [term("'0x00000000000000aa'", "'0x00000000000000ff'")],
  [`  ${LOWER}  `, LOWER],
  [`\t${LOWER}\n`, LOWER],
  [LOWER.replaceAll(' ', ''), LOWER],
  [`${LOWER}||${UPPER}`, `${LOWER} || ${UPPER}`],
  [`${LOWER} ||\n${UPPER}`, `${LOWER} || ${UPPER}`],
  ["shardRange ( object . metadata . uid , '0x0000000000000000' , '0x8000000000000000' )", LOWER],
  [LOWER.replaceAll("'", '"'), LOWER],
  [LOWER.replaceAll("'", "'''"), LOWER],
  [LOWER.replaceAll("'", '"""'), LOWER],
  [term("r'0x0000000000000000'", "R'0x8000000000000000'"), LOWER],
  [term("r'''0x0000000000000000'''", 'r"""0x8000000000000000"""'), LOWER],
  [term("'\\x30x0000000000000000'", HALF), LOWER],
  [term("'\\060x0000000000000000'", HALF), LOWER],
  [term("'\\u0030x0000000000000000'", HALF), LOWER],
  [term("'\\U00000030x0000000000000000'", HALF), LOWER],
  [`(${LOWER})`, LOWER],
  [`((${LOWER}))`, LOWER],
  [`(${LOWER}) || (${UPPER})`, `${LOWER} || ${UPPER}`],
  [`(${LOWER} || ${UPPER})`, `${LOWER} || ${UPPER}`],
  [`${LOWER} || (${UPPER} || ${LOWER})`, `${LOWER} || ${UPPER} || ${LOWER}`],
  [`shardRange((${UID}), (${ZERO}), (${HALF}))`, LOWER],
  [`shardRange((object).metadata.uid, ${ZERO}, ${HALF})`, LOWER],
  [`shardRange((object.metadata).uid, ${ZERO}, ${HALF})`, LOWER],
  [`anything.${LOWER}`, LOWER],
  [`any.thing.${LOWER}`, LOWER],
  [`${LOWER} // a comment`, LOWER],
  [`// a comment\n${LOWER}`, LOWER],
];

export const INVALID_SELECTORS: readonly string[] = [
  '   ',
  '\n',
  'shardRange',
  'shardRange()',
  'true',
  '1',
  "'0x0000000000000000'",
  UID,
  'object',
  `shardRange(${UID})`,
  `shardRange(${UID}, ${ZERO})`,
  `shardRange(${UID}, ${ZERO}, ${HALF}, ${ALL})`,
  `shardRange(${UID}, ${ZERO}, ${HALF},)`,
  `shardRange(,${UID}, ${ZERO}, ${HALF})`,
  `shardRange(${UID} ${ZERO} ${HALF})`,
  `shardRange(${UID}, ${ZERO}, ${HALF}`,
  `shardRange ${UID}, ${ZERO}, ${HALF})`,
  `${LOWER})`,
  `(${LOWER}`,
  '()',
  `shardrange(${UID}, ${ZERO}, ${HALF})`,
  `ShardRange(${UID}, ${ZERO}, ${HALF})`,
  `.shardRange(${UID}, ${ZERO}, ${HALF})`,
  `other(${UID}, ${ZERO}, ${HALF})`,
  `namespace(${UID}, ${ZERO}, ${HALF})`,
  `${LOWER} && ${UPPER}`,
  `${LOWER} | ${UPPER}`,
  `${LOWER} or ${UPPER}`,
  `${LOWER} ${UPPER}`,
  `${LOWER}, ${UPPER}`,
  `${LOWER} ||`,
  `|| ${LOWER}`,
  `${LOWER} || || ${UPPER}`,
  `${LOWER} || true`,
  `${LOWER} || ${UID}`,
  `!${LOWER}`,
  `-${LOWER}`,
  `${LOWER} ? ${LOWER} : ${UPPER}`,
  `${LOWER} == true`,
  `[${LOWER}]`,
  `{${LOWER}: 1}`,
  `${LOWER}.uid`,
  `${LOWER}[0]`,
  `${LOWER};`,
  `${LOWER} # comment`,
  `/* comment */ ${LOWER}`,
  term(ZERO, HALF, 'metadata.uid'),
  term(ZERO, HALF, 'uid'),
  term(ZERO, HALF, 'object'),
  term(ZERO, HALF, 'object.metadata'),
  term(ZERO, HALF, 'object.metadata.name'),
  term(ZERO, HALF, 'object.metadata.labels'),
  term(ZERO, HALF, 'object.metadata.uid.x'),
  term(ZERO, HALF, 'object.metadata.UID'),
  term(ZERO, HALF, '.object.metadata.uid'),
  term(ZERO, HALF, 'object.metadata.'),
  term(ZERO, HALF, 'object..metadata.uid'),
  term(ZERO, HALF, "object['metadata'].uid"),
  term(ZERO, HALF, "object.metadata['uid']"),
  term(ZERO, HALF, 'object.?metadata.uid'),
  term(ZERO, HALF, "'object.metadata.uid'"),
  term(ZERO, HALF, 'object.metadata.uid()'),
  term(ZERO, HALF, 'has(object.metadata.uid)'),
  term(ZERO, HALF, 'string(object.metadata.uid)'),
  term(ZERO, HALF, '1'),
  term('0', '8'),
  term('0x0000000000000000', '0x8000000000000000'),
  term('true', HALF),
  term('null', HALF),
  term(`b${ZERO}`, HALF),
  term(UID, HALF),
  term(`${ZERO} + ''`, HALF),
  term(`hex(0)`, HALF),
  term("'0x0'", HALF),
  term("'0x'", HALF),
  term("''", HALF),
  term("'0000000000000000'", HALF),
  term("'0X0000000000000000'", HALF),
  term("' 0x0000000000000000'", HALF),
  term("'0x0000000000000000 '", HALF),
  term("'0x000000000000000'", HALF),
  term("'0x00000000000000000'", HALF),
  term("'0x000000000000000000'", HALF),
  term("'0x000000000000000g'", HALF),
  term("'0x000000000000000A'", HALF),
  term("'0x00000000000000-1'", HALF),
  term("'0x00000000000000\u00e4'", HALF),
  term(ZERO, "'0xff'"),
  term(ZERO, "'0x8000'"),
  term(ZERO, "'0x10000000000000001'"),
  term(ZERO, "'0x20000000000000000'"),
  term(ZERO, "'0x100000000000000000'"),
  term(ALL, ALL),
  term(HALF, HALF),
  term(ZERO, ZERO),
  term(HALF, ZERO),
  term(ALL, ZERO),
  term("'0x0000000000000000", HALF),
  term("'0x00000000\n00000000'", HALF),
  term("'\\q0x000000000000000'", HALF),
  term("'\\xz0'", HALF),
  term("'\\ud800'", HALF),
  `${LOWER} || ${term(HALF, ALL, 'object.metadata.namespace')}`,
  `${term(ZERO, HALF, 'object.metadata.namespace')} || ${UPPER}`,
  `${LOWER} || ${term("'0x0'", HALF)}`,
  `${LOWER} || other()`,
];

/** Ranges of shards and their neighbours, in all the forms that a program might write. */
function generated(count: number): string[] {
  const spaces = ['', ' ', '  ', '\t', '\n'];
  return Array.from({ length: count }, (_, i) => {
    const of = 2n ** BigInt(1 + (i % 6));
    const size = 2n ** 64n / of;
    const start = (BigInt(i) * 7n) % of;
    const space = spaces[i % spaces.length] ?? '';
    const terms = Array.from({ length: 1 + (i % 4) }, (_, j) => {
      const index = (start + BigInt(j)) % of;
      const quote = i % 3 === 0 ? '"' : "'";
      const [first, last] = [index * size, (index + 1n) * size].map((bound) =>
        hex(bound).replaceAll("'", quote),
      );
      return `shardRange(${space}${UID},${space}${first}${space},${last})`;
    });
    return terms.join(`${space}||${space}`);
  });
}

const WRITTEN = [...VALID_SELECTORS.map(([text]) => text), ...INVALID_SELECTORS];

export const SELECTORS: readonly string[] = [...WRITTEN, ...generated(200 - WRITTEN.length)];
