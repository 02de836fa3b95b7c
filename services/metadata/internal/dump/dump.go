// Package dump serves the schema dumps of sources.
package dump

import (
	"bytes"
	"io"
	"regexp"
	"slices"
)

// Request is the body of a dump request.
type Request struct {
	// Options are arguments of the dump program.
	Options []string `json:"opts" meta:"required"`
	Source  string   `json:"source" meta:"default=default"`
	// Clean leaves out what differs between servers and what belongs to the engine.
	Clean bool `json:"clean_output"`
}

// noise are the lines that a clean dump has not.
var noise = []*regexp.Regexp{
	regexp.MustCompile(`^$`),
	regexp.MustCompile(`^--`),
	regexp.MustCompile(`^\\(un)?restrict [A-Za-z0-9]+$`), // commands of psql, which no database reads
	regexp.MustCompile(`^SET (statement_timeout|lock_timeout|idle_in_transaction_session_timeout) = 0;$`),
	regexp.MustCompile(`^SET client_encoding = 'UTF8';$`),
	regexp.MustCompile(`^SET standard_conforming_strings = on;$`),
	regexp.MustCompile(`^SET xmloption = content;$`),
	regexp.MustCompile(`^SET client_min_messages = warning;$`),
	regexp.MustCompile(`^SET row_security = off;$`),
	regexp.MustCompile(`^SET default_tablespace = '';$`),
	regexp.MustCompile(`^SET default_with_oids = false;$`),
	regexp.MustCompile(`^SET default_table_access_method = heap;$`),
	regexp.MustCompile(`^SELECT pg_catalog\.set_config\('search_path', '', false\);$`),
	regexp.MustCompile(`^CREATE SCHEMA public;$`),
	regexp.MustCompile(`^COMMENT ON SCHEMA public IS '.*';$`),
	regexp.MustCompile(`^CREATE TRIGGER "?notify_engine_.+"? AFTER \w+ ON .+ FOR EACH ROW ` +
		`EXECUTE (FUNCTION|PROCEDURE) "?engine_catalog"?\."?notify_engine_.+"?\(\);$`),
}

// Cleaner passes on the lines of a dump that are no noise. Flush passes on the last one.
type Cleaner struct {
	W    io.Writer
	line []byte
}

// Write takes the next piece of the dump.
func (c *Cleaner) Write(p []byte) (int, error) {
	size := len(p)
	for {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			c.line = append(c.line, p...)
			return size, nil
		}
		c.line = append(c.line, p[:i+1]...)
		p = p[i+1:]
		if err := c.Flush(); err != nil {
			return 0, err
		}
	}
}

// Flush passes on a line, whether it has an end or not.
func (c *Cleaner) Flush() error {
	line := c.line
	c.line = c.line[:0]
	text := bytes.TrimRight(line, "\r\n")
	if len(line) == 0 || slices.ContainsFunc(noise, func(r *regexp.Regexp) bool { return r.Match(text) }) {
		return nil
	}
	_, err := c.W.Write(line)
	return err
}
