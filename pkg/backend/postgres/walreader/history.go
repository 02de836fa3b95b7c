package walreader

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"queryengine/pkg/backend/postgres/pgoutput"
)

// Timeline numbers the histories of a server's log: one begins where a standby server is promoted, or an archive restored. A place in the
// log means something on its timeline only.
type Timeline uint32

// stateNoFile is the SQLSTATE of a history that the server hasn't got.
const stateNoFile = "58P01"

// Identify tells the timeline of the server of a connection for replication, and how far its log reaches.
func Identify(ctx context.Context, pg *pgconn.PgConn) (Timeline, pgoutput.LSN, error) {
	row, err := command(ctx, pg, "IDENTIFY_SYSTEM")
	if err != nil {
		return 0, 0, err
	}
	if len(row) < 3 {
		return 0, 0, errors.New("the server doesn't say what it is")
	}
	timeline, err := strconv.ParseUint(string(row[1]), 10, 32)
	if err != nil {
		return 0, 0, err
	}
	end, err := pgoutput.ParseLSN(string(row[2]))
	return Timeline(timeline), end, err
}

// Left tells where the log of a server, which is on a timeline, has left another one: it has what was committed there before that place, and
// nothing else of it. It is false when the server was never there, or doesn't know.
func Left(ctx context.Context, pg *pgconn.PgConn, now, timeline Timeline) (pgoutput.LSN, bool, error) {
	if timeline == 0 || timeline >= now {
		return 0, false, nil
	}
	row, err := command(ctx, pg, fmt.Sprintf("TIMELINE_HISTORY %d", now))
	if e := (*pgconn.PgError)(nil); errors.As(err, &e) && e.Code == stateNoFile {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	if len(row) < 2 {
		return 0, false, errors.New("the server doesn't tell the history of its timeline")
	}
	return whereLeft(string(row[1]), timeline)
}

// whereLeft is where a history has left a timeline for the next one; false when it was never on it.
func whereLeft(history string, timeline Timeline) (pgoutput.LSN, bool, error) {
	for line := range strings.Lines(history) {
		fields := strings.Fields(line)
		if len(fields) < 2 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if fields[0] == strconv.FormatUint(uint64(timeline), 10) {
			at, err := pgoutput.ParseLSN(fields[1])
			return at, true, err
		}
	}
	return 0, false, nil
}

// command runs a command of the protocol of replication, and returns its row.
func command(ctx context.Context, pg *pgconn.PgConn, text string) ([][]byte, error) {
	results, err := pg.Exec(ctx, text).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(results) != 1 || len(results[0].Rows) != 1 {
		return nil, fmt.Errorf("the server has no answer to %s", text)
	}
	return results[0].Rows[0], nil
}
