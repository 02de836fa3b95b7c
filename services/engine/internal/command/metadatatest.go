package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"queryengine/services/engine/internal/project"
)

func metadataTest() projectCommand {
	return projectCommand{run: func(ctx context.Context, p *workplace, args []string) error {
		tests, err := p.permissionTests()
		if err != nil {
			return err
		}
		if len(args) > 0 {
			tests = slices.DeleteFunc(tests, func(t project.PermissionTest) bool { return !slices.Contains(args, t.Name) })
		}
		if len(tests) == 0 {
			return fmt.Errorf("there is no such test in %s", p.config.Path(project.PermissionTestsDirectory))
		}
		if err := p.server.Ping(ctx, p.Errs); err != nil {
			return err
		}
		return p.testPermissions(ctx, tests)
	}}
}

func (p *workplace) permissionTests() ([]project.PermissionTest, error) {
	return project.PermissionTests(p.config.Path(project.PermissionTestsDirectory))
}

// testPermissions runs tests. It fails with errNo when an answer isn't the wanted one.
func (p *workplace) testPermissions(ctx context.Context, tests []project.PermissionTest) error {
	failed := 0
	for _, t := range tests {
		problem, err := p.testPermission(ctx, t)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", t.File, t.Name, err)
		}
		if problem != "" {
			failed++
			p.print("FAIL %s: %s (role %s)\n  %s", t.File, t.Name, t.Role, problem)
		}
	}
	p.say("%d of %d permission tests passed", len(tests)-failed, len(tests))
	if failed > 0 {
		return errNo
	}
	return nil
}

// testPermission compares the answer to an operation with the wanted one; problem is "" if they agree.
func (p *workplace) testPermission(ctx context.Context, t project.PermissionTest) (problem string, err error) {
	raw, err := p.server.Ask(ctx, t.Role, t.Session, map[string]any{"query": t.Operation, "variables": t.Variables})
	if err != nil {
		return "", err
	}
	var answer struct {
		Data   json.RawMessage `json:"data"`
		Errors []struct {
			Message    string `json:"message"`
			Extensions struct {
				Code string `json:"code"`
				Path string `json:"path"`
			} `json:"extensions"`
		} `json:"errors"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return "", fmt.Errorf("the answer is no GraphQL: %w", err)
	}
	switch {
	case len(answer.Errors) == 0 && t.Refusal != "":
		return fmt.Sprintf("expected the refusal %s, got %s", t.Refusal, answer.Data), nil
	case len(answer.Errors) == 0:
		if same, err := sameJSON(t.Rows, answer.Data); err != nil || same {
			return "", err
		}
		return fmt.Sprintf("expected %s\n       got %s", t.Rows, compactJSON(answer.Data)), nil
	}
	first := answer.Errors[0]
	if first.Extensions.Code == t.Refusal {
		return "", nil
	}
	return fmt.Sprintf("got the refusal %s at %s: %s", first.Extensions.Code, first.Extensions.Path, first.Message), nil
}

// sameJSON compares values. Numbers are the same if they are written alike.
func sameJSON(a, b json.RawMessage) (bool, error) {
	var values [2]any
	for i, raw := range []json.RawMessage{a, b} {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		if err := d.Decode(&values[i]); err != nil {
			return false, err
		}
	}
	return reflect.DeepEqual(values[0], values[1]), nil
}

func compactJSON(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}
