package main

import (
	"math"
	"reflect"
	"strings"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

var stringPool = []string{
	"", "a", "web-0", "default", "kube-system", "10.0.0.1", "application/json", "Always", "true", "0", "null",
	"Grüße, 日本語", "☸ \U0001f680", "a\u2028b\u2029c", "<a href=\"x\">&amp;</a>", "back\\slash / \"quotes\"",
	"tab\tline\nreturn\rnul\x00bell\x07del\x7f", "6f1c1d5e-2b0a-4d0e-9b7e-1f6f5f1c1d5e", "\u00e9\u0301\ufeff\ufffd",
	strings.Repeat("0123456789abcdef", 9), strings.Repeat("é", 70),
}

var keyPool = []string{
	"", "app", "app.kubernetes.io/name", "cpu", "memory", "__proto__", "constructor", "toJSON", "toString", "Grüße",
	"日本", "\U0001f680", "\uffff", "a", "A", "10", "9", "a b", "tab\t",
}

var int32Pool = []int32{0, 1, -1, 2, 7, 127, 128, 255, 256, -128, 300, 8080, 65535, 65536, math.MaxInt32, math.MinInt32}

var int64Pool = []int64{
	0, 1, -1, 30, 127, 128, 3600, 1<<31 - 1, 1 << 31, -1 << 31, 1<<32 - 1, 1 << 32, 1<<53 - 1, 1 << 53, 1<<53 + 1, -1<<53 - 1,
	math.MaxInt64, math.MinInt64,
}

var floatPool = []float64{0, 1, -1, 0.5, -2.25, 0.1, 1e20, 1e21, 1e-6, 1e-7, 123456789.125, 1 << 53, math.MaxFloat64, math.SmallestNonzeroFloat64}

var quantityPool = []string{
	"0", "1", "-1", "2", "100m", "1500m", "500u", "250n", "1k", "64Ki", "128974848", "129M", "123Mi", "1Gi", "1.5Gi", "1e3",
	"12E", "3Ei", "0.5", "1e-3", "-1500m", "9223372036854775807", "10000000000000000000000", "1T", "2P", "5Ti", "7Pi",
}

// Seconds since 1970.
var timePool = []int64{0, 1, -1, 951782400, 1577836800, 1709251199, 1795000000, 4102444800, 253402300799, -62135596799, -2208988800}

var microPool = []int64{0, 1, 10, 999999, 500000, 123456, 100000}

var rawPool = []string{
	`{}`, `{"apiVersion":"example.com/v1","kind":"Widget","spec":{"replicas":1,"name":"a"}}`,
	`{"a":[1,-2,2.5,9007199254740993,null,true,false,"x"],"b":{"c":{}},"d":[]}`,
	`{"": "", "z": 1e3, "a": 2.50, "__proto__": {"x": 1}}`, `{"text":"<&>\u2028\u00e9\ud83d\ude80é\"\\\/\n"}`,
}

var anyJSONPool = []string{`null`, `true`, `0`, `-1.5`, `"text"`, `""`, `[1,"a",{}]`, `{"a":{"b":null}}`, `12345678901234567890`}

var fieldsPool = []string{
	`{}`, `{"f:metadata":{"f:labels":{".":{},"f:app":{}}}}`,
	`{"f:spec":{"f:containers":{"k:{\"name\":\"main\"}":{".":{},"f:image":{}}}},"f:status":{"v:\"x\"":{}}}`,
}

// special fills the types whose JSON is not that of their fields.
func (fill *filler) special(value reflect.Value, depth int) bool {
	switch target := value.Addr().Interface().(type) {
	case *metav1.Time:
		if !fill.isRare() {
			*target = metav1.Unix(pick(fill, timePool), 0)
		}
	case *metav1.MicroTime:
		if !fill.isRare() {
			*target = metav1.NewMicroTime(time.Unix(pick(fill, timePool), pick(fill, microPool)*1000))
		}
	case *metav1.Duration:
		target.Duration = time.Duration(pick(fill, int64Pool))
	case *resource.Quantity:
		if fill.chance(depth) {
			*target = resource.MustParse(pick(fill, quantityPool))
		}
	case *intstr.IntOrString:
		if fill.random.IntN(2) == 0 {
			*target = intstr.FromInt32(pick(fill, int32Pool))
		} else {
			*target = intstr.FromString(pick(fill, stringPool))
		}
	case *runtime.RawExtension:
		if fill.chance(depth) {
			target.Raw = []byte(pick(fill, rawPool))
		}
	case *metav1.FieldsV1:
		if err := target.UnmarshalJSON([]byte(pick(fill, fieldsPool))); err != nil {
			panic(err)
		}
	case *apiextensionsv1.JSON:
		target.Raw = []byte(pick(fill, anyJSONPool))
	case *apiextensionsv1.JSONSchemaPropsOrArray:
		if fill.random.IntN(2) == 0 {
			target.Schema = fill.schema(depth)
		} else {
			target.JSONSchemas = []apiextensionsv1.JSONSchemaProps{*fill.schema(depth), *fill.schema(depth)}
		}
	case *apiextensionsv1.JSONSchemaPropsOrBool:
		target.Allows = fill.random.IntN(2) == 0
		if fill.random.IntN(2) == 0 {
			*target = apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: fill.schema(depth)}
		}
	case *apiextensionsv1.JSONSchemaPropsOrStringArray:
		if fill.random.IntN(2) == 0 {
			target.Schema = fill.schema(depth)
		} else {
			target.Property = []string{pick(fill, stringPool), "b"}
		}
	default:
		return false
	}
	return true
}

// isRare is for values that JSON cannot distinguish, such as a zero time and an absent one.
func (fill *filler) isRare() bool { return fill.random.IntN(16) == 0 }
