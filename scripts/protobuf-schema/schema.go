package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

const metaPackage = "meta.v1"

// writeSchema writes two parts with an empty line between: the kinds, then the messages.
func writeSchema(out io.Writer) {
	scheme := builtInKinds()
	table := newMessageTable()
	// Of each group and version: the package that its own kinds are in, then the kinds.
	lines := map[string][]string{}
	for _, kind := range kindsInOrder(scheme) {
		message := table.add(scheme.AllKnownTypes()[kind])
		version := kind.GroupVersion().String()
		if isOfEveryGroup(version, message) {
			continue
		}
		if lines[version] == nil {
			lines[version] = []string{packageOf(version)}
		}
		token := kind.Kind
		if message != lines[version][0]+"."+kind.Kind {
			token += "=" + message
		}
		lines[version] = append(lines[version], token)
	}
	for _, version := range slices.Sorted(maps.Keys(lines)) {
		fmt.Fprintln(out, version, strings.Join(lines[version], " "))
	}
	fmt.Fprintln(out)
	for _, name := range slices.Sorted(maps.Keys(table.lines)) {
		fmt.Fprintln(out, strings.TrimSpace(name+" "+table.lines[name]))
	}
}

// isOfEveryGroup reports the kinds of meta.k8s.io that all groups register as their own (DeleteOptions, WatchEvent).
func isOfEveryGroup(version, message string) bool {
	return strings.HasPrefix(message, metaPackage+".") && version != "v1" && version != "meta.k8s.io/v1"
}

// packageOf is a guess that only shortens lines: apps/v1 -> apps.v1, rbac.authorization.k8s.io/v1 -> rbac.v1.
func packageOf(version string) string {
	group, name, isNamed := strings.Cut(version, "/")
	if !isNamed {
		return "core." + version
	}
	first, _, _ := strings.Cut(group, ".")
	return first + "." + name
}
