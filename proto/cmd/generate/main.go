// Command generate brings the Go code of the .proto files below a directory up to date.
package main

import (
	"context"
	"fmt"
	"os"

	"queryengine/proto/generate"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: generate DIRECTORY")
		os.Exit(2)
	}
	if err := generate.Write(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}
