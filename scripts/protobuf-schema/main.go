// The generator behind `npm run generate`; each command writes to standard output.
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: protobuf-schema schema|fixture")
		os.Exit(2)
	}
	switch os.Args[1] {
	case "schema":
		writeSchema(os.Stdout)
	case "fixture":
		end(writeFixture(os.Stdout))
	default:
		fmt.Fprintf(os.Stderr, "no command %q\n", os.Args[1])
		os.Exit(2)
	}
}

func end(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
