package console

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"queryengine/pkg/apierror"
	"queryengine/services/engine/internal/remote"
)

// shownFiles bounds how many files are named when many are written.
const shownFiles = 10

// Check reports how the project and the server are to each other: an error when they can't be compared, and differ
// when changes will be refused until they are the same.
func (c *Console) Check(ctx context.Context) (differ bool, err error) {
	err = c.checkFiles(ctx)
	if errors.Is(err, errDiffers) {
		return true, nil
	}
	return false, err
}

// checkFiles reports whether the files are the metadata of the server, or there are none.
func (c *Console) checkFiles(ctx context.Context) error {
	hash, err := c.Project.MetadataHash()
	if err != nil {
		return unreadable(err)
	}
	if hash == c.hash {
		return nil
	}
	exists, err := c.Project.HasMetadata()
	if err != nil {
		return unreadable(err)
	}
	if !exists {
		return nil
	}
	document, err := c.Project.ReadMetadata()
	if err != nil {
		return unreadable(err)
	}
	answer, err := c.Server.Metadata(ctx, "replace_metadata", 2, map[string]any{
		"metadata": document, "allow_inconsistent_metadata": true, "dry_run": true,
	})
	var would struct {
		Changes []json.RawMessage
		Refused *struct{}
	}
	if err == nil {
		err = json.Unmarshal(answer, &would)
	}
	var refusal *remote.RefusedError
	switch {
	case errors.As(err, &refusal):
		return errDiffers // the server doesn't take what the files have
	case err != nil:
		return unreachable(err)
	case len(would.Changes) > 0 || would.Refused != nil:
		return errDiffers
	}
	c.hash = hash
	return nil
}

func unreadable(err error) error {
	return apierror.Newf(apierror.Unexpected, "the metadata files of the project can't be read, so nothing was changed: %s", err)
}

// writeMetadata writes the metadata of the server into the files, after a change.
func (c *Console) writeMetadata(ctx context.Context, became outcome, r report) report {
	names, err := c.exportMetadata(ctx)
	r.Files = len(names)
	for i, name := range names {
		if i == shownFiles {
			c.Say("and %d others", len(names)-i)
			break
		}
		c.Say("wrote %s", name)
	}
	if err != nil {
		if became == unknown {
			r.add("it is unknown whether the change was made, and the metadata can't be written into the project: %s", err)
		} else {
			r.add("the change was made on the server, but the metadata can't be written into the project: %s", err)
		}
		c.Say("%s", r.Error)
	}
	return r
}

func (c *Console) exportMetadata(ctx context.Context) ([]string, error) {
	c.hash = "" // until all is written
	document, err := c.Server.Metadata(ctx, "export_metadata", 1, struct{}{})
	if err != nil {
		return nil, err
	}
	names, err := c.Project.WriteMetadata(document)
	if err != nil {
		return names, err
	}
	c.hash, err = c.Project.MetadataHash()
	return names, err
}

// add adds a reason to those why something was not written.
func (r *report) add(format string, args ...any) {
	if r.Error != "" {
		r.Error += "\n"
	}
	r.Error += fmt.Sprintf(format, args...)
}
