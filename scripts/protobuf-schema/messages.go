package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Types whose JSON is not that of their fields. docs/decisions/protobuf-schema.md lists their letters.
var specialTypes = map[reflect.Type]string{
	reflect.TypeFor[metav1.Time]():                                  "t",
	reflect.TypeFor[metav1.MicroTime]():                             "m",
	reflect.TypeFor[metav1.Duration]():                              "d",
	reflect.TypeFor[resource.Quantity]():                            "q",
	reflect.TypeFor[intstr.IntOrString]():                           "x",
	reflect.TypeFor[runtime.RawExtension]():                         "e",
	reflect.TypeFor[metav1.FieldsV1]():                              "r",
	reflect.TypeFor[apiextensionsv1.JSON]():                         "r",
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrArray]():       "a",
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrBool]():        "o",
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrStringArray](): "p",
}

type protoMessage interface {
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

type zeroer interface{ IsZero() bool }

func hasMessage(goType reflect.Type) bool {
	return reflect.PointerTo(goType).Implements(reflect.TypeFor[protoMessage]())
}

// messageTable holds every requested message, and those that its fields need.
type messageTable struct {
	lines map[string]string
	types map[string]reflect.Type
}

func newMessageTable() *messageTable {
	return &messageTable{lines: map[string]string{}, types: map[string]reflect.Type{}}
}

// add adds a message, and returns its name.
func (table *messageTable) add(goType reflect.Type) string {
	name := messageName(goType)
	if known := table.types[name]; known != nil {
		if known != goType {
			panic(name + " names two types")
		}
		return name
	}
	table.types[name] = goType
	table.lines[name] = strings.Join(table.fields(goType), " ")
	return name
}

// goFields names every field of every message.
func (table *messageTable) goFields() []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(table.types)) {
		for _, field := range wireFields(table.types[name]) {
			names = append(names, name+"."+field.Name)
		}
	}
	return names
}

// wireFields omits fields that exist only in JSON, or in neither encoding.
func wireFields(goType reflect.Type) []reflect.StructField {
	var fields []reflect.StructField
	for index := range goType.NumField() {
		field := goType.Field(index)
		isTypeMeta := field.Type == reflect.TypeFor[metav1.TypeMeta]()
		if field.IsExported() && !isTypeMeta && field.Tag.Get("json") != "-" {
			fields = append(fields, field)
		}
	}
	return fields
}

// In the order of the Go struct, which is that of its JSON.
func (table *messageTable) fields(goType reflect.Type) []string {
	var fields []string
	for _, field := range wireFields(goType) {
		fields = append(fields, table.field(goType, field))
	}
	return fields
}

func (table *messageTable) field(owner reflect.Type, field reflect.StructField) string {
	place := fieldPlace{owner, field.Name}
	name, options := jsonTag(field)
	number := protobufNumber(place, field)
	goType, isPointer := field.Type, field.Type.Kind() == reflect.Pointer
	if isPointer {
		goType = goType.Elem()
	}
	marks := ""
	switch {
	case name == "" && field.Anonymous && goType.Kind() == reflect.Struct:
		marks = "^"
	case name == "" || name == "-":
		panic(place.String() + " has no JSON name")
	case options["omitzero"]:
		marks = leftOutWhenZero(place, goType, isPointer)
	case options["omitempty"] && (isPointer || goType.Kind() != reflect.Struct):
		marks = "?"
	}
	if isPointer {
		marks += "*"
	}
	return name + marks + ":" + strconv.Itoa(number) + table.shape(place, goType)
}

// leftOutWhenZero handles only the types that Kubernetes uses, and panics on others.
func leftOutWhenZero(place fieldPlace, goType reflect.Type, isPointer bool) string {
	switch {
	case isPointer || goType.Kind() != reflect.Struct:
		return "?"
	case reflect.PointerTo(goType).Implements(reflect.TypeFor[zeroer]()):
		return "?"
	default:
		panic(place.String() + " is left out when zero, and its type cannot tell")
	}
}

func (table *messageTable) shape(place fieldPlace, goType reflect.Type) string {
	switch {
	case specialTypes[goType] != "":
		return table.element(place, goType)
	case goType.Kind() == reflect.Slice && goType.Elem().Kind() != reflect.Uint8 && !hasMessage(goType):
		return "[]" + table.element(place, withoutPointer(goType.Elem()))
	case goType.Kind() == reflect.Map && !hasMessage(goType):
		if goType.Key().Kind() != reflect.String {
			panic(place.String() + " is a map whose keys are no strings")
		}
		return "{}" + table.element(place, withoutPointer(goType.Elem()))
	default:
		return table.element(place, goType)
	}
}

func (table *messageTable) element(place fieldPlace, goType reflect.Type) string {
	if letter := specialTypes[goType]; letter != "" {
		if strings.Contains("aop", letter) {
			table.add(reflect.TypeFor[apiextensionsv1.JSONSchemaProps]())
		}
		return letter
	}
	refuseOwnJson(place, goType)
	switch goType.Kind() {
	case reflect.String:
		return "s"
	case reflect.Bool:
		return "b"
	case reflect.Int32:
		return "i"
	case reflect.Int64:
		return "l"
	case reflect.Float64:
		return "f"
	case reflect.Slice:
		switch {
		case goType.Elem().Kind() == reflect.Uint8:
			return "y"
		case goType.Elem().Kind() == reflect.String && hasMessage(goType):
			return "n"
		}
	case reflect.Struct:
		return "@" + relativeTo(messageName(place.owner), table.add(goType))
	}
	panic(fmt.Sprintf("%s holds a %s, which has no letter", place, goType))
}

type fieldPlace struct {
	owner reflect.Type
	name  string
}

func (place fieldPlace) String() string { return place.owner.String() + "." + place.name }

// relativeTo omits the package that a message shares with the one that refers to it.
func relativeTo(from, name string) string {
	prefix := from[:strings.LastIndex(from, ".")]
	if rest, isSame := strings.CutPrefix(name, prefix); isSame && strings.Count(rest, ".") == 1 {
		return rest
	}
	return name
}

func withoutPointer(goType reflect.Type) reflect.Type {
	if goType.Kind() == reflect.Pointer {
		return goType.Elem()
	}
	return goType
}

func refuseOwnJson(place fieldPlace, goType reflect.Type) {
	if reflect.PointerTo(goType).Implements(reflect.TypeFor[json.Marshaler]()) {
		panic(fmt.Sprintf("%s holds a %s, whose JSON is its own", place, goType))
	}
}

func jsonTag(field reflect.StructField) (string, map[string]bool) {
	parts := strings.Split(field.Tag.Get("json"), ",")
	options := map[string]bool{}
	for _, option := range parts[1:] {
		options[option] = true
	}
	return parts[0], options
}

func protobufNumber(place fieldPlace, field reflect.StructField) int {
	parts := strings.Split(field.Tag.Get("protobuf"), ",")
	if len(parts) < 2 {
		panic(place.String() + " has no protobuf number")
	}
	number, err := strconv.Atoi(parts[1])
	if err != nil {
		panic(place.String() + ": " + err.Error())
	}
	return number
}

// messageName is the Go package's last two names and the type's: core.v1.Pod.
func messageName(goType reflect.Type) string {
	parts := strings.Split(goType.PkgPath(), "/")
	return strings.Join(parts[len(parts)-2:], ".") + "." + goType.Name()
}
