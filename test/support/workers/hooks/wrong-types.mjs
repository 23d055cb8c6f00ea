export const transform = 'not a function';
