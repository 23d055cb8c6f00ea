/** The bytes are not what they claim to be. The message is that of kube-apiserver's decoder. */
export class ProtobufError extends Error {
  override readonly name = 'ProtobufError';
}
