/** A validator as https://standardschema.dev describes it, without the library. */
export const check = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate(value) {
      if (value.metadata.name === 'async') return Promise.reject(new Error('unheard'));
      if (value.metadata.name === 'throws') throw new Error('in the validator');
      if (value.spec === undefined)
        return { issues: [{ message: 'Required', path: ['spec', { key: 'nodeName' }] }] };
      return { value: { stripped: true } };
    },
  },
};
