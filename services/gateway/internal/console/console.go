// Package console has the console as it was built from services/gateway/console: one page, and the
// scripts and styles that it loads. `make console` builds it; the files are committed, so that the
// gateway is built with Go alone.
package console

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"path"
	"strings"
)

//go:embed dist
var built embed.FS

// noncePlace is what the nonce takes the place of in the page.
var noncePlace = []byte("CSP-NONCE")

// Page is the page for all paths of the console. Its policy has to allow scripts and styles with the nonce.
func Page(nonce string) ([]byte, error) {
	page, err := built.ReadFile("dist/index.html")
	if err != nil {
		return nil, err
	}
	return bytes.ReplaceAll(page, noncePlace, []byte(nonce)), nil
}

// Asset is a file that the page loads. Its name changes with its content.
type Asset struct {
	Type string
	// Packed is the content, packed by gzip.
	Packed []byte
}

// Open returns an asset. The error of one that doesn't exist is fs.ErrNotExist.
func Open(name string) (Asset, error) {
	if !fs.ValidPath(name) {
		return Asset{}, fmt.Errorf("asset %q: %w", name, fs.ErrNotExist)
	}
	packed, err := built.ReadFile("dist/assets/" + name + ".gz")
	if err != nil {
		return Asset{}, err
	}
	return Asset{Type: typeOf(name), Packed: packed}, nil
}

// typeOf doesn't depend on the tables of the machine for what the page loads.
func typeOf(name string) string {
	switch extension := path.Ext(name); extension {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	default:
		return mime.TypeByExtension(extension)
	}
}

// Plain is the content as it was before it was packed.
func (a Asset) Plain() ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(a.Packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// Names lists the assets.
func Names() ([]string, error) {
	entries, err := built.ReadDir("dist/assets")
	if err != nil {
		return nil, err
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".gz")
	}
	return names, nil
}
