import type { OptionTable, ParsedArguments } from './arguments/option-table.js';
import { type LoadedKubeConfig, loadKubeConfig } from './kube-config/load-kube-config.js';

/** Of every command that talks to a cluster. */
export const CONNECTION_OPTIONS: OptionTable = {
  kubeconfig: { value: 'file', help: 'which kubeconfig (default KUBECONFIG, or ~/.kube/config)' },
  context: { value: 'name', help: 'which of its contexts (default the current one)' },
};

/** Rejects with a `KubeConfigError`. */
export function chosenKubeConfig(parsed: ParsedArguments): Promise<LoadedKubeConfig> {
  return loadKubeConfig({ file: parsed.text('kubeconfig'), context: parsed.text('context') });
}
