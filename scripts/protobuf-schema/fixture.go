package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
)

// Fill levels of the documents of each kind: empty, full, and in between.
var documentPlans = []struct{ density, maxDepth int }{
	{0, 0}, {100, 9}, {100, 6}, {100, 6}, {90, 4}, {80, 7}, {60, 9}, {40, 12}, {20, 20},
}

const documentIsReversible = 1

// writeFixture writes documents as
//
//	u8  flags: 1 if Go encodes the JSON as the same protobuf
//	u32 length, protobuf: the envelope and the object, as the API server sends it
//	u32 length, JSON: of the object that Go reads from that protobuf
//	u32 length, protobuf: the protobuf that Go encodes the JSON as, if it differs
//
// with little-endian lengths.
func writeFixture(out io.Writer) error {
	scheme := builtInKinds()
	seen := newCoverage()
	table := newMessageTable()
	count, reversible := 0, 0
	for index, kind := range kindsInOrder(scheme) {
		goType := scheme.AllKnownTypes()[kind]
		// A WatchEvent has no envelope.
		if isOfEveryGroup(kind.GroupVersion().String(), table.add(goType)) || kind.Kind == "WatchEvent" {
			continue
		}
		for plan, how := range documentPlans {
			random := rand.New(rand.NewPCG(uint64(index), uint64(plan)))
			fill := &filler{random: random, density: how.density, maxDepth: how.maxDepth, coverage: seen}
			object := reflect.New(goType)
			if how.density > 0 {
				fill.structFields(object.Elem(), 0)
			}
			document, err := newDocument(scheme, kind, object.Interface().(runtime.Object))
			if err != nil {
				return fmt.Errorf("%s, plan %d: %w", kind, plan, err)
			}
			count++
			reversible += int(document.flags)
			if err := document.write(out); err != nil {
				return err
			}
		}
	}
	var missing []string
	for _, field := range table.goFields() {
		if !seen.filled[field] && !strings.Contains(field, ".WatchEvent.") {
			missing = append(missing, field)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("no document fills %s", strings.Join(missing, ", "))
	}
	fmt.Fprintf(os.Stderr, "%d documents, %d of them reversible\n", count, reversible)
	return nil
}

type document struct {
	flags    byte
	protobuf []byte
	json     []byte
	// The protobuf that Go encodes the JSON as.
	protobufAgain []byte
}

func newDocument(scheme *runtime.Scheme, kind schema.GroupVersionKind, object runtime.Object) (*document, error) {
	serializer := protobuf.NewSerializer(scheme, scheme)
	object.GetObjectKind().SetGroupVersionKind(kind)
	var sent bytes.Buffer
	if err := serializer.Encode(object, &sent); err != nil {
		return nil, err
	}
	received, err := readProtobuf(scheme, sent.Bytes())
	if err != nil {
		return nil, err
	}
	jsonBytes, err := json.Marshal(received)
	if err != nil {
		return nil, err
	}
	result := &document{protobuf: sent.Bytes(), json: jsonBytes}
	again, err := scheme.New(kind)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(jsonBytes, again); err != nil {
		return nil, err
	}
	var sentAgain bytes.Buffer
	if err := serializer.Encode(again, &sentAgain); err != nil {
		return nil, err
	}
	result.protobufAgain = sentAgain.Bytes()
	if bytes.Equal(sent.Bytes(), sentAgain.Bytes()) {
		result.flags |= documentIsReversible
	}
	return result, nil
}

// readProtobuf returns the object of an envelope with its kind set, like client-go.
func readProtobuf(scheme *runtime.Scheme, data []byte) (runtime.Object, error) {
	object, kind, err := protobuf.NewSerializer(scheme, scheme).Decode(data, nil, nil)
	if err != nil {
		return nil, err
	}
	object.GetObjectKind().SetGroupVersionKind(*kind)
	return object, nil
}

func (document *document) write(out io.Writer) error {
	record := []byte{document.flags}
	parts := [][]byte{document.protobuf, document.json}
	if document.flags&documentIsReversible == 0 {
		parts = append(parts, document.protobufAgain)
	}
	for _, part := range parts {
		record = binary.LittleEndian.AppendUint32(record, uint32(len(part)))
		record = append(record, part...)
	}
	_, err := out.Write(record)
	return err
}
