package main

import "reflect"

// coverage records which fields of which messages at least one document has filled.
type coverage struct {
	filled map[string]bool
	// Whether a type, or a nested one, has a field that no document has filled. Once false, it stays false.
	lacks map[reflect.Type]bool
}

func newCoverage() *coverage {
	return &coverage{filled: map[string]bool{}, lacks: map[reflect.Type]bool{}}
}

func fieldName(owner reflect.Type, field reflect.StructField) string {
	return messageName(owner) + "." + field.Name
}

// wants reports whether a document must fill the field, regardless of randomness.
func (seen *coverage) wants(owner reflect.Type, field reflect.StructField) bool {
	return !seen.filled[fieldName(owner, field)] || seen.isLacking(field.Type, map[reflect.Type]bool{})
}

func (seen *coverage) isLacking(goType reflect.Type, visited map[reflect.Type]bool) bool {
	switch goType.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return seen.isLacking(goType.Elem(), visited)
	case reflect.Struct:
	default:
		return false
	}
	if lacks, known := seen.lacks[goType]; visited[goType] || specialTypes[goType] != "" || (known && !lacks) {
		return false
	}
	visited[goType] = true
	for _, field := range wireFields(goType) {
		if !seen.filled[fieldName(goType, field)] || seen.isLacking(field.Type, visited) {
			return true
		}
	}
	// A nested result may lack a type that is being visited: only the complete result is cached.
	if len(visited) == 1 {
		seen.lacks[goType] = false
	}
	return false
}
