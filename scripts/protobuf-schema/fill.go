package main

import (
	"math/rand/v2"
	"reflect"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// filler sets an object's fields to random values, the same for the same seed. Of Kubernetes it knows only which values
// of a type can be sent as JSON.
type filler struct {
	random *rand.Rand
	// Percentage of optional fields that are filled at the top level; it decreases with each level below.
	density int
	// Beyond this depth lists, maps and pointers may be absent altogether.
	maxDepth int
	coverage *coverage
	// Set if no document has filled the next field yet.
	isWanted bool
}

// Only schemas nest deeper.
const maxWantedDepth = 20

func (fill *filler) chance(depth int) bool {
	if fill.isWanted && depth <= maxWantedDepth {
		fill.isWanted = false
		return true
	}
	if depth > fill.maxDepth {
		return false
	}
	return fill.random.IntN(100) < max(fill.density-depth*fill.density/12, 8)
}

func (fill *filler) structFields(value reflect.Value, depth int) {
	goType := value.Type()
	for _, field := range wireFields(goType) {
		part := value.FieldByIndex(field.Index)
		fill.isWanted = fill.coverage.wants(goType, field)
		fill.value(part, depth)
		if isEmptyStruct := part.Kind() == reflect.Struct && part.NumField() == 0; isEmptyStruct || !part.IsZero() {
			fill.coverage.filled[fieldName(goType, field)] = true
		}
	}
}

func (fill *filler) value(value reflect.Value, depth int) {
	if fill.special(value, depth) {
		return
	}
	switch value.Kind() {
	case reflect.Pointer:
		if fill.chance(depth) {
			value.Set(reflect.New(value.Type().Elem()))
			fill.value(value.Elem(), depth)
		}
	case reflect.Struct:
		fill.structFields(value, depth+1)
	case reflect.Slice:
		fill.slice(value, depth)
	case reflect.Map:
		fill.entries(value, depth)
	case reflect.String:
		if fill.chance(depth) {
			value.SetString(pick(fill, stringPool))
		}
	case reflect.Bool:
		value.SetBool(fill.random.IntN(2) == 0)
	case reflect.Int32, reflect.Int64:
		if fill.chance(depth) {
			value.SetInt(fill.integer(value.Kind()))
		}
	case reflect.Float64:
		value.SetFloat(pick(fill, floatPool))
	default:
		panic("cannot fill a " + value.Type().String())
	}
}

// Nil and empty differ in Go and in JSON, but not on the wire.
func (fill *filler) slice(value reflect.Value, depth int) {
	if value.Type().Elem().Kind() == reflect.Uint8 {
		if fill.chance(depth) {
			value.SetBytes(fill.bytes())
		}
		return
	}
	if !fill.chance(depth) {
		if fill.random.IntN(3) == 0 {
			value.Set(reflect.MakeSlice(value.Type(), 0, 0))
		}
		return
	}
	length := 1 + fill.random.IntN(2)
	value.Set(reflect.MakeSlice(value.Type(), length, length))
	for index := range length {
		fill.element(value.Index(index), depth+1)
	}
}

func (fill *filler) entries(value reflect.Value, depth int) {
	if !fill.chance(depth) {
		if fill.random.IntN(3) == 0 {
			value.Set(reflect.MakeMap(value.Type()))
		}
		return
	}
	value.Set(reflect.MakeMap(value.Type()))
	for range 1 + fill.random.IntN(3) {
		key := reflect.New(value.Type().Key()).Elem()
		key.SetString(pick(fill, keyPool))
		element := reflect.New(value.Type().Elem()).Elem()
		fill.element(element, depth+1)
		value.SetMapIndex(key, element)
	}
}

// A nil pointer among the elements would not marshal.
func (fill *filler) element(value reflect.Value, depth int) {
	if value.Kind() == reflect.Pointer {
		value.Set(reflect.New(value.Type().Elem()))
		value = value.Elem()
	}
	fill.value(value, depth)
}

func (fill *filler) integer(kind reflect.Kind) int64 {
	if kind == reflect.Int64 {
		return pick(fill, int64Pool)
	}
	return int64(pick(fill, int32Pool))
}

func (fill *filler) bytes() []byte {
	bytes := make([]byte, fill.random.IntN(8))
	for index := range bytes {
		bytes[index] = byte(fill.random.IntN(256))
	}
	return bytes
}

// A JSONSchemaPropsOr... holds a schema or its shorthand; it is filled with one of them, as in JSON.
func (fill *filler) schema(depth int) *apiextensionsv1.JSONSchemaProps {
	schema := &apiextensionsv1.JSONSchemaProps{}
	fill.structFields(reflect.ValueOf(schema).Elem(), depth+3)
	return schema
}

func pick[T any](fill *filler, pool []T) T { return pool[fill.random.IntN(len(pool))] }
