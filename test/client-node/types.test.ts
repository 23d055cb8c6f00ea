import type * as ClientNode1 from '@kubernetes/client-node';
import type * as ClientNode2 from 'client-node-2';
import * as adapter from 'kubeflect/client-node';
import { describe, expect, expectTypeOf, it } from 'vitest';

// Held by `npm run typecheck`: a wrong type does not compile. At run time there is little to see.
describe('next to client-node 1.4 and 2.x, the adapter', () => {
  it('has a makeInformer that is assignable to theirs', () => {
    const as1: typeof ClientNode1.makeInformer = adapter.makeInformer;
    const as2: typeof ClientNode2.makeInformer = adapter.makeInformer;
    expect(as1).toBe(as2);
  });

  it('returns an informer that is assignable to theirs', () => {
    expectTypeOf<adapter.Informer<ClientNode1.V1Pod>>().toExtend<ClientNode1.Informer<ClientNode1.V1Pod>>();
    expectTypeOf<adapter.Informer<ClientNode2.V1Pod>>().toExtend<ClientNode2.Informer<ClientNode2.V1Pod>>();
    expectTypeOf<adapter.ObjectCache<ClientNode1.V1Pod>>().toEqualTypeOf<
      ClientNode1.ObjectCache<ClientNode1.V1Pod>
    >();
    expectTypeOf<adapter.ObjectCache<ClientNode2.V1Pod>>().toEqualTypeOf<
      ClientNode2.ObjectCache<ClientNode2.V1Pod>
    >();
  });

  it('has a ListWatch with the arguments of theirs', () => {
    type Of1 = ConstructorParameters<typeof ClientNode1.ListWatch<ClientNode1.V1Pod>>;
    type Of2 = ConstructorParameters<typeof ClientNode2.ListWatch<ClientNode2.V1Pod>>;
    expectTypeOf<Of1>().toExtend<ConstructorParameters<typeof adapter.ListWatch<ClientNode1.V1Pod>>>();
    expectTypeOf<Of2>().toExtend<ConstructorParameters<typeof adapter.ListWatch<ClientNode2.V1Pod>>>();
  });

  it('has a ListWatch with every method of theirs', () => {
    expectTypeOf<adapter.ListWatch<ClientNode1.V1Pod>>().toExtend<
      Pick<ClientNode1.ListWatch<ClientNode1.V1Pod>, keyof ClientNode1.ListWatch<ClientNode1.V1Pod>>
    >();
    expectTypeOf<adapter.ListWatch<ClientNode2.V1Pod>>().toExtend<
      Pick<ClientNode2.ListWatch<ClientNode2.V1Pod>, keyof ClientNode2.ListWatch<ClientNode2.V1Pod>>
    >();
  });

  it('has their types of callbacks', () => {
    expectTypeOf<adapter.ObjectCallback<ClientNode1.V1Pod>>().toEqualTypeOf<
      ClientNode1.ObjectCallback<ClientNode1.V1Pod>
    >();
    expectTypeOf<adapter.ErrorCallback>().toEqualTypeOf<ClientNode1.ErrorCallback>();
    expectTypeOf<adapter.ErrorCallback>().toEqualTypeOf<ClientNode2.ErrorCallback>();
    expectTypeOf<adapter.ListCallback<ClientNode2.V1Pod>>().toEqualTypeOf<
      ClientNode2.ListCallback<ClientNode2.V1Pod>
    >();
    expectTypeOf<ClientNode1.ListPromise<ClientNode1.V1Pod>>().toExtend<
      adapter.ListPromise<ClientNode1.V1Pod>
    >();
    expectTypeOf<ClientNode2.ListPromise<ClientNode2.V1Pod>>().toExtend<
      adapter.ListPromise<ClientNode2.V1Pod>
    >();
  });

  it('has their verbs, with the same values', () => {
    expectTypeOf<adapter.ADD>().toEqualTypeOf<ClientNode1.ADD>();
    expectTypeOf<adapter.CHANGE>().toEqualTypeOf<ClientNode2.CHANGE>();
    const { ADD, UPDATE, CHANGE, DELETE, CONNECT, ERROR } = adapter;
    expect([ADD, UPDATE, CHANGE, DELETE, CONNECT, ERROR]).toEqual([
      'add',
      'update',
      'change',
      'delete',
      'connect',
      'error',
    ]);
  });
});

it('the names of kubeflect/client-node are these, and no others', () => {
  expect(Object.keys(adapter)).toEqual([
    'ADD',
    'CHANGE',
    'CONNECT',
    'DELETE',
    'ERROR',
    'ListWatch',
    'UPDATE',
    'makeInformer',
  ]);
});
