/** True for `npm run test:loops`: the loops over every message and every byte take each of them, and not a part. */
export const isFullLoop: boolean = process.env['KUBEFLECT_LOOPS'] === 'full';
