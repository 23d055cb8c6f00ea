package main

import "reflect"

// coverage knows which fields of which messages some document has filled.
type coverage struct {
	filled map[string]bool
	// Whether a type, or one that it holds, has a field that none has filled. False is for good.
	lacks map[reflect.Type]bool
}

func newCoverage() *coverage {
	return &coverage{filled: map[string]bool{}, lacks: map[reflect.Type]bool{}}
}

func fieldName(owner reflect.Type, field reflect.StructField) string {
	return messageName(owner) + "." + field.Name
}

// wants tells whether a document should fill the field, rather than leave it to chance.
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
	// Another type may have been left out because it was on the way here: only the whole answer is kept.
	if len(visited) == 1 {
		seen.lacks[goType] = false
	}
	return false
}
