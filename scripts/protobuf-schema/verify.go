package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// verifyDocuments reads documents in the layout of writeFixture, whose protobuf an encoder of ours has written: Go must
// read the JSON beside it from that.
func verifyDocuments(in io.Reader) error {
	scheme := builtInKinds()
	reader := bufio.NewReader(in)
	wrong, count := 0, 0
	for ; ; count++ {
		document, err := readDocument(reader)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		object, err := readProtobuf(scheme, document.protobuf)
		if err != nil {
			return fmt.Errorf("document %d: %w: %.300s", count, err, document.json)
		}
		text, err := json.Marshal(object)
		if err != nil {
			return err
		}
		if string(text) != string(document.json) {
			wrong++
			fmt.Printf("document %d\n  wanted %.2000s\n  read   %.2000s\n", count, document.json, text)
		}
	}
	if wrong > 0 || count == 0 {
		return fmt.Errorf("%d of %d documents are not as they should be", wrong, count)
	}
	fmt.Printf("%d documents read as they should be\n", count)
	return nil
}

func readDocument(reader *bufio.Reader) (*document, error) {
	flags, err := reader.ReadByte()
	if err != nil {
		return nil, err
	}
	result := &document{flags: flags}
	for _, part := range []*[]byte{&result.protobuf, &result.json} {
		var length uint32
		if err := binary.Read(reader, binary.LittleEndian, &length); err != nil {
			return nil, fmt.Errorf("a document ends early: %w", err)
		}
		*part = make([]byte, length)
		if _, err := io.ReadFull(reader, *part); err != nil {
			return nil, fmt.Errorf("a document ends early: %w", err)
		}
	}
	return result, nil
}
