// Apitypes writes the types of the console's source to standard output.
package main

import (
	"fmt"
	"os"

	"queryengine/services/gateway/internal/console/apitypes"
)

func main() {
	if err := apitypes.Write(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
