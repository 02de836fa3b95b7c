package apierror

import (
	"fmt"
	"io"
	"net/http"
)

// Entry documents a code.
type Entry struct {
	Code Code
	// Also describes when the status differs from the code's, "" for never.
	Also string
	// When describes what happened.
	When string
	// Example is a message.
	Example string
	// Do describes what helps.
	Do string
}

// Status is the HTTP status that belongs to the code.
func (e Entry) Status() int { return statusOf(e.Code) }

// WriteMarkdown writes docs/error-codes.md.
func WriteMarkdown(w io.Writer) {
	fmt.Fprint(w, `# Error codes

Errors of GraphQL operations are in a list; each has a message for people, a code for programs, and the path to what is
at fault: in the document (`+"`$.selectionSet...`"+`), in the variables or in the arguments.

`+"```json not-run=sample"+`
{"errors": [{"message": "...", "extensions": {"path": "$", "code": "validation-failed"}}]}
`+"```"+`

Other endpoints answer with one error, and with its status:

`+"```json not-run=sample"+`
{"error": "...", "path": "$.args", "code": "not-exists"}
`+"```"+`

`+"`/v1/graphql`, `/v1/relay` and `/v1beta1/relay`"+` answer with status 200 whatever the error is, but for requests that did not get through:
408, 413, 415 and 503 stay, and 401 with `+"`--preserve-401-errors`"+`. A client that accepts
`+"`application/graphql-response+json`"+` gets the status of what isn't a GraphQL request, too (`+"`invalid-json`, `parse-failed`,\n`bad-request`"+`). `+"`/v1alpha1/graphql`"+` always answers with the status.

`+"`internal`"+`, next to the code, has details such as the statement, for administrators (`+"`--admin-internal-errors`"+`), and for
others with `+"`--dev-mode`"+`. Handlers of [actions](actions.md#errors) and webhooks that check input may answer with codes of their own.
Messages may change; programs should look at codes. `+"`Retry-After`"+` in an answer says after how many seconds to try again.

This page is made from the table in `+"`pkg/apierror`"+` by `+"`make generate`"+`.
`)
	for _, e := range entries {
		fmt.Fprintf(w, "\n## %s\n\nStatus %d %s", e.Code, e.Status(), http.StatusText(e.Status()))
		if e.Also != "" {
			fmt.Fprintf(w, "; %s", e.Also)
		}
		fmt.Fprintf(w, ". %s\n\n> `%s`\n\n%s\n", e.When, e.Example, e.Do)
	}
}
