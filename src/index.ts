/** The public names of kubeflect. The engine joins them with the issues that bring it. */
export {};
