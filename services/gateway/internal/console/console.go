// Package console has the console as it was built from services/gateway/console: one page, and the
// scripts and styles that it loads. `make console` builds it into one archive, which is committed, so
// that the gateway is built with Go alone.
package console

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/rand"
	_ "embed" // for the archive
	"fmt"
	"html"
	"io/fs"
	"maps"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
)

// The paths of the console.
const (
	Path       = "/console"
	AssetsPath = Path + "/assets"
)

//go:embed dist/console.zip
var archive []byte

// built is what the archive has.
type built struct {
	page   []byte
	assets map[string]Asset
}

// read finds the files in the archive, where they are stored unpacked.
var read = sync.OnceValues(func() (built, error) {
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return built{}, fmt.Errorf("built console: %w", err)
	}
	b := built{assets: make(map[string]Asset, len(r.File))}
	for _, file := range r.File {
		at, err := file.DataOffset()
		if err != nil {
			return built{}, fmt.Errorf("built console, %s: %w", file.Name, err)
		}
		content := archive[at : at+int64(file.UncompressedSize64)] //nolint:gosec // G115: it is a part of the archive
		if name, isAsset := strings.CutPrefix(file.Name, "assets/"); isAsset {
			b.assets[name] = Asset{Type: typeOf(name), Plain: content, Packed: sync.OnceValue(func() []byte { return packed(content) })}
		} else if file.Name == "index.html" {
			b.page = content
		}
	}
	return b, nil
})

// packed packs a content by gzip.
func packed(content []byte) []byte {
	var out bytes.Buffer
	w, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // the level exists
	_, _ = w.Write(content)                                 // a buffer takes all
	_ = w.Close()
	return out.Bytes()
}

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
	b, err := read()
	if err != nil {
		return nil, err
	}
	nonce := rand.Text()
	h.Set("Content-Security-Policy", fmt.Sprintf(policy, nonce))
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "text/html; charset=utf-8")
	page := bytes.ReplaceAll(b.page, noncePlace, []byte(nonce))
	return bytes.ReplaceAll(page, projectPlace, []byte(html.EscapeString(project))), nil
}

// Asset is a file that the page loads. Its name changes with its content.
type Asset struct {
	Type  string
	Plain []byte
	// Packed returns the content packed by gzip, which is done once.
	Packed func() []byte
}

// Open returns an asset. The error of one that doesn't exist is fs.ErrNotExist.
func Open(name string) (Asset, error) {
	b, err := read()
	if err != nil {
		return Asset{}, err
	}
	asset, ok := b.assets[name]
	if !ok {
		return Asset{}, fmt.Errorf("asset %q: %w", name, fs.ErrNotExist)
	}
	return asset, nil
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
func (a Asset) Body(h http.Header, packed bool) []byte {
	h.Set("Vary", "Accept-Encoding")
	h.Set("Cache-Control", immutable)
	h.Set("Content-Type", a.Type)
	if !packed {
		return a.Plain
	}
	h.Set("Content-Encoding", "gzip")
	return a.Packed()
}

// Names lists the assets.
func Names() ([]string, error) {
	b, err := read()
	return slices.Sorted(maps.Keys(b.assets)), err
}
