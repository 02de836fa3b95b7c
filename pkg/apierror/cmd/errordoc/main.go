// Errordoc writes docs/error-codes.md to standard output.
package main

import (
	"os"

	"queryengine/pkg/apierror"
)

func main() { apierror.WriteMarkdown(os.Stdout) }
