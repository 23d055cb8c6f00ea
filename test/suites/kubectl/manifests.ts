/** Objects that the kubectl cases create, as kubectl reads them. */

export function podYaml(name: string, tier: string): string {
  return `
apiVersion: v1
kind: Pod
metadata:
  name: ${name}
  labels: { tier: ${tier} }
spec:
  containers:
    - name: main
      image: example.test/main:1
`;
}

export function deploymentYaml(image: string): string {
  return `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers:
        - name: main
          image: ${image}
          env: [{ name: KEPT, value: "yes" }]
        - name: side
          image: side:1
`;
}

export function configMap(name: string, data: Record<string, string>): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
}

export function widgetDefinition(group: string): string {
  return `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.${group} }
spec:
  group: ${group}
  scope: Namespaced
  names: { plural: widgets, singular: widget, kind: Widget, listKind: WidgetList, shortNames: [wdg] }
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties: { size: { type: integer } }
`;
}

export function widget(group: string, name: string, size: number): string {
  return JSON.stringify({ apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name }, spec: { size } });
}
