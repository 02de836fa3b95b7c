package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"

	"queryengine/pkg/apierror"
	"queryengine/services/gateway/internal/console"
	"queryengine/services/gateway/internal/reply"
)

const (
	consolePath = console.Path
	assetsPath  = console.AssetsPath
	htmlType    = "text/html; charset=utf-8"
)

// consolePage is the page of a console that is installed: it loads main.js and main.css of the assets.
var consolePage = template.Must(template.New("console").Parse(`<!doctype html><html lang="en"><head><meta charset="utf-8">` +
	`<title>Query Engine</title><script>{{.Script}}</script>` +
	`<link rel="stylesheet" href="{{.Assets}}/main.css"><script src="{{.Assets}}/main.js" defer></script></head><body><div id="root"></div></body></html>`))

// consoleSettings are what the page passes to the scripts of a console.
type consoleSettings struct {
	Mode             string `json:"consoleMode"`
	Prefix           string `json:"urlPrefix"`
	IsAdminSecretSet bool   `json:"isAdminSecretSet"`
	ServerVersion    string `json:"serverVersion"`
	Path             string `json:"consolePath"`
	AssetsPath       string `json:"assetsPath"`
	CDNAssets        bool   `json:"cdnAssets"`
	EnableTelemetry  bool   `json:"enableTelemetry"`
}

// toConsole sends browsers from / to the console.
func toConsole(x *exchange) error {
	if !x.api.Enabled[GroupMetadata] {
		return notFound(x)
	}
	x.w.Header().Set("Location", consolePath)
	x.send(htmlType, http.StatusFound, nil)
	return nil
}

// showConsole answers with the page, or with one of the assets that it loads: of the console that is
// installed, else of the engine's own.
func showConsole(x *exchange) error {
	name, isAsset := strings.CutPrefix(x.r.URL.Path, assetsPath+"/")
	switch {
	case isAsset && x.api.Assets != nil:
		return x.sendAsset(name)
	case isAsset:
		return x.sendOwnAsset(name)
	case x.api.Assets != nil:
		return x.showInstalled()
	}
	page, err := console.Page(x.w.Header(), "")
	if err != nil {
		return err
	}
	x.send(htmlType, http.StatusOK, page)
	return nil
}

// sendOwnAsset answers with a file of the engine's own console, packed unless the client doesn't take that.
func (x *exchange) sendOwnAsset(name string) error {
	asset, err := console.Open(name)
	if err != nil {
		return missingAsset(name)
	}
	_, err = x.Write(asset.Body(x.w.Header(), reply.Takes(x.r.Header["Accept-Encoding"], reply.Gzip)))
	return err
}

func missingAsset(name string) error {
	return apierror.Newf(apierror.NotFound, "Couldn't find console asset %s", name).WithStatus(http.StatusNotFound)
}

// showInstalled answers with the page of a console that is installed.
func (x *exchange) showInstalled() error {
	settings, err := json.Marshal(consoleSettings{ // which escapes what would end the script
		Mode: "server", Prefix: consolePath, IsAdminSecretSet: !x.api.Authenticator.Open(), ServerVersion: "v" + x.api.Version,
		Path: x.r.URL.Path, AssetsPath: assetsPath,
	})
	if err != nil {
		return err
	}
	script := "window.__env = " + string(settings) + ";"
	var page bytes.Buffer
	if err := consolePage.Execute(&page, map[string]any{
		"Script": template.JS(script), //nolint:gosec // G203: encoded JSON, whose hash is in the policy
		"Assets": assetsPath,
	}); err != nil {
		return err
	}
	hash := sha256.Sum256([]byte(script))
	x.w.Header().Set("Content-Security-Policy", "default-src 'self'; connect-src 'self' ws: wss:; img-src 'self' data:; font-src 'self' data:; "+
		"style-src 'self' 'unsafe-inline'; script-src 'self' 'sha256-"+base64.StdEncoding.EncodeToString(hash[:])+"'; "+
		"base-uri 'self'; frame-ancestors 'none'")
	x.send(htmlType, http.StatusOK, page.Bytes())
	return nil
}

// sendAsset answers with a file of a console that is installed.
func (x *exchange) sendAsset(name string) error {
	missing := missingAsset(name)
	if !fs.ValidPath(name) {
		return missing
	}
	file, packed, err := x.openAsset(name)
	if err != nil {
		return missing
	}
	defer func() { _ = file.Close() }() // it was only read
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return missing
	}
	kind := mime.TypeByExtension(path.Ext(name))
	if kind == "" {
		kind = "application/octet-stream"
	}
	x.w.Header().Set("Content-Type", kind)
	if packed {
		x.w.Header().Set("Content-Encoding", "gzip")
		x.w.Header().Set("Vary", "Accept-Encoding")
	}
	_, err = io.Copy(x, file)
	return err
}

// openAsset opens a file, or the packed one that stands next to it if the client takes that.
func (x *exchange) openAsset(name string) (file fs.File, packed bool, err error) {
	if reply.Takes(x.r.Header["Accept-Encoding"], reply.Gzip) {
		if file, err = x.api.Assets.Open(name + ".gz"); err == nil {
			return file, true, nil
		}
	}
	file, err = x.api.Assets.Open(name)
	return file, false, err
}
