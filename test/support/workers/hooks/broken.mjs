throw new Error('this module has a bug');
