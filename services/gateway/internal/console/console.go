// Package console has the console as it was built from services/gateway/console: one page, and the
// scripts and styles that it loads. `make console` builds it; the files are committed, so that the
// gateway is built with Go alone.
package console

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"embed"
	"fmt"
	"html"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
)

// The paths of the console.
const (
	Path       = "/console"
	AssetsPath = Path + "/assets"
)

//go:embed dist/index.html dist/assets
var built embed.FS

// The places of the page that are filled in for each answer.
var (
	noncePlace   = []byte("CSP-NONCE")
	projectPlace = []byte("CONSOLE-PROJECT")
)

const (
	// immutable lets browsers keep what never changes: names of assets have a hash of the content.
	immutable = "public, max-age=31536000, immutable"
	// policy is that of the page, but for the nonce. Styles that libraries add have it.
	policy = "default-src 'none'; connect-src 'self'; img-src 'self' data:; font-src 'self'; script-src 'self'; " +
		"style-src 'self' 'nonce-%s'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
		"require-trusted-types-for 'script'; trusted-types default"
)

// Page is the page for all paths of the console. It sets the headers that have to go with it. The project
// is what a console that writes into a directory has to know about it, "" for one that doesn't.
func Page(h http.Header, project string) ([]byte, error) {
	page, err := built.ReadFile("dist/index.html")
	if err != nil {
		return nil, err
	}
	nonce := rand.Text()
	h.Set("Content-Security-Policy", fmt.Sprintf(policy, nonce))
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "text/html; charset=utf-8")
	page = bytes.ReplaceAll(page, noncePlace, []byte(nonce))
	return bytes.ReplaceAll(page, projectPlace, []byte(html.EscapeString(project))), nil
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

// Body is what is sent, packed by gzip if the client takes that. It sets the headers that have to go with it.
func (a Asset) Body(h http.Header, packed bool) ([]byte, error) {
	h.Set("Vary", "Accept-Encoding")
	h.Set("Cache-Control", immutable)
	h.Set("Content-Type", a.Type)
	if !packed {
		return a.Plain()
	}
	h.Set("Content-Encoding", "gzip")
	return a.Packed, nil
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
