import type { PopulateSpec } from '../control/populate-spec.js';
import { type KindProfile, kindProfile, typedKinds } from './kind-profile.js';

/** A `PopulateSpec` with its defaults: what the generators work with. */
export type ResolvedPopulateSpec = Readonly<Required<PopulateSpec>> & {
  readonly profile: KindProfile;
};

type NumberOption = Exclude<keyof PopulateSpec, 'kind' | 'apiVersion' | 'namePrefix'>;

interface NumberRule {
  readonly name: NumberOption;
  readonly from: number;
  readonly to: number;
  readonly whole: boolean;
  /** Undefined when the option is required. */
  readonly fallback: (profile: KindProfile, spec: PopulateSpec) => number | undefined;
}

const NUMBER_RULES: readonly NumberRule[] = [
  // Above this, indexes and their hashes would exceed 32-bit integers, which are fast.
  { name: 'count', from: 0, to: 100_000_000, whole: true, fallback: () => undefined },
  { name: 'seed', from: 0, to: Number.MAX_SAFE_INTEGER, whole: true, fallback: () => 1 },
  { name: 'namespaces', from: 0, to: 1_000_000, whole: true, fallback: defaultNamespaces },
  { name: 'sizeBytes', from: 100, to: 3_145_728, whole: true, fallback: (profile) => profile.sizeBytes },
  {
    name: 'managedFieldsShare',
    from: 0,
    to: 0.6,
    whole: false,
    fallback: (profile) => profile.managedFieldsShare,
  },
  {
    name: 'labels',
    from: 0,
    to: 100,
    whole: true,
    fallback: (profile, spec) => scaledDown(profile.labels, profile, spec),
  },
  {
    name: 'annotations',
    from: 0,
    to: 100,
    whole: true,
    fallback: (profile, spec) => scaledDown(profile.annotations, profile, spec),
  },
  {
    name: 'containers',
    from: 1,
    to: 50,
    whole: true,
    fallback: (profile, spec) => Math.max(1, scaledDown(profile.containers, profile, spec)),
  },
  {
    name: 'nodes',
    from: 1,
    to: 1_000_000,
    whole: true,
    fallback: (_, spec) => Math.min(Math.max(1, Math.ceil(spec.count / 30)), 1_000_000),
  },
  { name: 'churnPerSecond', from: 0, to: 1_000_000, whole: false, fallback: () => 0 },
];

const STRING_OPTIONS: readonly string[] = ['kind', 'apiVersion', 'namePrefix'];
const KIND = /^[A-Z][A-Za-z0-9]{0,62}$/;
const API_VERSION = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?v[a-z0-9]+$/;
/** 40 characters leave space for digits and hashes within a label value's 63. */
const NAME_PREFIX = /^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$/;

/**
 * Fills in the defaults. Throws a RangeError that names the option when a value is invalid; never changes its
 * input.
 */
export function resolvePopulateSpec(spec: PopulateSpec): ResolvedPopulateSpec {
  for (const name of Object.keys(spec)) {
    if (!STRING_OPTIONS.includes(name) && !NUMBER_RULES.some((rule) => rule.name === name)) {
      const names = [...STRING_OPTIONS, ...NUMBER_RULES.map((rule) => rule.name)];
      throw new RangeError(`populate: unknown option ${name}; expected one of ${names.join(', ')}`);
    }
  }
  checkString('kind', spec.kind, KIND, 'a kind such as Pod');
  checkString('apiVersion', spec.apiVersion, API_VERSION, 'a version such as v1 or apps/v1');
  checkString(
    'namePrefix',
    spec.namePrefix,
    NAME_PREFIX,
    'at most 40 characters of a-z, 0-9 and -, without a leading or trailing -',
  );
  const profile = kindProfile(spec.kind, spec.apiVersion);
  if (profile === undefined) {
    throw invalid(
      'apiVersion',
      `set for the kind ${spec.kind}, which is none of ${typedKinds().join(', ')}`,
      spec.apiVersion,
    );
  }
  const numbers = Object.fromEntries(
    NUMBER_RULES.map((rule) => [rule.name, resolveNumber(rule, spec, profile)]),
  ) as Record<NumberOption, number>;
  checkScope(profile, numbers.namespaces);
  return Object.freeze({
    kind: profile.kind,
    apiVersion: profile.apiVersion,
    namePrefix: spec.namePrefix ?? profile.namePrefix,
    ...numbers,
    profile,
  });
}

function resolveNumber(rule: NumberRule, spec: PopulateSpec, profile: KindProfile): number {
  const value = spec[rule.name] ?? rule.fallback(profile, spec);
  const fits =
    typeof value === 'number' &&
    value >= rule.from &&
    value <= rule.to &&
    (!rule.whole || Number.isInteger(value));
  if (!fits) {
    throw invalid(
      rule.name,
      `a ${rule.whole ? 'whole number' : 'number'} from ${rule.from} to ${rule.to}`,
      value,
    );
  }
  return value;
}

function checkString(name: string, value: unknown, pattern: RegExp, expected: string): void {
  if (value === undefined && name !== 'kind') return;
  if (typeof value !== 'string' || !pattern.test(value)) throw invalid(name, expected, value);
}

function checkScope(profile: KindProfile, namespaces: number): void {
  if (profile.scope === 'Cluster' && namespaces !== 0) {
    throw invalid('namespaces', `0 or undefined, since ${profile.kind} is cluster-scoped`, namespaces);
  }
  if (profile.scope === 'Namespaced' && namespaces === 0) {
    throw invalid('namespaces', `at least 1, since ${profile.kind} is namespaced`, namespaces);
  }
}

/** Objects smaller than the default have proportionally fewer labels, annotations and containers. */
function scaledDown(usual: number, profile: KindProfile, spec: PopulateSpec): number {
  const size = spec.sizeBytes ?? profile.sizeBytes;
  return Math.floor(usual * Math.min(1, size / profile.sizeBytes));
}

function defaultNamespaces(profile: KindProfile, spec: PopulateSpec): number {
  if (profile.scope === 'Cluster') return 0;
  if (profile.homeNamespace !== undefined) return 1;
  return Math.min(Math.max(1, Math.ceil(spec.count / 100)), 1000);
}

function invalid(option: string, expected: string, received: unknown): RangeError {
  const shown = typeof received === 'string' ? JSON.stringify(received) : String(received);
  return new RangeError(`populate: option ${option} must be ${expected}, got ${shown}`);
}
