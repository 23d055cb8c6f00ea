/** Fields whose keys are data. Their objects are maps, whatever the keys look like: no table may grow with them. */
export const MAP_FIELDS: ReadonlySet<string> = new Set([
  ...['labels', 'annotations', 'matchLabels', 'nodeSelector', 'selector', 'podSelector'],
  ...['data', 'stringData', 'binaryData', 'fieldsV1', 'parameters', 'options', 'attributes'],
  ...[
    'limits',
    'requests',
    'capacity',
    'allocatable',
    'hard',
    'used',
    'default',
    'defaultRequest',
    'min',
    'max',
  ],
  ...['properties', 'patternProperties', 'definitions', 'extra', 'values', 'config'],
]);
