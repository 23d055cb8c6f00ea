/** A validator as https://standardschema.dev describes it, without the library. */
export const check = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate(value) {
      if (value.metadata.name === 'async') return Promise.reject(new Error('unheard'));
      if (value.metadata.name === 'throws') throw new Error('in the validator');
      if (value.metadata.name === 'all-wrong')
        return { issues: Array.from({ length: 70_000 }, (_, i) => ({ message: `wrong ${i}` })) };
      if (value.spec === undefined)
        return { issues: [{ message: 'Required', path: ['spec', { key: 'nodeName' }] }] };
      return { value: { stripped: true } };
    },
  },
};
