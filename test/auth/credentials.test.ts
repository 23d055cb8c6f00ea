import type { KubeflectError } from 'kubeflect';
import { describe, expect, it } from 'vitest';
import type { IdentityRequest, IdentitySource } from '#dist/src/auth/connection-source.js';
import { Credentials } from '#dist/src/auth/credentials.js';
import { VirtualClock } from '../support/time/virtual-clock.js';

/** Gives a token that counts the calls, when it is let. */
class Login {
  readonly calls: IdentityRequest[] = [];
  readonly refreshes: string[] = [];
  readonly problems: KubeflectError[] = [];
  readonly clock: VirtualClock = new VirtualClock();
  /** What the next calls give; the last one stays. */
  answers: (string | Error)[] = ['token 1'];
  source: Partial<IdentitySource> = {};
  readonly credentials: Credentials = new Credentials({
    source: () => ({
      server: 'https://a',
      headers: async (request) => {
        this.calls.push(request);
        await new Promise((resolve) => setImmediate(resolve));
        const answer = this.answers.length > 1 ? this.answers.shift() : this.answers[0];
        if (answer instanceof Error) throw answer;
        return { authorization: `Bearer ${answer}` };
      },
      ...this.source,
    }),
    clock: this.clock,
    onProblem: (error) => this.problems.push(error),
    onRefresh: (reason) => this.refreshes.push(reason),
  });
}

describe('Credentials', () => {
  it('are read once for all streams that open at the same time', async () => {
    const login = new Login();
    const all = await Promise.all(Array.from({ length: 50 }, () => login.credentials.current()));
    expect(login.calls).toEqual([{ isUnauthorized: false }]);
    expect(new Set(all).size).toBe(1);
    expect(all[0]?.headers).toEqual({ authorization: 'Bearer token 1' });
  });

  it('that have not changed are the same object', async () => {
    const login = new Login();
    const first = await login.credentials.current();
    expect(await login.credentials.current()).toBe(first);
    login.answers = ['token 2'];
    expect(await login.credentials.current()).not.toBe(first);
    expect(login.refreshes).toEqual(['first', 'changed']);
  });

  it('to which a hundred streams got a 401 are renewed once', async () => {
    const login = new Login();
    const refused = await login.credentials.current();
    login.answers = ['token 2'];
    const renewed = await Promise.all(Array.from({ length: 100 }, () => login.credentials.renewed(refused)));
    expect(login.calls).toEqual([{ isUnauthorized: false }, { isUnauthorized: true }]);
    expect(new Set(renewed).size).toBe(1);
    expect(renewed[0]?.headers).toEqual({ authorization: 'Bearer token 2' });
    // A straggler gets what there is.
    expect(await login.credentials.renewed(refused)).toBe(renewed[0]);
    expect(login.calls).toHaveLength(2);
    expect(login.refreshes).toEqual(['first', 'unauthorized']);
  });

  it('that are being renewed are awaited by other streams', async () => {
    const login = new Login();
    const refused = await login.credentials.current();
    login.answers = ['token 2'];
    const [renewed, asked] = await Promise.all([
      login.credentials.renewed(refused),
      login.credentials.current(),
    ]);
    expect(asked).toBe(renewed);
    expect(login.calls).toHaveLength(2);
  });

  it('are renewed after a read in progress, which may return the rejected ones', async () => {
    const login = new Login();
    const refused = await login.credentials.current();
    login.answers = ['token 1', 'token 2'];
    const [, renewed] = await Promise.all([login.credentials.current(), login.credentials.renewed(refused)]);
    expect(renewed?.headers).toEqual({ authorization: 'Bearer token 2' });
  });

  it('that are unchanged after a renewal are not tried again, nor renewed again within ten seconds', async () => {
    const login = new Login();
    const refused = await login.credentials.current();
    expect(await login.credentials.renewed(refused)).toBeUndefined();
    expect(await login.credentials.renewed(refused)).toBeUndefined();
    expect(login.calls).toHaveLength(2);
    await login.clock.advance(10_000);
    expect(await login.credentials.renewed(refused)).toBeUndefined();
    expect(login.calls).toHaveLength(3);
  });

  it('that get a 401 after a renewal are not renewed immediately, unless the server accepted them in between', async () => {
    const login = new Login();
    const first = await login.credentials.current();
    login.answers = ['token 2', 'token 3'];
    const second = (await login.credentials.renewed(first))!;
    expect(await login.credentials.renewed(second)).toBeUndefined();
    login.credentials.accepted(first);
    expect(await login.credentials.renewed(second)).toBeUndefined();
    login.credentials.accepted(second);
    const third = await login.credentials.renewed(second);
    expect(third?.headers).toEqual({ authorization: 'Bearer token 3' });
  });

  it('that cannot be read are reported without the message of what was thrown', async () => {
    const login = new Login();
    const thrown = Object.assign(new RangeError('secret'), { code: 'EWHATEVER', secret: 'secret' });
    login.answers = [thrown, 'token 1'];
    const error = await login.credentials.current().catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'KUBEFLECT_CREDENTIALS_FAILED',
      message: expect.stringMatching(/RangeError EWHATEVER$/),
    });
    expect((error as Error).cause).toBeUndefined();
    expect(await login.credentials.current()).toBeDefined();
  });

  it('have lowercase headers, of which the later wins, and reject invalid characters', async () => {
    const login = new Login();
    login.source = {
      headers: { Authorization: 'Bearer a', 'X-Other': 'b' },
      identity: async () => ({ headers: { authorization: 'Bearer c' }, cert: 'C', key: 'K' }),
    };
    expect(await login.credentials.current()).toMatchObject({
      headers: { authorization: 'Bearer c', 'x-other': 'b' },
      tls: { cert: 'C', key: 'K' },
    });
    for (const headers of [
      { authorization: 'Bearer a\nx: y' },
      { 'a b': 'c' },
      { a: 5 as never },
      { a: ['b', 'c\r'] },
    ]) {
      login.source = { headers };
      await expect(login.credentials.current()).rejects.toThrow(/the name or value of a header/);
    }
  });

  it('whose source throws or returns no headers are reported without the message of what was thrown', async () => {
    const login = new Login();
    login.source = {
      get server(): string {
        throw new Error('secret');
      },
    };
    await expect(login.credentials.current()).rejects.toThrow(/^the connection function failed: Error$/);
    login.source = { headers: () => undefined as never };
    await expect(login.credentials.current()).rejects.toThrow(/did not return an object$/);
  });

  it('of two engines have different origins', async () => {
    const [a, b] = await Promise.all([new Login().credentials.current(), new Login().credentials.current()]);
    expect(a.origin).not.toBe(b.origin);
  });
});
