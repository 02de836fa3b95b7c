// Pack writes the files of a directory into the archive that package console embeds: pack DIRECTORY ARCHIVE. Git keeps
// the archive as what differs from the version before, so files are stored as they are, in the order of their names, and
// without times.
package main

import (
	"archive/zip"
	"fmt"
	"io/fs"
	"os"
)

func main() {
	if err := pack(os.DirFS(os.Args[1]), os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func pack(directory fs.FS, path string) error {
	archive, err := os.Create(path)
	if err != nil {
		return err
	}
	defer archive.Close()
	w := zip.NewWriter(archive)
	err = fs.WalkDir(directory, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(directory, name)
		if err != nil {
			return err
		}
		file, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err != nil {
			return err
		}
		_, err = file.Write(content)
		return err
	})
	if err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return archive.Close()
}
