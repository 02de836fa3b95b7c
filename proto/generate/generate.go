// Package generate makes the Go code of this module's .proto files. It gives the same bytes
// as protoc with protoc-gen-go, and needs neither to be installed.
package generate

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/cmd/protoc-gen-go/internal_gengo"
	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

// module is cut off the names that the generator gives.
const module = "queryengine/proto"

// protoc is the compiler's version that the generated files name.
var protoc = &pluginpb.Version{Major: proto.Int32(3), Minor: proto.Int32(21), Patch: proto.Int32(12)}

// Files is the generated code of all .proto files below root, by path relative to root.
func Files(ctx context.Context, root string) (map[string][]byte, error) {
	sources, err := find(root)
	if err != nil {
		return nil, err
	}
	compiler := protocompile.Compiler{
		Resolver:       protocompile.WithStandardImports(&protocompile.SourceResolver{ImportPaths: []string{root}}),
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	compiled, err := compiler.Compile(ctx, sources...)
	if err != nil {
		return nil, err
	}
	request := &pluginpb.CodeGeneratorRequest{
		FileToGenerate:  sources,
		Parameter:       proto.String("module=" + module),
		CompilerVersion: protoc,
	}
	seen := map[string]bool{}
	for _, f := range compiled {
		request.ProtoFile = appendWithImports(request.ProtoFile, seen, f)
	}
	plugin, err := protogen.Options{}.New(request)
	if err != nil {
		return nil, err
	}
	for _, f := range plugin.Files {
		if f.Generate {
			internal_gengo.GenerateFile(plugin, f)
		}
	}
	response := plugin.Response()
	if response.Error != nil {
		return nil, fmt.Errorf("generating: %s", response.GetError())
	}
	files := make(map[string][]byte, len(response.File))
	for _, f := range response.File {
		files[f.GetName()] = []byte(f.GetContent())
	}
	return files, nil
}

func find(root string) ([]string, error) {
	var sources []string
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".proto") {
			relative, relErr := filepath.Rel(root, path)
			sources, err = append(sources, filepath.ToSlash(relative)), relErr
		}
		return err
	})
	slices.Sort(sources)
	return sources, err
}

// appendWithImports appends f behind the files that it imports, as the generator wants it.
func appendWithImports(
	files []*descriptorpb.FileDescriptorProto, seen map[string]bool, f protoreflect.FileDescriptor,
) []*descriptorpb.FileDescriptorProto {
	if seen[f.Path()] {
		return files
	}
	seen[f.Path()] = true
	imports := f.Imports()
	for i := range imports.Len() {
		files = appendWithImports(files, seen, imports.Get(i))
	}
	return append(files, protodesc.ToFileDescriptorProto(f))
}

// Write brings the generated code below root up to date.
func Write(ctx context.Context, root string) error {
	files, err := Files(ctx, root)
	if err != nil {
		return err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(name)), content, 0o644); err != nil { //nolint:gosec // source code
			return err
		}
	}
	return nil
}
