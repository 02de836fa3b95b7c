package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"queryengine/services/engine/internal/project"
	"queryengine/services/engine/internal/remote"
)

func seedCreate() projectCommand {
	var source, tables *string
	return projectCommand{
		flags: func(f *flag.FlagSet) {
			source = f.String("source", "default", "the source that the seed is for")
			tables = f.String("from-table", "", "begin with the rows of these tables, separated by commas")
		},
		run: func(ctx context.Context, p *workplace, args []string) error {
			if len(args) != 1 {
				return errors.New("seed create needs the name of the seed")
			}
			text := ""
			if *tables != "" {
				options := []string{"--no-owner", "--no-privileges", "--data-only", "--column-inserts"}
				for t := range strings.SplitSeq(*tables, ",") {
					options = append(options, "--table", t)
				}
				var err error
				if text, err = p.server.Dump(ctx, *source, options...); err != nil {
					return err
				}
			}
			path, err := project.CreateSeed(p.config.Path(p.config.SeedsDirectory), *source, args[0], time.Now().UnixMilli(), text)
			if err != nil {
				return err
			}
			p.print("%s", path)
			return nil
		},
	}
}

func seedApply() projectCommand {
	var source, file *string
	return projectCommand{
		flags: func(f *flag.FlagSet) {
			source = f.String("source", "default", "the source that the seeds are for")
			file = f.String("file", "", "only this file of the source")
		},
		run: func(ctx context.Context, p *workplace, _ []string) error {
			files, err := project.Seeds(p.config.Path(p.config.SeedsDirectory), *source)
			if err != nil {
				return err
			}
			if *file != "" {
				files = chosen(files, *file)
			}
			if len(files) == 0 {
				return fmt.Errorf("there is no such seed for source %s", *source)
			}
			kinds, err := p.kinds(ctx)
			if err != nil {
				return err
			}
			for i, path := range files {
				p.say("[%d/%d] %s", i+1, len(files), filepath.Base(path))
				text, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				if err := p.runSQL(ctx, remote.SQL{Source: *source, Kind: kinds[*source], Text: string(text)}); err != nil {
					return fmt.Errorf("%s: %w", filepath.Base(path), err)
				}
			}
			return nil
		},
	}
}

// chosen are the files of that name.
func chosen(files []string, name string) []string {
	for _, f := range files {
		if filepath.Base(f) == filepath.Base(name) {
			return []string{f}
		}
	}
	return nil
}
