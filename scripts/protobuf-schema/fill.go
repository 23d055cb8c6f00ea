package main

import (
	"math/rand/v2"
	"reflect"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// filler sets an object's fields at random, the same for the same seed. What it knows of Kubernetes is which values a
// type can hold and still be sent as JSON.
type filler struct {
	random *rand.Rand
	// Of a hundred: how often what may be left empty is filled, at the top and less with every level below.
	density int
	// Whether lists, maps and pointers are there at all beyond this depth.
	maxDepth int
	coverage *coverage
	// Set for the next field that no document has filled yet.
	isWanted bool
}

// Nothing but schemas nests deeper.
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

// Nil and empty are two things in Go and in JSON, and one on the wire.
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

// A schema holds schemas: what stands for one is filled as the one or the other, as JSON can say it.
func (fill *filler) schema(depth int) *apiextensionsv1.JSONSchemaProps {
	schema := &apiextensionsv1.JSONSchemaProps{}
	fill.structFields(reflect.ValueOf(schema).Elem(), depth+3)
	return schema
}

func pick[T any](fill *filler, pool []T) T { return pool[fill.random.IntN(len(pool))] }
